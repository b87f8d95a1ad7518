"""Plots of the recorded curves."""

from dsnswitch.net.files.plotting import SMALL, legend, looks, new_figure, svg
from dsnswitch.sim.network.experiment.plots import LoadRun, draw_curve, mark_saturation, notes

__all__ = ["PICTURES", "latency", "scale", "storage"]

#: Series of :func:`latency`.
SHOWN = ("DSN, base", "DSN, minimal", "3-D torus", "DSN-F", "DSN by table", "Random by table")

#: Sizes of the panels of :func:`latency`, and the greatest latency that they show.
PANELS, MOST = (128, 512, 2048), 60


def latency(curves):
    """SVG text: latency against load of every network of the experiment ``sizes``, a panel for each number of switches."""
    shown = looks(SHOWN)
    found = [one for one in curves.of("sizes").values() if one["series"] in SHOWN]
    figure, axes = new_figure("", 9.6, 4.0, ncols=len(PANELS), sharey=True)
    every = []
    for panel, switches in zip(axes.flat, PANELS):
        panel.set_title(f"{switches:,} switches", fontsize=10, loc="left", pad=8)
        some = {one["series"]: _run(one) for one in found if one["switches"] == switches}
        marks = [(run.stable, shown[name]["color"]) for name, run in some.items() if run.stable is not None]
        panel.set_xlim(0, 1.12 * max((stable for stable, _ in marks), default=0.5))
        panel.set_ylim(0, MOST)
        for name, run in some.items():
            draw_curve(panel, [run], shown[name])
        mark_saturation(panel, marks)
        panel.set_xlabel("offered load, flits per host and cycle")
        every += [[run] for run in some.values()]
    axes.flat[0].set_ylabel("mean latency, cycles")
    legend(figure, shown, notes(every), 4)
    return svg(figure)


def _run(one):
    """The entry of a curve as :func:`draw_curve` draws it."""
    points = [point for point in one["points"] if point["load"] < 1]
    return LoadRun(
        {point["load"]: (point["mean"], point["p99"]) for point in points if not point["saturated"]},
        {point["load"]: point["mean"] for point in points if point["saturated"]},
        one["stable"],
    )


def scale(curves):
    """SVG text: mean latency at low load against the number of switches."""
    figure, axes = new_figure("Mean latency at load 0.02, packets of 4 flits", 6.4, 3.4)
    found = list(curves.of("scale").values()) if "scale" in curves.experiments else []
    for name, look in looks(one["series"] for one in found).items():
        some = sorted((one["switches"], one["points"][0]["mean"]) for one in found if one["series"] == name and one["points"])
        axes.plot(*zip(*some), label=name, **look)
        for switches, mean in some[2:]:
            axes.annotate(
                f"{mean:.0f}",
                (switches, mean),
                xytext=(0, 5),
                textcoords="offset points",
                color=look["color"],
                fontsize=SMALL,
                ha="center",
            )
    axes.set_xlim(0, None)
    axes.set_ylim(0, None)
    axes.margins(y=0.12)
    axes.set_xticks([2048, 8192, 16384, 24576, 32768], ["2,048", "8,192", "16,384", "24,576", "32,768"])
    axes.set_xlabel("switches")
    axes.set_ylabel("latency, cycles")
    if found:
        axes.legend(loc="upper left")
    return svg(figure)


#: End of the name of a series with ages.
AGES = ", ages"


def storage(curves):
    """SVG text: accepted load of full sources against buffers in flits, and for long packets against the cost of the core.

    A series with ages is dashed and has hollow points.
    """
    figure, panels = new_figure("", 9.6, 3.9, ncols=2, sharey=True)
    short, long = panels.flat
    known = [name for name in ("storage", "storage-packets") if name in curves.experiments]
    series = dict.fromkeys(one["series"].removesuffix(AGES) for name in known for one in curves.of(name).values())
    shown = looks(series)
    for name, axes, price in (
        ("storage", short, lambda one: one["storage"]),
        ("storage-packets", long, lambda one: one["cost"] and sum(one["cost"][key] for key in ("area", "memory_bits"))),
    ):
        found = [one for one in curves.known(name).values() if name in known and one["points"] and price(one)]
        for title in dict.fromkeys(one["series"] for one in found):
            some = sorted((price(one), one["points"][0]["accepted"]) for one in found if one["series"] == title)
            style = {"linestyle": "--", "markerfacecolor": "white"} if title.endswith(AGES) else {}
            axes.plot(*zip(*some), **shown[title.removesuffix(AGES)] | style)
        axes.set_xlim(0, None)
        axes.set_ylim(0, 0.5)
    short.set_title("packets of 4 flits", fontsize=10, loc="left")
    short.set_xlabel("flits of all buffers of a switch")
    short.set_ylabel("accepted load (over)")
    long.set_title("packets of 33 flits", fontsize=10, loc="left")
    long.set_xlabel("GE and bits of RAM of the core, millions")
    long.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g}")
    legend(figure, shown, columns=3)
    return svg(figure)


#: ``{path: function}`` of all plots, relative to the repository.
PICTURES = {
    "docs/pictures/latency.svg": latency,
    "docs/pictures/network-scale.svg": scale,
    "docs/pictures/network-storage.svg": storage,
}
