"""Plot of the figures of :mod:`measure`, compared with D Fig. 4.10."""

from dsnswitch.net.analysis.faults.measure import PAPER
from dsnswitch.net.files.plotting import new_figure, svg

__all__ = ["fault_plot"]


def fault_plot(title, rows):
    """Plot of the share of delivered pairs and of the growth of the average path against the share of failed links."""
    figure, grid = new_figure(title, 8.4, 3.6, ncols=2)
    share, growth = grid.flat
    rates = [100 * row.rate for row in rows]
    share.plot(rates, [100 * row.delivered for row in rows], color="#0b5394", marker="o", label="detours deliver")
    share.plot(rates, [100 * row.connected for row in rows], "--", color="#444444", label="pairs with a path")
    share.set_ylabel("pairs, %")
    growth.plot(rates, [100 * row.growth for row in rows], color="#0b5394", marker="o", label="detours")
    growth.plot(rates, [100 * row.shortest_growth for row in rows], "--", color="#444444", label="shortest paths")
    for column, (label, colour) in enumerate((("XY/YX, D Fig. 4.10", "#990000"), ("shortest, D Fig. 4.10", "#e69138"))):
        growth.scatter(
            [100 * rate for rate in PAPER],
            [100 * pair[column] for pair in PAPER.values()],
            c=colour,
            marker="s",
            label=label,
        )
    growth.set_ylabel("growth of the average path, %")
    for axes in (share, growth):
        axes.set_xlabel("failed links, %")
        axes.legend(fontsize=8)
    return svg(figure)
