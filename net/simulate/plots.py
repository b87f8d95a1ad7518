"""Plot of latency against load."""

from dsnswitch.net.files.plotting import new_figure, svg

__all__ = ["load_plot"]

#: Colours of the curves, in their order.
COLOURS = ("#0b5394", "#990000", "#38761d", "#e69138", "#674ea7", "#444444", "#0e7490", "#be185d", "#854d0e", "#65a30d")

#: Curves up to which a plot has 99th percentiles and the figures of saturation.
FEW = 4

#: Multiple of the latency at the least load at which the plot ends.
STEEP = 10


def load_plot(title, curves):
    """SVG text with the mean of the latency (tail, with source queue) against the offered load.

    With up to :data:`FEW` curves, it also has the 99th percentiles.

    Parameters
    ----------
    title : str
    curves : dict
        ``{label: result}`` of :mod:`results`. Saturated points are left out; the stable saturation load is a vertical line, if
        the result has it.
    """
    many = len(curves) > FEW
    figure, axes = new_figure(title, 8.8 if many else 6.4, 4.6 if many else 3.8)
    top, first = 0, 0
    for (label, result), colour in zip(curves.items(), COLOURS * len(curves)):
        points = sorted(
            (point for point in result["points"] if not point["saturated"]), key=lambda point: point["load"]
        )
        loads = [point["load"] for point in points]
        for key, style, name in (("mean", "o-", label), *([] if many else [("p99", ":", None)])):
            values = [point["latency"]["queued_tail"][key] for point in points]
            axes.plot(loads, values, style, color=colour, markersize=3, label=name)
            if key == "mean":
                top, first = max([top, *values]), max([first, *values[:1]])
        if result.get("saturation"):
            stable = result["saturation"]["stable"]
            axes.axvline(stable, color=colour, linestyle="--", linewidth=1)
            if not many:
                axes.annotate(
                    f"{stable:.2f}",
                    (stable, 1),
                    xycoords=("data", "axes fraction"),
                    xytext=(2, -8),
                    textcoords="offset points",
                    color=colour,
                    fontsize=8,
                )
    if not many:
        axes.plot([], [], ":", color="#444444", label="99th percentile")
    axes.plot([], [], "--", linewidth=1, color="#444444", label="saturation (stable)")
    axes.set_xlim(0, 1.08 * max(axes.get_xlim()[1], 0.01))
    axes.set_ylim(0, max(min(2 * top, STEEP * first), 10))
    axes.set_xlabel("offered load, flits per host and cycle")
    axes.set_ylabel("latency, cycles")
    if many:
        figure.legend(fontsize=8, loc="outside right upper")
    else:
        axes.legend(fontsize=8, loc="upper left")
    return svg(figure)
