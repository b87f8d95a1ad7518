"""Tables of measured figures: that of the README, and those of docs/figures.md."""

import statistics

from dsnswitch.gen.config import build
from dsnswitch.hdl.pcs.pcs260.pcs import FORMATS
from dsnswitch.lab.synth.measure import CORE, PORT, ROUTE, SWITCH
from tools.docs.markdown import table
from tools.figures.hop import Hop
from tools.figures.refresh import BY_TABLE, LEVELS, ON_FPGA, REAL, VIRTUAL_NETWORKS, curves, nodes, table_of, torus_of
from tools.layouts import DESIGNS, delay
from tools.layouts import PATH as LAYOUTS
from tools.layouts import load as load_layouts

#: Columns of a table of blocks: heading -> text of a cell.
COLUMNS = {
    "area, GE": lambda entry: f"{entry['area']:,.0f}",
    "delay, FO4": lambda entry: f"{entry['period' if entry['latency_cycles'] else 'delay']:.1f}",
    "cycles": lambda entry: f"{entry['latency_cycles']}",
    "levels": lambda entry: f"{entry['levels']}",
    "flip-flops": lambda entry: f"{entry['flip_flops']:,}",
    "RAM, bits": lambda entry: f"{entry['memory_bits']:,}",
}

#: Beginning of the name of a design that others are compared with.
PEER = "*for comparison:* "

_270 = {"n": 270, "k": 260}
_RS = {"code": "rs-528-514"}


_CODER, _LINK = ("encoder", "decoder"), ("tx", "rx")


def _pair(name, block, ways, **more):
    return [(f"{name} {way}", {"block": f"{block}-{way}", **more}) for way in ways]


#: Rows of each table: name of the row -> configuration of a block.
ROWS = {
    "routing": [
        *((f"universal, {8 * 4**p:,} switches", {"p": p}) for p in (2, 3, 4, 8)),
        ("registered, 512 switches", {"p": 3, "register": True}),
        *((f"`{name}`, {8 * 4**p:,} switches", {"p": p, "routing": name}) for name in ("minimal", "detour") for p in (3, 4)),
        ("any size up to 8 x 8 (`--max-p 3`)", {"max_p": 3}),
        ("any size up to 32 x 32 (`--max-p 5`)", {"max_p": 5}),
        ("DSN of 12 x 10 supernodes", {"x": 12, "y": 10}),
        ("DSN-F of 160 switches", {"topology": "dsn-f:160"}),
        (f"{PEER}torus 8 x 8 x 8", torus_of(3)),
        ("`forwarding`, 18 absolute prefixes, 512 switches", {"block": "forwarding", "p": 3, "entries": 18}),
        ("`forwarding`, 16 folded prefixes", {"block": "forwarding", "p": 3, "entries": 16, "keys": "folded"}),
    ],
    "switch": [
        ("switch core, 9 ports", CORE),
        ("fabric port", PORT),
        ("fabric port, `--retry`", PORT | {"retry": True}),
        ("fabric port, `--retry --detect`", PORT | {"retry": True, "detect": True}),
        ("fabric port, `--link strict`", PORT | {"link": "strict"}),
        ("fabric port, `--link selected`", PORT | {"link": "selected"}),
        ("switch of one line and one host", SWITCH),
    ],
    "virtual-networks": [
        (f"{core}, {number} with {of['depth']} flits per channel", of)
        for core, some in VIRTUAL_NETWORKS.items()
        for number, of in some.items()
    ],
    "lookup": [("algorithm", CORE), *((f"direct table, `--classes {classes}`", of) for classes, of in BY_TABLE.items())],
    "codes": [
        *_pair("SECDED(270,260)", "secded", _CODER, **_270),
        *_pair(f"{PEER}Hsiao code", "baseline-secded", _CODER, **_270, construction="hsiao"),
        *_pair(f"{PEER}Hamming code", "baseline-secded", _CODER, **_270, construction="hamming"),
        *_pair("RS(528,514)", "rs", _CODER, **_RS),
        ("RS(528,514) decoder, `unroll` 2", {"block": "rs-decoder", **_RS, "unroll": 2}),
        *_pair("RS(544,514)", "rs", _CODER, code="rs-544-514"),
        *_pair("RS(255,239)", "rs", _CODER, code="rs-255-239"),
        ("RS(255,239) encoder, one symbol per cycle", {"block": "rs-encoder", "code": "rs-255-239", "symbols": 1}),
    ],
    "links": [
        *(row for width in (66, 257) for row in _pair(f"`pcs{width}`", f"pcs{width}", _LINK)),
        *(row for form in FORMATS for row in _pair(f"`pcs260`, {form}", "pcs260", _LINK, format=form)),
        *(row for name in ("light-link", "mii257", "strict-link", "selected-link") for row in _pair(f"`{name}`", name, _LINK)),
        ("`gearbox`, 257 to 160 bits", {"block": "gearbox", "from": 257, "to": 160, "group": 5140}),
        ("`gearbox`, 160 to 257 bits", {"block": "gearbox", "from": 160, "to": 257, "group": 5140}),
        ("`gearbox`, 270 to 160 bits", {"block": "gearbox", "from": 270, "to": 160}),
    ],
}  # fmt: skip

