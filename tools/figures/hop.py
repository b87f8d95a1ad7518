"""The latency and the area of a hop in parts, compared with the dissertation's assumptions, and quotients of figures."""

import statistics

from dsnswitch.gen.config import build
from dsnswitch.lab.synth.library import PS_PER_FO4
from tools.figures.refresh import nodes

#: Clock in MHz at which RS(528,514) with 16 symbols of 10 bits per cycle carries 103.125 Gb/s.
CLOCK = 644.53125

#: Latency in ns that the dissertation assumes for a code: 270 bits at 50 Gb/s; twice 2112 and 5280 bits at 100 Gb/s (D 5.3.1).
CODE = {"secded-270-260": 5.4, "rs-255-239": 42.24, "rs-528-514": 105.6}

#: Switch latency with a code (Tables 5.1 and 6.1), without a table for the routes.
HOP = {"secded-270-260": 60, "rs-255-239": 100, "rs-528-514": 160}

#: Latency that a routing table adds (Table 6.1: 45 against 40, and 65 against 60).
TABLE = 5

#: Switch latency of the Hamming code without the code.
BASE = round(HOP["secded-270-260"] - CODE["secded-270-260"], 2)


# The area of a switch in parts: core, with its own parts, and fabric ports.

_NETWORK = {"p": 3}
#: Configurations: the core of a switch of 8 x 8 x 8, one of its fabric ports, its routing logic, and a switch of two ports
#: (one line, one host) that is measured as a whole.
CORE = {"block": "switch-core", **_NETWORK}
LINE = {"block": "fabric-port", **_NETWORK, "port": "x_forward"}
ROUTE = _NETWORK
PAIR = {"block": "switch", "topology": "torus:2", "apb": False}

#: What the modules are called whose names begin so.
NAMES = {
    "arrival": "arrival: header check, routing",
    "input_channel": "input channels: buffer control, front register",
    "allocator": "allocation",
    "crossbar_column": "crossbar, with output registers",
}

part_heads = ("part", "number", "one, GE", "all, GE", "share")


def part_rows(core, line, route):
    """Rows of the table, from the figures of :data:`CORE`, :data:`LINE` and :data:`ROUTE`.

    Modules of one kind are together. The core's own area is that of the whole netlist: buffers for signals with many readers
    are its rest.
    """
    shape = build(CORE).shape
    lines = sum(not port.is_host for port in shape.ports)
    total = core["area"] + lines * line["area"]
    found, sum_of_parts = [], 0
    for kind, name in NAMES.items():
        ones = [one for module, one in core["parts"].items() if module.startswith(kind)]
        number, area = sum(one["number"] for one in ones), sum(one["number"] * one["area"] for one in ones)
        sum_of_parts += area
        found.append(_row(name, number, area, total))
        if kind == "arrival":
            found.append(_row("- of which routing logic", number, number * route["area"], total))
    rest = core["area"] - sum_of_parts
    return [
        *found,
        _row("rest: buffers for signals with many readers", None, rest, total),
        _row("**switch core**", 1, core["area"], total),
        _row("**fabric ports**", lines, lines * line["area"], total),
        _row("**switch**", None, total, total),
    ]


def _row(name, number, area, total):
    one = "" if number in (None, 1) else f"{area / number:,.0f}"
    return [name, "" if number is None else str(number), one, f"{area:,.0f}", f"{area / total:.1%}"]


_CODE, _HOP = (latencies["secded-270-260"] for latencies in (CODE, HOP))

hop_heads = ("part of a hop", "cycles", "FO4", "ns, 0.18 um", "dissertation assumes, ns")


class Hop:
    """A hop from codeword in to codeword out, with the figures of its parts in ``store``."""

    def __init__(self, store):
        decoder = {"block": "secded-decoder", "n": 270, "k": 260}
        parts = (CORE, LINE, PAIR, ROUTE, decoder)
        self.core, self.port, self.pair, self.route, self.decoder = map(store.of, parts)

    @property
    def cycles(self):
        """Latency in cycles."""
        return self.pair["latency_cycles"]

    @property
    def period(self):
        """Shortest period of the clock in FO4."""
        return max(entry["period"] for entry in (self.core, self.port, self.pair))

    def sentences(self, clock):
        """The latency, its period and its time at ``clock`` (MHz) as text."""
        core, port, pair = (f"{entry['period']:.1f}" for entry in (self.core, self.port, self.pair))
        return (
            f"**A hop takes {self.cycles} cycles** in an empty network, error correction included. The clock period is "
            f"{self.period:.1f} FO4, the longest period of three netlists: the core ({core}), a fabric port ({port}), and a "
            f"whole switch with one line and one host ({pair}). The SECDED decoder alone takes {self.decoder['delay']:.1f} FO4; "
            "its verdict comes in the cycle in which the core routes the packet. A packet whose first codeword has a wrong bit "
            "takes one cycle more. "
            f"At {clock:.1f} MHz, {self.cycles} cycles are {1000 * self.cycles / clock:.1f} ns. These figures exclude wires and "
            "SerDes. The dissertation estimates a base delay of 40 to 60 ns from chips (45.3 ns on BlueGene/Q, 40.1 ns on "
            f"Anton-2) and adds the latency of the code: its hop takes {_HOP} ns with the Hamming code, {_HOP + TABLE} "
            f"with a routing table as well, and {HOP['rs-528-514']} with RS(528,514) (Tables 5.1 and 6.1)."
        )

    def rows(self):
        """Rows of the table with the headings :data:`hop_heads`."""
        ends = self.cycles - self.core["latency_cycles"]
        code = f"{self.decoder['delay']:.1f} of the core's first cycle"
        within = f"{self.route['delay']:.1f} of the same cycle"
        return [
            ["error correction: while the core routes", "0", code, "0", f"{_CODE} (Hamming code)"],
            ["routing: in the core's first cycle", "0", within, "0", f"0, or {TABLE} with a routing table"],
            self._row("switching: the core", self.core["latency_cycles"], f"about {BASE}"),
            self._row("encoding: flit to line", ends, f"in the {_CODE}"),
            self._row(
                "**hop, codeword in to codeword out**", self.cycles, f"{_HOP}, or {_HOP + TABLE} with a routing table"
            ),
        ]

    def _row(self, name, cycles, expected):
        fo4 = cycles * self.period
        return [name, str(cycles), f"{fo4:.0f}", f"{fo4 * PS_PER_FO4 / 1000:.1f}", expected]


def of_nodes(store):
    """Number of sampled nodes, and mean figures of their specialised DSN logic and of the torus logic at the same nodes."""
    found = {kind: [store.of(block) for block in blocks] for kind, blocks in nodes().items()}
    means = (
        {key: statistics.mean(entry[key] for entry in found[kind]) for key in ("delay", "area")}
        for kind in ("nodes", "places")
    )
    return len(found["nodes"]), *means


def ratio(ours, theirs, key="delay"):
    """Quotient of one figure of two blocks, as text with two decimals."""
    return f"{ours[key] / theirs[key]:.2f}"


def ratios(ours, theirs):
    """Quotients of delay and area of two blocks, as text."""
    return f"{ratio(ours, theirs)} times the delay and {ratio(ours, theirs, 'area')} times the area"
