"""Plots of the recorded curves."""

from dsnswitch.net.files.plotting import new_figure, svg
from dsnswitch.net.simulate.plots import COLOURS

__all__ = ["PICTURES", "latency", "scale", "storage"]

#: Series of :func:`latency`. Up*/down* routes saturate too early to be seen.
SHOWN = ("DSN, base", "DSN, minimal", "3-D torus", "DSN-F", "DSN by table, shortest", "Random by table, shortest")

#: Sizes of the panels of :func:`latency`, and the greatest latency that they show.
PANELS, MOST = (128, 512, 2048), 60


def latency(curves):
    """SVG text: latency against load of every network of the experiment ``sizes``, a panel for each number of switches."""
    colours = dict(zip(SHOWN, COLOURS))
    found = sorted(
        (one for one in curves.of("sizes").values() if one["series"] in SHOWN),
        key=lambda one: SHOWN.index(one["series"]),
    )
    figure, axes = new_figure("", 9.6, 3.9, ncols=len(PANELS), sharey=True)
    for panel, switches in zip(axes.flat, PANELS):
        panel.set_title(f"{switches:,} switches", fontsize=10, loc="left")
        # Saturation loads of neighbouring curves are written below each other.
        marks = []
        for one in (one for one in found if one["switches"] == switches):
            colour = colours[one["series"]]
            points = [point for point in one["points"] if not point["saturated"] and point["mean"] is not None]
            panel.plot(
                [point["load"] for point in points],
                [point["mean"] for point in points],
                "o-",
                color=colour,
                markersize=3,
                linewidth=1.3,
            )
            if one["stable"] is not None:
                panel.axvline(one["stable"], color=colour, linestyle="--", linewidth=1)
                marks.append((one["stable"], colour))
        for row, (stable, colour) in enumerate(sorted(marks)):
            panel.annotate(
                f"{stable:.2f}",
                (stable, 1),
                xycoords=("data", "axes fraction"),
                xytext=(2, -8 - 9 * (row % 3)),
                textcoords="offset points",
                color=colour,
                fontsize=7,
            )
        panel.set_xlim(0, 1.12 * max((stable for stable, _ in marks), default=0.5))
        panel.set_ylim(0, MOST)
        panel.set_xlabel("offered load, flits per host and cycle")
    axes.flat[0].set_ylabel("mean latency, cycles")
    handles = [axes.flat[0].plot([], [], "o-", color=colours[name], markersize=3, label=name)[0] for name in SHOWN]
    handles.append(axes.flat[0].plot([], [], "--", color="#444444", linewidth=1, label="saturation (stable)")[0])
    figure.legend(handles=handles, loc="outside lower center", ncols=7, fontsize=8)
    return svg(figure)


def scale(curves):
    """SVG text: mean latency at low load against the number of switches."""
    figure, axes = new_figure("Mean latency at load 0.02, packets of 4 flits", 6.4, 3.4)
    found = list(curves.of("scale").values()) if "scale" in curves.experiments else []
    for name, colour in zip(dict.fromkeys(one["series"] for one in found), COLOURS):
        some = sorted(
            (one["switches"], one["points"][0]["mean"]) for one in found if one["series"] == name and one["points"]
        )
        axes.plot(*zip(*some), "o-", color=colour, markersize=4, label=name)
        for switches, mean in some[2:]:
            axes.annotate(
                f"{mean:.0f}",
                (switches, mean),
                xytext=(0, 5),
                textcoords="offset points",
                color=colour,
                fontsize=8,
                ha="center",
            )
    axes.set_xlim(0, None)
    axes.set_ylim(0, None)
    axes.margins(y=0.12)
    axes.set_xticks([2048, 8192, 16384, 24576, 32768], ["2,048", "8,192", "16,384", "24,576", "32,768"])
    axes.set_xlabel("switches")
    axes.set_ylabel("latency, cycles")
    if found:
        axes.legend(fontsize=8, loc="upper left")
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
    colours = dict(zip(series, COLOURS))
    for name, axes, price in (
        ("storage", short, lambda one: one["storage"]),
        ("storage-packets", long, lambda one: one["cost"] and sum(one["cost"][key] for key in ("area", "memory_bits"))),
    ):
        found = [one for one in curves.known(name).values() if name in known and one["points"] and price(one)]
        for title in dict.fromkeys(one["series"] for one in found):
            some = sorted((price(one), one["points"][0]["accepted"]) for one in found if one["series"] == title)
            style = {"linestyle": "--", "markerfacecolor": "white"} if title.endswith(AGES) else {}
            axes.plot(*zip(*some), marker="o", markersize=4, color=colours[title.removesuffix(AGES)], **style)
        axes.set_xlim(0, None)
        axes.set_ylim(0, 0.5)
    short.set_title("packets of 4 flits", fontsize=10, loc="left")
    short.set_xlabel("flits of all buffers of a switch")
    short.set_ylabel("accepted load (over)")
    long.set_title("packets of 33 flits", fontsize=10, loc="left")
    long.set_xlabel("GE and bits of RAM of the core, millions")
    long.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g}")
    handles = [short.plot([], [], "o-", color=colours[title], markersize=4, label=title)[0] for title in series]
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=8)
    return svg(figure)


#: ``{path: function}`` of all plots, relative to the repository.
PICTURES = {
    "docs/pictures/latency.svg": latency,
    "docs/pictures/network-scale.svg": scale,
    "docs/pictures/network-storage.svg": storage,
}