#: Rows of the README.
SUMMARY = [
    ("routing logic, 512 switches", ROUTE),
    (f"{PEER}ternary table of the dissertation's size", table_of(3)),
    (f"{PEER}routing in a torus of 8 x 8 x 8", torus_of(3)),
    ("routing logic, 2,048 switches", {"p": 4}),
    (f"{PEER}ternary table of the dissertation's size", table_of(4)),
    ("routing logic `minimal`, 512 switches", {"p": 3, "routing": "minimal"}),
    ("switch core, 9 ports", CORE),
    ("fabric port", PORT),
    ("switch of one line and one host", SWITCH),
    ("SECDED(270,260) decoder", {"block": "secded-decoder", **_270}),
    ("RS(528,514) decoder", {"block": "rs-decoder", **_RS}),
]


def blocks(store, rows, columns=COLUMNS):
    """The table of ``rows``, pairs of a name and a block or its configuration, without columns of zeros."""
    names, entries = zip(*((name, store.of(values)) for name, values in rows))
    cells = {head: [COLUMNS[head](entry) for entry in entries] for head in columns}
    cells = {head: column for head, column in cells.items() if head == "cycles" or set(column) != {"0"}}
    return table(["block", *cells], [[*row] for row in zip(names, *cells.values())])


def against_tables(store):
    """Routing logic beside ternary tables: area and delay at each size."""
    found = {name: {p: store.of(block) for p, block in row.items()} for name, row in curves().items()}
    body = []
    for p in LEVELS:
        cells = [f"{row[p]['area']:,.0f} / {row[p]['delay']:.1f}" for row in found.values()]
        body.append([f"{8 * 4**p:,}", *cells])
    heads = ("universal", "one switch", "table of the dissertation's size", "table with the same routes")
    return table(["switches", *(f"{head}, GE / FO4" for head in heads)], body)


def one_switch(store):
    """Routing logic of one switch of 512, and that of a torus: means over a sample of switches."""
    body = []
    for name, sample in nodes().items():
        entries = [store.of(block) for block in sample]
        area, delay = (statistics.mean(entry[key] for entry in entries) for key in ("area", "delay"))
        body.append([name, f"{len(entries)}", f"{area:,.0f}", f"{delay:.1f}"])
    return table(["logic of one switch of 512", "switches, mean of", "area, GE", "delay, FO4"], body)


def real(store):
    """Delay in cells of OSU 0.18 um."""
    return table(["logic", "delay, ns"], [[name, f"{store.of(block, 'osu018')['delay']:.2f}"] for name, block in REAL.items()])


#: Parts of the core: what the modules are called whose names begin so.
PARTS_OF_CORE = {
    "arrival": "arrival: header check, routing",
    "input_channel": "input channels: buffer control, front register",
    "allocator": "allocation",
    "crossbar_column": "crossbar, with output registers",
}


def parts(store):
    """The area of a switch of 8 x 8 x 8 in parts. The core's rest is buffers for signals with many readers."""
    core, port, route = (store.of(values) for values in (CORE, PORT, ROUTE))
    lines = sum(not one.is_host for one in build(CORE).shape.ports)
    total, rest, found = core["area"] + lines * port["area"], core["area"], []
    for kind, name in PARTS_OF_CORE.items():
        ones = [one for module, one in core["parts"].items() if module.startswith(kind)]
        number, area = sum(one["number"] for one in ones), sum(one["number"] * one["area"] for one in ones)
        rest -= area
        found.append((name, number, area))
        if kind == "arrival":
            found.append(("- of which routing logic", number, number * route["area"]))
    found += [
        ("rest: buffers for signals with many readers", "", rest),
        ("**switch core**", 1, core["area"]),
        ("**fabric ports**", lines, lines * port["area"]),
        ("**switch**", "", total),
    ]
    body = [[name, f"{number}", f"{area:,.0f}", f"{100 * area / total:.1f} %"] for name, number, area in found]
    return table(["part", "number", "all, GE", "share"], body)


def hop(store):
    """A hop in parts."""
    return table(["part of a hop", "cycles", "FO4", "ns, 0.18 um", "dissertation assumes, ns"], Hop(store).rows())


def luts(store):
    """Blocks on an ECP5, not placed."""
    body = []
    for name, values in ON_FPGA.items():
        found = store.of(values)["luts"]
        rams = ", ".join(f"{number:,} {kind}" for kind, number in found["rams"].items()) or "none"
        body.append([name, f"{found['luts']:,}", f"{found['flip_flops']:,}", rams])
    return table(["block", "LUTs", "flip-flops", "RAM"], body)


def layouts(store):
    """Delay without and with wires of every design that is laid out."""
    found, body = load_layouts(store.path.with_name(LAYOUTS.rpartition("/")[2])), []
    for name, (title, _) in DESIGNS.items():
        one = found.of(name)
        bare, wired = (delay(found, name, condition) for condition in ("bare", "wired"))
        numbers = (f"{bare:.3f}", f"{wired:.3f}", f"{one['area']['cells']:,.0f}", f"{one['wire_length'] / 1000:.1f}")
        body.append([title, f"{one['cells']:,}", *numbers])
    return table(["design", "cells", "ns without wires", "ns with wires", "um2 of cells", "wire, mm"], body)


README = {"summary": lambda store: blocks(store, SUMMARY, tuple(COLUMNS)[:3])}

FIGURES = {
    **{name: lambda store, rows=rows: blocks(store, rows) for name, rows in ROWS.items()},
    **{
        "tables": against_tables,
        "one-switch": one_switch,
        "real": real,
        "parts": parts,
        "hop": hop,
        "luts": luts,
        "layouts": layouts,
    },
}
