"""Plots the sizes of tables (:mod:`sizes`)."""

from dsnswitch.net.files.plotting import new_figure, svg

__all__ = ["size_plot"]

#: Style of each curve: key of the rows, label, colour, marker.
CURVES = (
    ("flat", "flat, or words of a direct table", "#444444", "D"),
    ("absolute", "absolute, expanded (worst node)", "#e69138", "v"),
    ("absolute_fewest", "absolute, fewest (mean)", "#990000", "^"),
    ("relative_fewest", "relative, fewest", "#0b5394", "s"),
    ("folded_fewest", "folded, fewest", "#38761d", "o"),
    ("paper", "m + log X + log Y (D 4.5.2)", "#000000", ""),
)


def size_plot(rows):
    """Plot of the number of entries against the number of nodes."""
    figure, axes = new_figure("Entries of a switch's table, grid DSN of k4x2")
    nodes = [row["nodes"] for row in rows]
    for key, label, colour, marker in CURVES:
        style = "--" if key == "paper" else "-"
        axes.plot(nodes, [row[key] for row in rows], style, color=colour, marker=marker, label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks(nodes, [f"{n:,}" for n in nodes], rotation=30)
    axes.set_xlabel("nodes of the network")
    axes.set_ylabel("entries")
    axes.legend(loc="upper left", fontsize=8)
    return svg(figure)
