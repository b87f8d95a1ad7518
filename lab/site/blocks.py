"""The page of each block: description, picture, parameters, ports, latency and figures."""

import re

from dsnswitch.gen.blocks import BLOCKS, DEVICE
from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import manifest
from dsnswitch.gen.emit.ports import never_elaborated
from dsnswitch.gen.emit.roles import groups
from dsnswitch.lab.docs.markdown import table
from dsnswitch.lab.pictures.symbol import symbol
from dsnswitch.lab.synth.suite import baselines, peers, suite
from dsnswitch.net.errors import UsageError

__all__ = ["block_pages", "sample"]

#: Configurations of blocks that are not in the measured set, or not in their usual size.
SAMPLES = {
    "route": {"p": 3},
    "secded": {"n": 270, "k": 260},
    "secded-decoder": {"n": 270, "k": 260},
    "light-link": {},
    "switch": {"p": 3},
    "strict-link": {},
    "selected-link": {},
}

#: Block -> picture in docs/pictures that shows its internal structure.
INSIDE = {
    "route": "router-logic.svg",
    "fabric-port": "fabric-words.svg",
    "switch-core": "switch-core.svg",
    "switch": "switch.svg",
    "forwarding": "forwarding.svg",
    **{f"light-link{part}": "light-link.svg" for part in ("", "-tx", "-rx")},
    **{f"strict-link{part}": "strict-link.svg" for part in ("", "-tx", "-rx")},
}


def sample(name):
    """The configured block whose ports and latency are shown on the page of the block ``name``.

    Raises
    ------
    UsageError
        If there is none: the block has mandatory parameters, and is neither measured nor in :data:`SAMPLES`.
    """
    if name in SAMPLES:
        return build({"block": name, **SAMPLES[name]})
    found = next((block for block in (*suite(), *baselines(), *peers()) if block.block == name), None)
    if found is None:
        try:
            found = build({"block": name})
        except UsageError as error:
            raise UsageError(f"lab/site/blocks.py needs a sample of block {name}: {error}") from None
    return found


def block_pages(store, clock):
    """``{name: text}`` of the pages and pictures of all blocks, and of the list of blocks; ``clock`` in MHz, for times in ns."""
    pages = {}
    for name, block in BLOCKS.items():
        with never_elaborated():
            found = sample(name)
            about = manifest(found, found.component(), {})
        pages[f"blocks/{name}.svg"] = symbol(about["top"], about["ports"])
        pages[f"blocks/{name}.md"] = _page(name, block, about, store, clock)
    rows = [[f"[`{name}`]({name}.md)", block.summary()] for name, block in BLOCKS.items()]
    pages["blocks/index.md"] = (
        f"# Blocks\n\nEvery block that `dsnswitch verilog --block` generates; the default is `{DEVICE}`.\n\n"
        f"{table(['block', 'what it is'], rows)}\n"
    )
    return pages


def _page(name, block, about, store, clock):
    """Text of one page."""
    words = [
        f"--{key.replace('_', '-')} {value}" for key, value in about["parameters"].items() if value not in (None, False)
    ]
    parts = [
        f"# {name}\n\n{block.summary()}",
        f"![Ports of {about['top']}]({name}.svg)",
        f"![Inside the block](../pictures/{INSIDE[name]})" if name in INSIDE else "",
        f"## Parameters\n\n{_parameters(block)}",
        f"## Ports and latency\n\nOf `{about['top']}` ({', '.join(f'`{word}`' for word in words) or 'no parameters'}). "
        f"Latency: {_cycles(about['latency_cycles'])}{_time(about['latency_cycles'], clock)}. "
        f"Results per cycle: {about['results_per_cycle']:g}.\n\n{_ports(about['ports'])}",
        f"## Figures\n\n{_figures(name, store)}",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _cycles(number):
    return "0 cycles, combinational" if number == 0 else f"{number} cycle{'s' if number > 1 else ''}"


def _time(cycles, clock):
    return f", {1000 * cycles / clock:.1f} ns at {clock:g} MHz" if cycles else ""


def _parameters(block):
    if not block.PROPERTIES:
        return "The block has no parameters."
    rows = [[f"`{key}`", _values(rule), _cell(rule["description"])] for key, rule in block.PROPERTIES.items()]
    return table(["parameter", "values", "meaning"], rows)


def _values(rule):
    if "enum" in rule:
        return ", ".join(f"`{value}`" for value in rule["enum"])
    if "minimum" in rule:
        return f"{rule['minimum']} to {rule['maximum']}"
    return {"boolean": "yes or no"}.get(rule["type"], rule["type"])


def _ports(ports):
    by_name = {port["name"]: port for port in ports}
    rows = [
        [f"`{name}`", by_name[name]["direction"], str(by_name[name]["width"]), sentence]
        for sentence, names in groups(list(by_name), by_name)
        for name in names
    ]
    return table(["port", "direction", "bits", "meaning"], rows)


def _figures(name, store):
    """Area and delay of every measured configuration that is in the file of figures."""
    known = store.blocks.get("model", {})
    rows = [
        [f"`{key}`", f"{one['area']:,.0f}", f"{one['period']:.1f}", str(one["levels"]), _memory(one)]
        for key, one in sorted(known.items())
        if one["block"] == name
    ]
    if not rows:
        return "No figures of this block are recorded. `dsnswitch synth` measures any configuration."
    heads = ["configuration", "area, GE", "shortest period, FO4", "levels of two-input gates", "flip-flops, RAM"]
    return f"By the model library, without wires: [synthesis](../synthesis.md).\n\n{table(heads, rows)}"


def _memory(one):
    ram = f", {one['memory_bits']:,} bits" if one["memory_bits"] else ""
    return f"{one['flip_flops']:,}{ram}"


def _cell(text):
    return re.sub(r"([|*\[\]])", r"\\\1", text)
