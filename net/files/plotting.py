"""Common parts of all plots: one style, and SVG text without dates or random names."""

import io
import re

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
}


def new_figure(title, width=6.4, height=3.8, **grid):
    """``(figure, axes)`` with ``title`` above the first axes; ``grid`` contains arguments of ``subplots``."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.use("svg")
    matplotlib.rcParams |= _STYLE

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(**grid)
    (axes if not grid else axes.flat[0]).set_title(title, fontsize=10, loc="left")
    return figure, axes


def svg(figure):
    """The figure as SVG text."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return re.sub(r"\s*<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
