"""Figures of a block: the results of the recipe, latency and throughput from the manifest, and the areas of its parts."""

import json
import re
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import manifest
from dsnswitch.gen.emit.verilog.convert import finished, plain
from dsnswitch.gen.emit.verilog.hierarchy import Library, hierarchical_rtlil
from dsnswitch.gen.emit.verilog.parse import parse
from dsnswitch.gen.version import __version__
from dsnswitch.hdl.fec.secded.code import CONSTRUCTIONS
from dsnswitch.hdl.pcs.pcs260.pcs import FORMATS
from dsnswitch.lab.synth.library import MODEL, PS_PER_FO4
from dsnswitch.lab.synth.passes import FRONT, FULL, GENERIC_GATES, GENERIC_MAPS, MAPS
from dsnswitch.lab.synth.recipe import synthesize
from dsnswitch.lab.synth.source import Source
from dsnswitch.net.messages import unwatched
from dsnswitch.net.printing import columns

#: The routing logic, the switch core and the fabric port of a switch of 8 x 8 x 8: the configurations that figures name so.
ROUTE, CORE, PORT = {"p": 3}, {"block": "switch-core", "p": 3}, {"block": "fabric-port", "p": 3, "port": "x_forward"}

#: A whole switch with one line and one host: it has every path across the border of core and fabric port.
SWITCH = {"block": "switch", "topology": "torus:2", "apb": False}

#: The blocks that budgets bound and ``dsnswitch synth --all`` measures.
_SUITE = (
    *({"p": p} for p in (2, 3, 4, 8)),
    {"p": 3, "register": True},
    {"p": 3, "node": "3,5,7"},
    {"p": 4, "node": "9,6,1"},
    {"block": "secded-encoder", "n": 270, "k": 260},
    {"x": 12, "y": 10},
    {"topology": "ring", "n": 36},
    {"x": 16, "y": 16, "supernode": "coc-4x4"},
    *({"p": p, "routing": routing} for routing in ("minimal", "detour") for p in (3, 4)),
    {"max_p": 3},
    {"max_p": 5},
    {"topology": "dsn-f:160"},
    {"block": "table-ternary", "entries": 6, "key": 5, "action": 3},
    {"block": "secded-decoder", "n": 270, "k": 260},
    *({"block": f"secded-{side}", "n": 270, "k": 260, "stages": 1} for side in ("encoder", "decoder")),
    *({"block": f"secded-{side}", "n": n, "k": k} for n, k in ((72, 64), (39, 32)) for side in ("encoder", "decoder")),
    *({"block": f"pcs{width}-{way}"} for width in (66, 257) for way in ("tx", "rx")),
    *({"block": f"pcs260-{way}", "format": layout} for layout in FORMATS for way in ("tx", "rx")),
    {"block": "gearbox", "from": 257, "to": 160, "group": 5140},
    {"block": "gearbox", "from": 160, "to": 257, "group": 5140},
    {"block": "rs-encoder", "code": "rs-528-514"},
    {"block": "rs-encoder", "code": "rs-255-239"},
    {"block": "rs-encoder", "code": "rs-255-239", "symbols": 1},
    {"block": "rs-decoder", "code": "rs-528-514"},
    *({"block": f"mii257-{way}"} for way in ("tx", "rx")),
    *({"block": f"strict-link-{way}"} for way in ("tx", "rx")),
    *({"block": f"selected-link-{way}"} for way in ("tx", "rx")),
    {"block": "light-link-tx"},
    {"block": "light-link-rx"},
    {"block": "table-ternary", "entries": 16, "key": 9, "action": 4},
    {"block": "table-ternary", "entries": 16, "key": 9, "action": 4, "stages": 2},
    {"block": "table-direct", "words": 512, "action": 4},
    {"block": "forwarding", "p": 3, "entries": 18},
    CORE,
    PORT,
    *(PORT | more for more in ({"retry": True}, {"retry": True, "detect": True}, {"link": "strict"}, {"link": "selected"})),
    SWITCH,
)

#: Blocks for which the solver ends without a verdict. Benches simulate the RTL only.
#: 2026-11-22: the codeword of the fabric port is a sum of XOR networks of up to 270 inputs, which the mapper restructures.
_UNPROVED = frozenset({"fabric-port", "switch"})

_BASELINES = (
    {"block": "baseline-torus", "sizes": "8x8"},
    {"block": "baseline-torus", "sizes": "8x8x8"},
    {"block": "baseline-torus", "sizes": "8x8x8", "node": "3,5,7"},
    {"block": "baseline-tcam", "entries": 14, "key": 9, "action": 4},
    {"block": "baseline-tcam", "entries": 16, "key": 11, "action": 4},
)


def is_proved(block):
    """Whether the netlist of ``block`` is proved equal to its RTL when it is measured."""
    return block.block not in _UNPROVED


