"""Plot of latency against load: one style for every command that draws it."""

import json
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from dsnswitch.net.files.plotting import GREY, SMALL, legend, looks, new_figure, sample, svg

__all__ = ["LoadRun", "draw_curve", "failed_links", "grouped", "load_plot", "mark_saturation", "notes", "run_of"]

#: Curves up to which a plot has 99th percentiles and the figures of saturation.
FEW = 4

#: Multiple of the latency at the least load at which the plot ends.
STEEP = 10

#: Look of a load above saturation.
OPEN = {"linestyle": "none", "marker": "o", "markersize": 5, "markerfacecolor": "white", "markeredgewidth": 1.2}


@dataclass
class LoadRun:
    """One curve of one seed; latencies are those of the tail, with source queue."""

    #: ``{load: (mean, 99th percentile)}`` at the loads below saturation.
    below: dict = field(default_factory=dict)
    #: ``{load: mean}`` at saturated loads; None without packets.
    above: dict = field(default_factory=dict)
    #: The stable saturation load.
    stable: float | None = None


def run_of(*results) -> Any:
    """The :class:`LoadRun` of results of :mod:`results` that differ in their loads only, with the loads tried for saturation."""
    run = LoadRun()
    for result in results:
        found = result.get("saturation") or {}
        run.stable = found.get("stable") if run.stable is None else run.stable
        tried = sorted(found.get("tried", ()), key=lambda one: one["load"])
        first = next((one["load"] for one in tried if not one["stable"]), 0)
        last = max([first, *(point["load"] for point in result["points"] if point["load"] < 1)])
        for one in tried:
            if one["stable"]:
                run.below.setdefault(one["load"], (one["latency"], None))
            # The search begins with loads up to 1, which would stretch the axis.
            elif one["load"] <= last:
                run.above.setdefault(one["load"], one["latency"])
        for point in result["points"]:
            latency = point["latency"]["queued_tail"]
            if not point["saturated"]:
                run.below[point["load"]] = latency["mean"], latency["p99"]
            # A search also measures load 1, for what saturated sources get through.
            elif point["load"] < 1 or not found:
                run.above[point["load"]] = latency["mean"]
    return run


def grouped(results: list[dict]) -> dict[str, list]:
    """``{label: [LoadRun]}``: results that differ in the seed or in their loads only are one curve.

    A label has topology, routing, the number of failed links and, among results with the same ones, what else they differ in.
    """
    alike = {}
    for result in results:
        alike.setdefault(json.dumps(_facts(result), sort_keys=True), []).append(result)
    names = {key: _name(some[0]) for key, some in alike.items()}
    curves = {}
    for key, some in alike.items():
        same = [_facts(alike[other][0]) for other, name in names.items() if name == names[key]]
        differ = [fact for fact in same[0] if any(one.get(fact) != same[0][fact] for one in same)]
        by_seed = {}
        for result in some:
            by_seed.setdefault(result["points"][0]["seed"], []).append(result)
        mine = _facts(some[0])
        label = ", ".join([names[key], *(f"{fact.replace('_', ' ')} {_spelt(mine[fact])}" for fact in differ)])
        curves[label] = [run_of(*ones) for ones in by_seed.values()]
    return curves


def _facts(result):
    """Everything that a curve depends on but its loads and its seed."""
    traffic = {key: value for key, value in result["traffic"].items() if key != "failed_links"}
    about = {"topology": result["network"]["topology"], "routing": result["core"]["routing"], "block": result["core"]["block"]}
    return about | result["core"]["parameters"] | traffic | result["rules"]


def _name(result):
    name = f"{result['network']['topology']}, routing {result['core']['routing']}"
    return name + failed_links(result["traffic"])


def failed_links(traffic: dict[str, Any]) -> str:
    """What a label says of the failed links of a result: nothing if there are none."""
    number = len(traffic["failed_links"])
    return f", {number} failed link{'s' * (number > 1)}" if number else ""


