"""The latency budget of a switch hop: the dissertation's assumptions, and the latencies measured here."""

from dataclasses import dataclass
from math import comb

from dsnswitch.gen.config import build
from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.hdl.table.shape import MAX_WORDS
from dsnswitch.lab.codes.secded import flagged_counts
from dsnswitch.lab.figures.hop import BASE, BLOCKS, CODE, CORE, LINE, ROUTE, TABLE, Hop
from dsnswitch.lab.figures.hop import part_rows as rows_of
from dsnswitch.lab.figures.refresh import entries_of
from dsnswitch.lab.synth.libraries import PS_PER_FO4
from dsnswitch.lab.synth.measure import peers
from dsnswitch.lab.synth.passes import GENERIC_MAPS
from dsnswitch.net.files.plotting import new_figure, svg

__all__ = [
    "Stage",
    "stages",
    "secded_rows",
    "hop",
    "switch_rows",
    "table_rows",
    "sentence",
    "table_area_plot",
    "table_delay_plot",
]


@dataclass(frozen=True)
class Stage:
    """One part of a hop.

    Attributes
    ----------
    name : str
    assumed_ns : float or None
        The dissertation's assumption.
    source : str
        Section or table of the dissertation, and the derivation of the number.
    cycles : int or None
        Latency of the block; None for a part that does not exist here.
    clocked_ns : float or None
        The same latency at the report's clock.
    logic_ns : float or None
        Delay of the logic alone in 0.18 um without wires: the longest path from its inputs.
    """

    name: str
    assumed_ns: float | None
    source: str
    cycles: int | None = None
    clocked_ns: float | None = None
    logic_ns: float | None = None


def stages(evidence):
    """Every stage, in the order in which a packet passes them."""

    def measured(name, assumed, source, entry):
        if entry is None:
            return Stage(name, assumed, source)
        cycles = entry["latency_cycles"]
        logic = entry["delay"] * PS_PER_FO4 / 1000
        return Stage(name, assumed, source, cycles, cycles * 1000 / evidence.clock, logic)

    return [
        measured(
            "switch without error correction",
            BASE,
            "D Table 5.1: 60 with the Hamming code, less its 5.4; 40 in Table 6.1; after BlueGene/Q and Anton-2",
            _first(evidence.suite, "switch-core"),
        ),
        measured("fabric port, in each direction", None, "", _first(evidence.suite, "fabric-port")),
        measured(
            "route by a ternary table, N = 512", TABLE, "D 4.1.2 and Table 6.1: 45 against 40 ns", evidence.tables[3]
        ),
        measured("route by DSN logic, N = 512", 0, "D Table 6.1: the table's 5 ns saved", evidence.universal[3]),
        measured("the same, registered", 0, "", _named(evidence.suite, "dsn_route_grid_8x8_k4x2_registered")),
        measured("SECDED(270,260) encoder", None, "", _named(evidence.suite, "secded_encoder_270_260_s1")),
        measured(
            "SECDED(270,260) decoder",
            CODE["secded-270-260"],
            "D 5.3.1: 270 bits at 50 Gb/s",
            _named(evidence.suite, "secded_decoder_270_260_s1"),
        ),
        measured(
            "256b/260b and SECDED(270,260), transmitter", None, "", _named(evidence.suite, "light_link_tx_protected")
        ),
        measured(
            "256b/260b and SECDED(270,260), receiver", None, "", _named(evidence.suite, "light_link_rx_protected")
        ),
        Stage("RS(255,239)", CODE["rs-255-239"], "D 5.3.1: twice 2112 bits at 100 Gb/s"),
        measured("RS(528,514) encoder", None, "", _named(evidence.suite, "rs_encoder_528_514_w16")),
        measured(
            "RS(528,514) decoder, to the first corrected symbol",
            CODE["rs-528-514"],
            "D 5.3.1: twice 5280 bits at 100 Gb/s",
            _named(evidence.suite, "rs_decoder_528_514_w16_u1"),
        ),
        measured("256b/257b and RS(528,514), transmitter", None, "", _named(evidence.suite, "strict_link_tx")),
        measured("256b/257b and RS(528,514), receiver", None, "", _named(evidence.suite, "strict_link_rx")),
    ]


def _first(figures, block):
    """Figures of the first configuration of a block, or None."""
    return next((entry for entry in figures if entry["block"] == block), None)


def _named(figures, name):
    return next((entry for entry in figures if entry["name"] == name), None)


# Comparison of the SECDED codecs with other constructions, all measured by the same scripts.


def secded_rows(evidence):
    """Headings and secded_rows of the table: this project's codecs first, then the baselines; encoders before decoders."""
    heads = ["codec", "best", *(f"script `{name}`" for name in GENERIC_MAPS), "GE", "FO4", "triples flagged"]
    body = []
    for side in ("encoder", "decoder"):
        theirs = [block.name for block in peers() if block.block.endswith(side)]
        names = [f"secded_{side}_270_260", *theirs]
        found = {entry["name"]: entry for entry in evidence.suite + evidence.yardsticks}
        body += [_line(found[name]) for name in names if name in found]
    return heads, body


def _line(entry):
    counts = [entry, *(entry["generic"][name] for name in GENERIC_MAPS)]
    return [
        f"`{entry['name']}`",
        *(f"{count['gates']:,} / {count['levels']}" for count in counts),
        f"{entry['area']:,.0f}",
        f"{entry['period']:.1f}",
        _triples(entry),
    ]


