"""Plot of latency against load."""

from dsnswitch.net.files.plotting import new_figure, svg

__all__ = ["load_plot"]

#: Colours of the curves, in their order.
COLOURS = ("#0b5394", "#990000", "#38761d", "#e69138", "#674ea7", "#444444")


def load_plot(title, curves):
    """SVG text with the mean and the 99th percentile of the latency (tail, with source queue) against the offered load.

    Parameters
    ----------
    title : str
    curves : dict
        ``{label: result}`` of :mod:`results`. Saturated points are left out; the stable saturation load is a vertical line, if
        the result has it.
    """
    figure, axes = new_figure(title, 6.4, 3.8)
    top = 0
    for (label, result), colour in zip(curves.items(), COLOURS * len(curves)):
        points = sorted(
            (point for point in result["points"] if not point["saturated"]), key=lambda point: point["load"]
        )
        loads = [point["load"] for point in points]
        for key, style, name in (("mean", "o-", label), ("p99", ":", None)):
            values = [point["latency"]["queued_tail"][key] for point in points]
            axes.plot(loads, values, style, color=colour, markersize=3, label=name)
            top = max([top, *values]) if key == "mean" else top
        if result.get("saturation"):
            stable = result["saturation"]["stable"]
            axes.axvline(stable, color=colour, linestyle="--", linewidth=1)
            axes.annotate(
                f"{stable:.2f}",
                (stable, 1),
                xycoords=("data", "axes fraction"),
                xytext=(2, -8),
                textcoords="offset points",
                color=colour,
                fontsize=8,
            )
    axes.plot([], [], ":", color="#444444", label="99th percentile")
    axes.plot([], [], "--", linewidth=1, color="#444444", label="saturation (stable)")
    axes.set_xlim(0, 1.08 * max(axes.get_xlim()[1], 0.01))
    axes.set_ylim(0, max(2 * top, 10))
    axes.set_xlabel("offered load, flits per host and cycle")
    axes.set_ylabel("latency, cycles")
    axes.legend(fontsize=8, loc="upper left")
    return svg(figure)
