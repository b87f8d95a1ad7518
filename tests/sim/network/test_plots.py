"""Plots of latency against load: what is one curve, its label, and what is drawn of it."""

import copy
import re

import pytest

from dsnswitch.net.files.plotting import COLOURS, looks, new_figure
from dsnswitch.sim.network.experiment.plots import LoadRun, draw_curve, grouped, load_plot, run_of

RULES = {"cycles": 1000}


def point(load, mean, saturated=False, seed=1):
    return {
        "load": load,
        "seed": seed,
        "saturated": saturated,
        "latency": {"queued_tail": {"mean": mean, "p99": None if mean is None else 2 * mean}},
    }


def result(*points, failed=(), tried=None, **parameters):
    found = {
        "network": {"topology": "torus:4x4"},
        "core": {"routing": "base", "block": "switch-core", "parameters": {"depth": 8} | parameters},
        "traffic": {"pattern": "uniform", "failed": list(failed), "failed_links": [{}] * 3 * len(failed)},
        "rules": RULES,
        "points": list(points),
    }
    return found | ({"saturation": {"stable": 0.25, "tried": tried}} if tried else {})


def test_points_of_a_run():
    """Loads that the search for the saturation tried are points, up to the first saturated one or the last that was asked for.

    Load 1, which only measures the throughput, is none.
    """
    tried = [
        {"load": load, "latency": mean, "stable": mean < 40, "accepted": load}
        for load, mean in ((0.5, 900.0), (0.2, 21.0), (0.3, 70.0))
    ]
    run = run_of(result(point(0.1, 12.0), point(0.2, 20.0), point(1.0, None, True), tried=tried))
    assert run == LoadRun({0.1: (12.0, 24.0), 0.2: (20.0, 40.0)}, {0.3: 70.0}, 0.25)
    assert run_of(result(point(0.5, None, True), tried=tried)).above == {0.3: 70.0, 0.5: None}
    # Without a search, load 1 was asked for.
    assert run_of(result(point(1.0, None, True))).above == {1.0: None}


def test_what_is_one_curve():
    """Results of other seeds and loads belong to a curve; everything else makes another one and stands in its label."""
    one, other = result(point(0.1, 12.0)), result(point(0.1, 13.0, seed=2))
    more, failed = result(point(0.2, 20.0)), result(point(0.1, 14.0), failed=["5%"])
    found = grouped([one, other, more, failed])
    assert list(found) == ["torus:4x4, routing base", "torus:4x4, routing base, 3 failed links"]
    assert [sorted(run.below) for run in found["torus:4x4, routing base"]] == [[0.1, 0.2], [0.1]]
    assert list(grouped([one, result(point(0.1, 12.0), depth=16)])) == [
        "torus:4x4, routing base, depth 8",
        "torus:4x4, routing base, depth 16",
    ]
    pattern = copy.deepcopy(one)
    pattern["traffic"]["pattern"] = "tornado"
    assert list(grouped([failed, result(point(0.1, 1.0), failed=["5%:2"]), pattern])) == [
        "torus:4x4, routing base, 3 failed links, failed 5%",
        "torus:4x4, routing base, 3 failed links, failed 5%:2",
        "torus:4x4, routing base",
    ]


def test_what_is_drawn_of_a_curve():
    pytest.importorskip("matplotlib")
    _, axes = new_figure("")
    axes.set_xlim(0, 0.5)
    axes.set_ylim(0, 50)
    runs = [
        LoadRun({0.1: (10, 1), 0.2: (20, 1), 0.25: (30, 1)}, {0.3: 40.0, 0.4: 900.0, 0.6: 999.0}, 0.25),
        LoadRun({0.1: (14, 1), 0.2: (30, 1)}, {0.3: None, 0.4: 800.0}, 0.35),
    ]
    draw_curve(axes, runs, looks(["a"])["a"])
    mean, single, saturated, stable = axes.lines
    assert list(zip(*mean.get_data())) == [(0.1, 12), (0.2, 25)]
    assert list(zip(*single.get_data())) == [(0.25, 30)]
    assert single.get_linestyle() == "None"
    # Greater latencies are at the upper edge, and greater loads are outside.
    assert list(zip(*saturated.get_data())) == [(0.3, 40), (0.4, 50)]
    assert (saturated.get_marker(), saturated.get_markerfacecolor()) == ("o", "white")
    assert list(stable.get_xdata()) == [pytest.approx(0.3)] * 2
    band = {tuple(map(float, row)) for row in axes.collections[0].get_paths()[0].vertices}
    assert {(0.1, 10), (0.1, 14), (0.2, 20), (0.2, 30)} <= band


def test_legend_names_what_is_there():
    """The picture of one curve names the 99th percentile; open circles, saturation and spread only where they are."""
    pytest.importorskip("matplotlib")

    def texts(curves):
        return set(re.findall(">([^<]+)</text>", load_plot("Plot", curves)))

    plain = LoadRun({0.1: (10, 20), 0.2: (12, 30)})
    words = {"saturated", "saturation (stable)", "least to greatest of all seeds", "99th percentile"}
    assert texts({"A": [plain]}) & words == {"99th percentile"}
    full = LoadRun({0.1: (10, 20)}, {0.3: None}, 0.2)
    assert texts({"A": [full]}) & words == words - {"least to greatest of all seeds"}
    assert {"A, 2 seeds", "0.20"} <= texts({"A": [full, full]})
    assert texts({"A": [full, full]}) & words == words - {"99th percentile"}
    # A plot of nothing but saturated loads has its circles, too.
    assert "saturated" in texts({"A": [LoadRun({}, {0.5: None})]})


def test_looks_differ():
    found = looks([f"curve {number}" for number in range(100)])
    assert len({(look["color"], look["marker"]) for look in found.values()}) == 100
    assert [look["color"] for look in found.values()][: len(COLOURS)] == list(COLOURS)