@cache
def suite():
    """Every measured configuration of this project's own blocks."""
    return tuple(map(build, _SUITE))


@cache
def baselines():
    """Baselines: 8 x 8 x 8 torus and 8 x 8 torus, universal and at a node, and the dissertation's tables.

    The tables have the number of entries of D 4.1.2, m + 2 log N, rounded for N = 512 and N = 2048. The key is the whole address.
    """
    return tuple(map(build, _BASELINES))


@cache
def peers():
    """SECDED codecs as public generators write them, measured by the same scripts as this project's."""
    return tuple(
        build({"block": f"baseline-secded-{side}", "n": 270, "k": 260, "construction": construction})
        for construction in CONSTRUCTIONS
        for side in ("encoder", "decoder")
    )


#: Roles of inputs that have settled before a packet arrives, in addition to the straps.
SETTLED = ("table-write",)


def measure_all(blocks, bar, library=MODEL, prove=False, watch=None):
    """Figures of ``blocks``, in order. Two blocks are measured at a time.

    With ``prove`` None, every netlist is proved that the solver decides (:func:`is_proved`).
    ``watch`` is called with the name of each stage of a single block.
    """
    more = {"watch": watch} if watch and len(blocks) == 1 else {}
    with ThreadPoolExecutor(2) as pool:
        proofs = [is_proved(block) if prove is None else prove for block in blocks]
        jobs = [pool.submit(measure_block, block, library, proof, **more) for block, proof in zip(blocks, proofs)]
        return [job.result() for job in bar(jobs, "synthesis")]


def measure_block(block, library=MODEL, prove=False, effort=FULL, **more):
    """Figures of ``block`` (a configured :class:`Block`) as a dictionary."""
    return measure_design(design_of(block), library, prove, effort, **more)


