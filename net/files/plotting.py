"""Common parts of all plots: one style, looks of curves, legends, and SVG text without dates or random names."""

import io
import re

#: Colours of plots, and those of curves in their order. Everything else is grey.
BLUE, RED, GREEN, ORANGE, PURPLE, GREY = "#0b5394", "#990000", "#38761d", "#e69138", "#674ea7", "#444444"
COLOURS = (BLUE, RED, GREEN, ORANGE, PURPLE, GREY, "#0e7490", "#be185d", "#854d0e", "#65a30d")

#: Marks of curves in their order.
MARKS = "osD^vP*Xh<"

#: Size of the letters of legends and of notes in a plot.
SMALL = 8

_STYLE = {
    "svg.hashsalt": "dsnswitch",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "legend.fontsize": SMALL,
}


def new_figure(title, width=6.4, height=3.8, **grid):
    """``(figure, axes)`` with ``title`` above the first axes; ``grid`` contains arguments of ``subplots``."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.use("svg")
    matplotlib.rcParams |= _STYLE

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(**grid)
    (axes if not grid else axes.flat[0]).set_title(title, fontsize=10, loc="left", pad=8)
    return figure, axes


def looks(names):
    """``{name: arguments of plot}``: colour, mark and width of each curve; up to 100 names all differ."""
    found, size = {}, len(COLOURS)
    for place, name in enumerate(dict.fromkeys(names)):
        # After all colours, each comes again with another mark.
        mark = MARKS[(place + place // size) % len(MARKS)]
        found[name] = {"color": COLOURS[place % size], "marker": mark, "markersize": 4, "linewidth": 1.2}
    return found


def sample(label, **look):
    """A line of a legend, which is in no plot."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **look)


def legend(figure, found, more=(), columns=0):
    """Legend of the ``{name: look}`` of :func:`looks` and the samples ``more``: at the right, or with columns below the plots."""
    handles = [*(sample(name, **look) for name, look in found.items()), *more]
    place = {"loc": "outside lower center", "ncols": columns} if columns else {"loc": "outside right upper"}
    if handles:
        figure.legend(handles=handles, **place)


def svg(figure):
    """The figure as SVG text."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return re.sub(r"\s*<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
