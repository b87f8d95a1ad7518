"""``python -m tools.site FOLDER``: writes the sources of the site for the repository in the working directory.

``FOLDER/mkdocs.yml`` is the repository's ``mkdocs.yml`` with folders and navigation. ``FOLDER/pages`` contains the pages that
mkdocs reads. ``FOLDER/sources`` contains the Python files from which mkdocs makes the reference.
"""

import inspect
import json
import re
import sys
from importlib import import_module
from pathlib import Path

from dsnswitch.gen.blocks import BLOCKS, DEVICE
from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import groups, manifest, never_elaborated
from dsnswitch.gen.writing import write_files
from dsnswitch.lab.synth.measure import baselines, peers, suite
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import read_text
from dsnswitch.net.svg import EDGE, GREY, INK, SHELL, add, picture, text_of
from tools.docs.markdown import table
from tools.figures.hop import CLOCK
from tools.figures.store import PATH, load

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

    Raises :class:`UsageError` if there is none: the block has mandatory parameters, and is neither measured nor in
    :data:`SAMPLES`.
    """
    if name in SAMPLES:
        return build({"block": name, **SAMPLES[name]})
    found = next((block for block in (*suite(), *baselines(), *peers()) if block.block == name), None)
    if found is None:
        try:
            found = build({"block": name})
        except UsageError as error:
            raise UsageError(f"tools/site.py needs a sample of block {name}: {error}") from None
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
        f"Latency: {_latency(about['latency_cycles'], clock)}. "
        f"Results per cycle: {about['results_per_cycle']:g}.\n\n{_ports(about['ports'])}",
        f"## Figures\n\n{_figures(name, store)}",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _latency(cycles, clock):
    if not cycles:
        return "0 cycles, combinational"
    return f"{cycles} cycle{'s' if cycles > 1 else ''}, {1000 * cycles / clock:.1f} ns at {clock:g} MHz"


def _parameters(block):
    if not block.OPTIONS:
        return "The block has no parameters."
    rows = [[f"`{key}`", one.range, _cell(one.description)] for key, one in block.OPTIONS.items()]
    return table(["parameter", "values", "meaning"], rows)


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


# The symbol of a block: a box with inputs on the left and outputs on the right.

#: Height of a port's line, width of a character, margin between the box and the edge of the picture.
LINE, CHARACTER, MARGIN = 20, 7, 36


def symbol(top, ports):
    """SVG text of a block called ``top``; ``ports`` are dictionaries with ``name``, ``direction`` and ``width``."""
    sides = [[port for port in ports if port["direction"] == way] for way in ("input", "output")]
    longest = [max((len(port["name"]) for port in side), default=0) for side in sides]
    width = 2 * MARGIN + max(CHARACTER * (sum(longest) + 8), 8 * len(top) + 2 * LINE)
    height = LINE * (max(map(len, sides)) + 3)
    root = picture(width, height, f"Ports of {top}")
    add(root, "rect", x=MARGIN, y=8, width=width - 2 * MARGIN, height=height - 16, rx=5, fill=SHELL, stroke=EDGE)
    add(root, "text", top, x=width / 2, y=8 + LINE, font_size=13, font_weight="bold", fill=INK, text_anchor="middle")
    for left, side in zip((True, False), sides):
        for row, port in enumerate(side):
            _port(root, port, left, width, LINE * (row + 2.5))
    return text_of(root)


def _port(root, port, left, width, y):
    inner, outer = (MARGIN, 0) if left else (width - MARGIN, width)
    wide = port["width"] > 1
    add(root, "line", x1=outer, y1=y, x2=inner, y2=y, stroke=INK, stroke_width=2.5 if wide else 1)
    step, anchor = (6, "start") if left else (-6, "end")
    add(root, "text", port["name"], x=inner + step, y=y + 4, font_size=12, fill=INK, text_anchor=anchor)
    if wide:
        add(root, "text", str(port["width"]), x=MARGIN / 2 if left else width - MARGIN / 2, y=y - 4, font_size=10, fill=GREY,
            text_anchor="middle")  # fmt: skip


# The guide: README, CONTRIBUTING, CHANGELOG, examples/README and docs/ as pages of one folder, with adapted links.

#: Pages outside docs/, and their names in the site.
TOP = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "examples/README.md": "examples.md",
}

_LINK = re.compile(r"(!?\[[^\]\n]*\])\(([^)\s]+)\)")


def guide_pages(root):
    """``{name: text}`` of every page, picture and schema of the guide; of a PNG picture its bytes."""
    root = Path(root)
    found = {new: _linked(read_text(root / old, "Page"), "") for old, new in TOP.items()}
    for path in sorted((root / "docs").rglob("*")):
        name = path.relative_to(root / "docs").as_posix()
        if path.suffix == ".md":
            found[name] = _linked(read_text(path, "Page"), "docs/")
        elif path.suffix in (".svg", ".json"):
            found[name] = path.read_text(encoding="utf-8")
        elif path.suffix == ".png":
            found[name] = path.read_bytes()
    return found


def _linked(text, folder):
    """The text of a page with links adapted to the site. A link to a file that is not in the site becomes the name of the file.

    ``folder`` is the folder of the page in the repository.
    """

    def link(match):
        label, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, mark, anchor = target.partition("#")
        path = path.removeprefix("../") if path.startswith("../") else folder + path
        if path in TOP:
            return f"{label}({TOP[path]}{mark}{anchor})"
        if path.startswith("docs/"):
            return f"{label}({path.removeprefix('docs/')}{mark}{anchor})"
        return f"`{path}`"

    return _LINK.sub(link, text)


# The reference: a page for each group of packages and modules, which mkdocstrings fills from the docstrings.

#: The folder that contains the packages ``gen``, ``hdl``, ``lab``, ``net`` and ``sim``.
ROOT = Path(__file__).resolve().parents[1]

#: Title of each page, and its packages and modules, by the name of the page. A package shows all its modules.
REFERENCE = {
    "topology": ("Networks", ("net.topology",)),
    "routing": ("Routing", ("net.routing", "hdl.routing")),
    "tables": ("Tables", ("net.tables", "hdl.table")),
    "analysis": ("Analysis and growth of networks", ("net.analysis", "net.plan", "net.files")),
    "secded": ("SECDED codes", ("hdl.fec.secded",)),
    "reed-solomon": ("Reed-Solomon codes", ("hdl.fec.reed_solomon",)),
    "crc": ("CRC-32C", ("hdl.fec.crc32c",)),
    "pcs": ("Physical coding sublayers", ("hdl.pcs",)),
    "line": ("Codes of a line", ("hdl.line",)),
    "link": ("Links with a media-independent interface", ("hdl.link",)),
    "stream": ("Streams", ("hdl.stream",)),
    "core": ("Switch core", ("hdl.core",)),
    "port": ("Fabric port", ("hdl.port",)),
    "switch": ("Switch", ("hdl.switch",)),
    "registers": ("Registers", ("hdl.registers",)),
    "network": ("Simulation of a network", ("sim.network", "sim.verilated")),
    "generator": (
        "Generator",
        ("gen.config", "gen.blocks.block", "gen.emit.folder", "gen.emit.manifest", "gen.vectors"),
    ),
}

#: Packages and modules that only the gateware makes use of, and the designs for comparison. No page shows them.
INTERNAL = ("hdl.baseline", "hdl.gf", "hdl.logic", "hdl.routing.ring", "net.routing.dsn.local")

_INDEX = """# Python interface