@dataclass(frozen=True)
class Design:
    """A block, or another component, in the form in which it is measured."""

    #: The RTLIL that Amaranth writes.
    rtlil: str
    #: Names of the modules and of their ports, for the Verilog.
    library: Library
    #: The manifest; of a component that is not a block, its name as ``top``.
    about: dict
    #: Inputs that have settled before a packet arrives: straps, and ports that write tables.
    settled: tuple

    @property
    def name(self):
        """Name of the top module."""
        return self.about["top"]

    def verilog(self):
        """The emitted Verilog. This text is measured, and figures are valid as long as it does not change."""
        return finished(parse(plain(self.rtlil)), self.library, ())

    @contextmanager
    def source(self):
        """Context with the :class:`Source` of the Verilog, whose file exists within the context."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "design.v")
            path.write_text(self.verilog(), encoding="utf-8")
            yield Source((path,), self.name, self.settled)


def design_of(block):
    """The :class:`Design` of a configured block."""
    component = block.component()
    about = manifest(block, component, {})
    settled = (port["name"] for port in about["ports"] if port["static"] or port["role"] in SETTLED)
    return of_component(block.name, component, settled, about)


def of_component(name, component, settled=(), about=None):
    """The :class:`Design` of an Amaranth ``component``, whose top module is called ``name``."""
    library = Library(name)
    return Design(hierarchical_rtlil(component, name, library), library, about or {"top": name}, tuple(settled))


def measure_design(design, library=MODEL, prove=False, effort=FULL, **more):
    """Figures of a :class:`Design`, as a dictionary."""
    with design.source() as source:
        figures = measure_source(source, library, prove, effort, **more)
    keys = ("block", "parameters", "latency_cycles", "results_per_cycle")
    return figures | {key: design.about[key] for key in keys}


def measure_source(source, library=MODEL, prove=False, effort=FULL, **more):
    """Figures of any :class:`Source`, measured by the same recipe. The latency is unknown, so it is None."""
    found = synthesize(source, library, prove, effort, **more)
    reported = ("gates", "levels", "generic", "flip_flops", "memory_bits", "resets", "area", "static_area", "delay")
    reported += ("delay_all", "paths", "period", "delay_opensta", "map", "cut", "tried", "netlist_hash", "equivalent", "notes")
    return {
        "name": source.top,
        "block": None,
        "parameters": source.parameters or None,
        "latency_cycles": None,
        "results_per_cycle": None,
        "cells": sum(found["cells"].values()),
        "cells_by_type": found["cells"],
        **{key: found[key] for key in reported},
    }


# Figures as a JSON report and as a text table, including the values that follow at a given clock.

#: Columns of the printed table: heading, key of a figure, format (for a flag: its two words).
COLUMNS = (
    ("block", "name", "{}"),
    ("gates", "gates", "{}"),
    ("levels", "levels", "{}"),
    ("cells", "cells", "{}"),
    ("FF", "flip_flops", "{}"),
    ("RAM bits", "memory_bits", "{}"),
    ("area {area}", "area", "{:.1f}"),
    ("static {area}", "static_area", "{:.1f}"),
    ("delay {time}", "delay", "{:.2f}"),
    ("with straps", "delay_all", "{:.2f}"),
    ("OpenSTA", "delay_opensta", "{:.2f}"),
    ("from FF", "from_registers", "{:.2f}"),
    ("period {time}", "period", "{:.2f}"),
    ("straps cut", "cut", "yes/no"),
    ("sync resets", "resets", "{}"),
    ("MHz 0.18um", "mhz", "{:.0f}"),
    ("cycles", "latency_cycles", "{}"),
    ("latency ns", "latency_ns", "{:.2f}"),
    ("M/s", "throughput", "{:.0f}"),
    ("equal", "equivalent", "yes/NO"),
)


def derived(figures, library, clock):
    """``figures`` with the values that follow at a clock of ``clock`` MHz.

    ``mhz``: the clock that ``period`` allows in 0.18 um. ``latency_ns``: the latency in cycles of the given clock.
    ``throughput``: results in 10**6 per second at that clock. ``from_registers``: the worst path that starts at a register, with
    the clock-to-output time and, if it ends at a register, the setup time.
    """
    paths = figures["paths"] or {}
    starts = [time for name, time in paths.items() if name.startswith("register") and time is not None]
    nanoseconds = figures["period"] * (PS_PER_FO4 / 1000 if library.is_model else 1)
    cycles, rate = figures["latency_cycles"], figures["results_per_cycle"]
    return figures | {
        "from_registers": max(starts, default=None),
        "mhz": 1000 / nanoseconds if nanoseconds else None,
        "latency_ns": None if cycles is None else cycles * 1000 / clock,
        "throughput": None if rate is None else rate * clock,
    }


def report(figures, library, clock):
    """The JSON report (``lab/synth/synth.schema.json``) of a list of figures."""
    head = {
        "format": "dsnswitch-synth",
        "version": 2,
        "generator": f"dsnswitch {__version__}",
        "tools": {name: version(name) for name in ("amaranth", "pyosys")},
        "library": {
            "name": library.name,
            "area_unit": library.area_unit,
            "time_unit": library.time_unit,
            "ps_per_fo4": PS_PER_FO4,
            "left_out": "wires, input slopes of the model, clock tree",
        },
        "clock_mhz": clock,
        "recipe": {"front": list(FRONT), "generic": GENERIC_GATES, "generic_maps": GENERIC_MAPS, "maps": MAPS},
        "blocks": [derived(entry, library, clock) for entry in figures],
    }
    return json.dumps(head, indent=2) + "\n"


def rows(figures, library, clock):
    """Headings, and a list of texts for each entry of ``figures``. Columns without any figure are omitted."""
    entries = [derived(entry, library, clock) for entry in figures]
    known = {key for _, key, _ in COLUMNS if any(entry[key] or entry[key] is False for entry in entries)}
    kept = [column for column in COLUMNS if column[1] in known]
    heads = [head.format(area=library.area_unit, time=library.time_unit) for head, _, _ in kept]

    def text(form, value):
        if isinstance(value, bool):
            return form.split("/")[not value]
        return "-" if value is None else form.format(value)

    return heads, [[text(form, entry[key]) for _, key, form in kept] for entry in entries]


def table(figures, library, clock):
    """The table as text, with one line per block, and the notes below it."""
    heads, body = rows(figures, library, clock)
    notes = [f"{entry['name']}: {note}" for entry in figures for note in entry.get("notes", ())]
    return "\n".join([*columns([heads, *body], right=True), *notes]) + "\n"


# The parts of a block's area: each module in its top, mapped alone.

#: Scripts to try for each module. Large modules get no more in the recipe either.
EFFORT = 2


def instances(text, top):
    """``{module: number}`` of the instances in module ``top`` of emitted Verilog."""
    body = re.search(rf"^module {re.escape(top)} .*?^endmodule", text, re.MULTILINE | re.DOTALL)[0]
    modules = set(re.findall(r"^module (\S+)", text, re.MULTILINE))
    # A line ends after the name of a module that is long.
    names = re.findall(r"^ *(\S+)\s+\S+ \($", body, re.MULTILINE)
    return Counter(name for name in names if name in modules)


def breakdown(design, library=MODEL, bar=unwatched):
    """Area and number of each module that a :class:`Design` has in its top.

    The result is ``{module: {"number": of instances, "area": of one, "memory_bits", "period"}}``; names are without that of the
    top. The sum is not the area of the whole: the mapper also works across modules, and buffers between them are in none.
    """
    with design.source() as source:
        found = {}
        for module, number in bar(sorted(instances(design.verilog(), design.name).items()), "modules"):
            figures = measure_source(Source(source.files, module), library, effort=EFFORT)
            sizes = {key: round(figures[key], 2) for key in ("area", "memory_bits", "period")}
            found[module.removeprefix(f"{design.name}_")] = {"number": number, **sizes}
    return found
