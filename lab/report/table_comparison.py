"""Comparison of the algorithm with tables: plots, rows of figures, and a sentence that follows from the figures."""

from dsnswitch.hdl.table.direct import MAX_WORDS
from dsnswitch.lab.figures.measured_set import entries_of
from dsnswitch.net.files.plotting import new_figure, svg

__all__ = ["rows", "sentence", "table_area_plot", "table_delay_plot"]

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


def rows(evidence):
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