These pages are made of the docstrings. Gateware is `wiring.Component` of Amaranth; the section Members of a component lists its
ports with their widths. The modules of `net` are plain Python and need no Amaranth.

{}
"""

_ROLE = re.compile(r":\w+:`(?:~(?:[\w.]*\.)?|\.+)?([^`]*)`")


def exported(module):
    """Names of the public classes and functions of ``module``: those of ``__all__``, or without it those defined there."""
    found = import_module(f"dsnswitch.{module}")
    names = getattr(found, "__all__", None) or [
        name
        for name, part in vars(found).items()
        if not name.startswith("_") and getattr(part, "__module__", "") == found.__name__
    ]
    return [name for name in names if inspect.isclass(getattr(found, name)) or inspect.isfunction(getattr(found, name))]


def expanded(*names):
    """The modules ``names``; a package stands for all modules in it that export a class or a function."""
    found = []
    for name in names:
        folder = ROOT.joinpath(*name.split("."))
        paths = [path.relative_to(ROOT).with_suffix("") for path in sorted(folder.rglob("*.py"))]
        inside = [".".join(path.parts) for path in paths if path.name != "__init__"]
        public = [one for one in inside if not f"{one}.".startswith(tuple(f"{hidden}." for hidden in INTERNAL))]
        found += [one for one in public if exported(one)] if folder.is_dir() else [name]
    return found


def reference_pages():
    """``{name: text}`` of the pages."""
    found = {}
    for name, (title, packages) in REFERENCE.items():
        parts = [
            f"::: dsnswitch.{module}\n    options:\n      members: [{', '.join(exported(module))}]\n"
            for module in expanded(*packages)
        ]
        found[f"reference/{name}.md"] = "\n".join([f"# {title}\n", *parts])
    rows = "\n".join(
        f"- [{title}]({name}.md): `{'`, `'.join(packages)}`" for name, (title, packages) in REFERENCE.items()
    )
    return {"reference/index.md": _INDEX.format(rows)} | found


def sources(root):
    """``{name: text}`` of the package's files for mkdocstrings, in which roles of reStructuredText are replaced by plain code."""
    found = {"dsnswitch/__init__.py": ""}
    for top in ("gen", "hdl", "lab", "net", "sim"):
        for path in sorted(Path(root, top).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            found[f"dsnswitch/{path.relative_to(root).as_posix()}"] = _ROLE.sub(r"``\1``", text)
    return found


def navigation(pages):
    """The navigation of the site: guide, blocks and reference, with the title of each page."""
    found = {"Guide": ["index.md"], "Blocks": ["blocks/index.md"], "Reference": ["reference/index.md"]}
    parts = {"blocks": "Blocks", "reference": "Reference"}
    for name in sorted(pages):
        part = found[parts.get(name.partition("/")[0], "Guide")]
        if name.endswith(".md") and name not in part:
            part.append(name)
    return [{title: names} for title, names in found.items()]


def main(folder, root="."):
    """Write all sources of the site of the repository ``root``."""
    store = load(Path(root, PATH))
    pages = guide_pages(root) | block_pages(store, CLOCK) | reference_pages()
    for place, texts in (("pages", pages), ("sources", sources(root))):
        write_files(Path(folder, place), texts)
    settings = {
        "INHERIT": str(Path(root, "mkdocs.yml").resolve()),
        "docs_dir": "pages",
        "site_dir": "html",
        "nav": navigation(pages),
    }
    write_files(Path(folder), {"mkdocs.yml": json.dumps(settings, indent=1) + "\n"})
    print(f"wrote {len(pages)} pages to {Path(folder, 'pages')}")


if __name__ == "__main__":
    main(*sys.argv[1:])