def _triples(entry):
    """Share of errors of three bits that a decoder flags. The decoder of a baseline corrects at every odd syndrome."""
    if entry["block"] == "secded-decoder":
        code = SecdedCode(270, 260)
        return f"{flagged_counts(code)[3] / comb(code.n, 3):.1%}".replace("%", " %")
    return "none" if entry["block"].endswith("decoder") else "-"


# The switch in parts: block diagram and table of areas; the latency of a hop.


def switch_rows(evidence):
    """Rows of the table of a switch's parts; none if its parts are not in the evidence."""
    parts = [_figures(evidence, values) for values in (CORE, LINE, ROUTE)]
    return [] if None in parts else rows_of(*parts)


def hop(evidence):
    """The :class:`Hop`; None if a block of it is not in the evidence."""
    parts = {name: _figures(evidence, values) for name, values in BLOCKS.items()}
    return None if None in parts.values() else Hop(**parts)


def _figures(evidence, values):
    """Figures of the block with the configuration ``values``, or None."""
    name = build(values).name
    return next((entry for entry in (*evidence.suite, *evidence.universal.values()) if entry["name"] == name), None)


# Comparison of the algorithm with tables: plots, rows of figures, and a sentence that follows from the figures.


#: Style of each curve: attribute of the evidence, label, colour, marker.
CURVES = (
    ("universal", "algorithm, universal", "#0b5394", "o"),
    ("specialised", "algorithm, one node's", "#38761d", "s"),
    ("ternary", "ternary table, as many entries as absolute keys need", "#990000", "^"),
    ("flat", "ternary table, an entry a node", "#7f6000", "v"),
    ("direct", "direct table, without its RAM", "#674ea7", "D"),
)


def ram_bits(p):
    """Bits of the RAM of a direct table."""
    return 8 * 4**p * 5


def _curves(axes, evidence, key):
    for name, label, colour, marker in CURVES:
        points = getattr(evidence, name)
        if points and not (name == "direct" and key == "delay"):
            values = [entry[key] for entry in points.values()]
            axes.plot([8 * 4**p for p in points], values, color=colour, marker=marker, label=label)
    nodes = [8 * 4**p for p in evidence.universal]
    axes.set_xscale("log", base=2)
    axes.set_xticks(nodes, [f"{n:,}" for n in nodes], rotation=20)
    axes.set_xlabel("nodes of the network")


def table_area_plot(evidence):
    """Plot of the area against N. RAM bits have a separate, dashed curve."""
    figure, axes = new_figure("Algorithm against tables: area (model cells, no wires)", height=4.4)
    _curves(axes, evidence, "area")
    points = [p for p in evidence.universal if 8 * 4**p <= MAX_WORDS]
    bits = [ram_bits(p) for p in points]
    axes.plot([8 * 4**p for p in points], bits, "--", color="#674ea7", label="RAM of a direct table, in bits")
    axes.set_yscale("log")
    axes.set_ylim(top=3e7)
    axes.set_ylabel("NAND2 equivalents; bits")
    axes.legend(loc="upper left", fontsize=8)
    return svg(figure)


def table_delay_plot(evidence):
    """Plot of the delay from the packet's inputs against N.

    The direct table has no curve, because the access time of a RAM is not modelled.
    """
    figure, axes = new_figure("Algorithm against tables: delay (model cells, no wires)")
    _curves(axes, evidence, "delay")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("FO4, destination to port or action")
    axes.legend(loc="lower right", fontsize=8)
    return svg(figure)


def table_rows(evidence):
    """``(heads, body)``: the table of the plotted figures."""
    heads = [
        "nodes",
        "algorithm, GE",
        "FO4",
        "one node's, GE",
        "FO4",
        "ternary",
        "GE",
        "FO4",
        "flat, GE",
        "FO4",
        "direct, RAM bits",
        "GE besides",
    ]
    body = []
    for p in evidence.universal:
        line = [f"{8 * 4**p:,}"]
        for name in ("universal", "specialised", "ternary", "flat"):
            entry = getattr(evidence, name).get(p)
            if name == "ternary":
                line.append(f"{entries_of(p)} x {2 * p + 3}" if entry else "-")
            line += [f"{entry['area']:.0f}", f"{entry['delay']:.2f}"] if entry else ["-", "-"]
        direct = evidence.direct.get(p)
        line += [f"{ram_bits(p):,}" if 8 * 4**p <= MAX_WORDS else "-", f"{direct['area']:.0f}" if direct else "-"]
        body.append(line)
    return heads, body


def sentence(evidence):
    """The comparison of delay and area with a ternary table, as a sentence."""
    parts = []
    for kind, words in (
        ("universal", "with the address on straps"),
        ("specialised", "with the address as a constant"),
    ):
        ours, theirs = getattr(evidence, kind), evidence.ternary
        both = [p for p in ours if p in theirs]
        ratios = {p: ours[p]["delay"] / theirs[p]["delay"] for p in both}
        faster = [p for p in both if ratios[p] < 1]
        verdict = "is faster at every measured size" if len(faster) == len(both) else "is slower at every measured size"
        if 0 < len(faster) < len(both):
            verdict = f"is faster at N = {', '.join(f'{8 * 4**p:,}' for p in faster)} and not at the others"
        areas = [ours[p]["area"] / theirs[p]["area"] for p in both]
        parts.append(
            f"{words} {verdict} ({min(ratios.values()):.2f} to {max(ratios.values()):.2f} of the table's delay, "
            f"{min(areas):.3f} to {max(areas):.3f} of its area)"
        )
    return f"Compared with a ternary table with the same routes, the algorithm {'; '.join(parts)}."