def _spelt(value):
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def draw_curve(axes, runs, look) -> None:
    """Draw the runs of one curve: the mean of all seeds with a line, and its spread as a band. The axes have their limits.

    A load at which any seed is saturated is an open circle, at the upper edge if its latency is greater. Loads that only some
    seeds have, by a division of their own, are small marks without a line.
    """
    right, top = axes.get_xlim()[1], axes.get_ylim()[1]
    colour = look["color"]
    below = sorted({load for run in runs for load in run.below})
    above = sorted({load for run in runs for load in run.above})
    common = [load for load in below if all(load in run.below and run.below[load][0] is not None for run in runs)]
    every = [[run.below[load][0] for run in runs] for load in common]
    axes.plot(common, list(map(mean, every)), linestyle="-", **look)
    if len(runs) > 1:
        axes.fill_between(common, list(map(min, every)), list(map(max, every)), color=colour, alpha=0.2, linewidth=0)
        single = [(load, run.below[load][0]) for run in runs for load in run.below if load not in common]
        single = [(load, value) for load, value in single if value is not None]
        axes.plot(*zip(*single), linestyle="none", **look | {"markersize": 2}) if single else None
    at = [(load, [run.above[load] for run in runs if run.above.get(load) is not None]) for load in above]
    spots = [(load, min(mean(values), top) if values else top) for load, values in at if load <= right]
    if spots:
        axes.plot(*zip(*spots), **OPEN, color=colour, clip_on=False, zorder=3)
    found = [run.stable for run in runs if run.stable is not None]
    if found:
        axes.axvline(mean(found), color=colour, linestyle="--", linewidth=1)
    if len(found) > 1 and max(found) > min(found):
        axes.axvspan(min(found), max(found), color=colour, alpha=0.12, linewidth=0)


def mark_saturation(axes, marks) -> None:
    """Write the ``(stable saturation, colour)`` of curves at the lower edge, those of neighbours above each other."""
    for row, (stable, colour) in enumerate(sorted(marks)):
        axes.annotate(
            f"{stable:.2f}",
            (stable, 0),
            xycoords=("data", "axes fraction"),
            xytext=(2, 3 + 9 * (row % 3)),
            textcoords="offset points",
            color=colour,
            fontsize=SMALL - 1,
        )


def notes(curves, tails=False) -> list:
    """Samples for the legend of what the ``[[LoadRun]]`` contain."""
    from matplotlib.patches import Patch

    runs = [run for some in curves for run in some]
    found = []
    if tails:
        found.append(sample("99th percentile", linestyle=":", color=GREY))
    if any(run.above for run in runs):
        found.append(sample("saturated", **OPEN, color=GREY))
    if any(run.stable is not None for run in runs):
        found.append(sample("saturation (stable)", linestyle="--", linewidth=1, color=GREY))
    if any(len(some) > 1 for some in curves):
        found.append(Patch(color=GREY, alpha=0.2, linewidth=0, label="least to greatest of all seeds"))
    return found


def load_plot(title: str, curves: dict[str, list[LoadRun]]) -> str:
    """SVG text with the mean of the latency (tail, with source queue) against the offered load.

    ``curves`` have a run for each seed. Up to :data:`FEW` curves have the 99th percentiles and the figures of saturation, too.
    """
    few = len(curves) <= FEW
    curves = {label + (f", {len(runs)} seeds" if len(runs) > 1 else ""): runs for label, runs in curves.items()}
    figure, axes = new_figure(title, 8.8, 4.2)
    found = looks(curves)
    runs = [run for some in curves.values() for run in some]
    means = [value for run in runs for value, _ in run.below.values() if value is not None]
    first = [next(iter(sorted(run.below.items())))[1][0] or 0 for run in runs if run.below]
    top = max(min(2 * max(means, default=0), STEEP * max(first, default=0)), 10)
    stable = [
        (mean(ones), found[label]["color"])
        for label, some in curves.items()
        if (ones := [run.stable for run in some if run.stable is not None])
    ]
    loads = [load for run in runs for load in (*run.below, *run.above)]
    axes.set_xlim(0, 1.08 * max([0.01, *loads, *(at for at, _ in stable)]))
    axes.set_ylim(0, top)
    for label, some in curves.items():
        draw_curve(axes, some, found[label])
        tails = sorted((load, tail) for load, (_, tail) in some[0].below.items() if tail is not None)
        if few and len(some) == 1 and tails:
            axes.plot(*zip(*tails), ":", color=found[label]["color"], linewidth=1.2)
    if few:
        mark_saturation(axes, stable)
    axes.set_xlabel("offered load, flits per host and cycle")
    axes.set_ylabel("latency, cycles")
    shown = any(len(some) == 1 for some in curves.values())
    legend(figure, found, notes(curves.values(), few and shown))
    return svg(figure)
