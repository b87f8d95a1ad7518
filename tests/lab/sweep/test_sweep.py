"""The command sweep: analytical results, continuation, hashes of inputs, tables."""

import csv
import dataclasses
import io
import json
from concurrent.futures import Future

import numpy as np
import pytest

from dsnswitch.lab.sweep import work
from dsnswitch.lab.sweep.plan import read_plan
from dsnswitch.lab.sweep.run import Sweep, local
from dsnswitch.lab.sweep.store import Store, point_hash
from dsnswitch.lab.sweep.table import INDEX, read_sweep
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.engine import lookup
from dsnswitch.sim.network.engine.points import SimulationError
from dsnswitch.sim.network.experiment.measure import Rules


def files(folder):
    return {path.name: path.read_bytes() for path in (folder / "results").iterdir()}


def test_rings_of_four(run, refuse, ring, tmp_path):
    """A neighbour is one link away: 2 switches of 2 cycles, the link, 4 flits.

    A hot spot takes one flit per cycle of three sources, and its own flits have no obstacle.
    """
    out = tmp_path / "out"
    status, text, err = run("sweep", "run", ring, "--folder", out, "--workers", 0)
    assert (status, err) == (0, "")
    _, (near, far, hot) = read_sweep(out)
    for curve, delay in ((near, 0), (far, 3)):
        assert [point["load"] for point in curve.points] == [0.1, 0.5, 0.9, 1.0]
        for point in curve.points:
            assert point["latency"]["tail"]["mean"] == point["latency"]["tail"]["max"] == 2 * 2 + delay + 3
        assert (curve.about["saturation"]["stable"], curve.about["saturation"]["at_least"]) == (None, 1)
        assert curve.about["saturation"]["over"] > 0.9
    found = hot.about["saturation"]
    assert found["precision"] <= 0.01
    assert found["stable"] == pytest.approx(1 / 3, abs=0.03)
    assert found["over"] == pytest.approx((1 + 1) / 4, abs=0.01)
    assert len(hot.points) > 4
    assert f"{len(files(out))} points, {len(files(out))} of them new" in text
    lines, over = text.splitlines(), near.about["saturation"]["over"]
    assert lines[0].split() == ["curve", "points", "stable", "over"]
    assert lines[1].split() == ["Neighbour,", "link", "delay", "0", "4", ">=", "1.0000", f"{over:.4f}"]
    assert f"{found['stable']:.4f} +-{found['precision']:.4f}" in lines[3]
    # The same as by simulate, which runs the load alone.
    words = ("simulate", "--topology", "torus:4", "--flit", 32, "--depth", 32, "--cycles", 1000)
    words += ("--pattern", "hot-spot:0:0.99", "--load", 0.1)
    assert json.loads(run(*words, "--format", "json")[1])["points"] == [hot.points[0]]
    _tables(run, refuse, out)
    _continues(run, ring, out)


def _tables(run, refuse, out):
    rows = list(csv.DictReader(io.StringIO(run("sweep", "table", out)[1])))
    assert len(rows) == len(files(out))
    row = next(row for row in rows if row["curve"] == "Neighbour, link delay 3" and row["load"] == "0.5")
    assert (row["tail_mean"], row["link_delay"], row["pattern"], row["depth"]) == ("10.0", "3", "neighbour", "32")
    assert (row["routing"], row["stable"], row["saturation_over"][:3]) == ("base", "1", "0.9")
    assert (row["saturation_stable"], row["saturation_is_lower_bound"]) == ("1.0", "1")
    assert {row["saturation_is_lower_bound"] for row in rows if row["curve"] == "Hot spot"} == {"0"}
    assert "A sweep" not in refuse("sweep", "table", out.parent)
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run("sweep", "table", out, "--format", "parquet")[0] == 0
    found = parquet.read_table(out / "sweep.parquet").to_pylist()
    assert [str(row["accepted"]) for row in found] == [row["accepted"] for row in rows]
    assert [row["curve"] for row in found] == [row["curve"] for row in rows]


def _continues(run, ring, out):
    """Only what is missing runs; a changed seed is not found in the store."""
    before, index = files(out), (out / INDEX).read_text()
    again = run("sweep", "run", ring, "--folder", out, "--workers", 0)[1]
    assert f"{len(before)} points, 0 of them new" in again
    for name in list(before)[:3]:
        (out / "results" / name).unlink()
    (out / "results" / list(before)[3]).write_text("{")
    again = run("sweep", "run", ring, "--folder", out, "--workers", 0)[1]
    assert f"{len(before)} points, 4 of them new" in again
    assert files(out) == before
    assert (out / INDEX).read_text() == index
    ring.write_text(ring.read_text().replace("flit =", "seed = 2\nflit ="))
    again = run("sweep", "run", ring, "--folder", out, "--workers", 0)[1]
    _, curves = read_sweep(out)
    count = sum(len(curve.points) for curve in curves)
    assert f"{count} points, {count} of them new" in again
    assert {point["seed"] for curve in curves for point in curve.points} == {2}
    assert len(files(out)) == len(before) + count


def test_an_interrupted_sweep(run, ring, tmp_path, monkeypatch):
    """What was measured before the interruption is stored, listed and counted; while workers end, the clock says so."""
    out, calls, stages = tmp_path / "out", [], []
    monkeypatch.setattr("dsnswitch.lab.cli.sweep.stage", stages.append)

    def stops(*words):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(words)
        return measured(*words)

    measured = work.measured
    monkeypatch.setattr(work, "measured", stops)
    status, text, err = run("sweep", "run", ring, "--folder", out, "--workers", 0)
    kept = files(out)
    assert (status, text) == (130, "")
    number, expected = len(kept), read_plan(ring).expected
    assert f"interrupted: {number} of about {expected} points kept in {out};" in err
    assert stages[-1] == "ending workers"
    assert sum(len(loads) for _, loads, *_ in calls) == len(kept) > 0
    assert sum(len(curve.points) for curve in read_sweep(out)[1]) == len(kept)
    monkeypatch.setattr(work, "measured", measured)
    text = run("sweep", "run", ring, "--folder", out, "--workers", 0)[1]
    assert f"{len(files(out))} points, {len(files(out)) - len(kept)} of them new" in text


def test_a_simulation_that_ends(run, ring, tmp_path, monkeypatch):
    """The other points of its group are stored; it is reported, and measured again next time."""
    rows = work.point_rows

    def some(core, pairs, *words):
        if any(load == 0.5 and one.attributes["delay"] == 3 for one, load in pairs):
            raise SimulationError("Cycle 7: 3 packets wait", 7, 0, None)
        return rows(core, pairs, *words)

    monkeypatch.setattr(work, "point_rows", some)
    status, _, err = run("sweep", "run", ring, "--folder", tmp_path / "out", "--workers", 0)
    assert status == 1
    assert err == "dsnswitch: Neighbour, link delay 3 at load 0.5: the simulation ends: Cycle 7: 3 packets wait\n"
    _, curves = read_sweep(tmp_path / "out")
    assert [len(curve.points) for curve in curves[:2]] == [4, 3]
    assert curves[1].about["errors"] == [{"load": 0.5, "error": "Cycle 7: 3 packets wait"}]
    monkeypatch.undo()


def test_every_input_changes_the_hash(tmp_path):
    text = 'topology = "{}"\npattern = "{}"\nload = 0.2\nseed = {}\ncycles = {}\nlink_delay = {}\n{}\n'
    variants = [
        ("torus:4", "uniform", 1, 1000, 0, ""),
        ("torus:5", "uniform", 1, 1000, 0, ""),
        ("torus:4", "tornado", 1, 1000, 0, ""),
        ("torus:4", "uniform", 2, 1000, 0, ""),
        ("torus:4", "uniform", 1, 2000, 0, ""),
        ("torus:4", "uniform", 1, 1000, 1, ""),
        ("torus:4", "uniform", 1, 1000, 0, 'burst = "10:20"'),
        ("torus:4", "uniform", 1, 1000, 0, 'lengths = "1:1,4:1"'),
        ("torus:4", "uniform", 1, 1000, 0, "depth = 16"),
        ("torus:4", "uniform", 1, 1000, 0, "warm_up = 1000"),
    ]
    curves = []
    for words in variants:
        (tmp_path / "s.toml").write_text(text.format(*words))
        curves += read_plan(tmp_path / "s.toml").curves
    first = curves[0]
    hashes = [point_hash("core", curve, 0.2) for curve in curves]
    hashes += [point_hash("other", first, 0.2), point_hash("core", first, 0.3)]
    assert len(set(hashes)) == len(hashes)
    assert point_hash("core", dataclasses.replace(first, label="x", rules=Rules(cycles=1000)), 0.2) == hashes[0]


def test_the_content_of_a_trace_is_an_input(tmp_path):
    """Two files of one name."""
    found, trace = [], tmp_path / "t.csv"
    (tmp_path / "s.toml").write_text(f'topology = "torus:4"\npattern = "trace:{trace}"\n')
    for cycle in (3, 3, 4):
        trace.write_text(f"cycle,source,destination,flits\n{cycle},0,2,4\n")
        (curve,) = read_plan(tmp_path / "s.toml").curves
        found.append(point_hash("core", curve, 0.0))
        assert isinstance(curve.experiment.attributes["trace"], np.ndarray)
    assert found[0] == found[1] != found[2]


def test_an_exchange_has_a_completion_time(run, tmp_path):
    (tmp_path / "s.toml").write_text('topology = "torus:4"\nflit = 32\npattern = ["all-to-all:4", "exchange:8"]\n')
    status, text, _ = run("sweep", "run", tmp_path / "s.toml", "--folder", tmp_path, "--workers", 0)
    assert status == 0
    rows = list(csv.DictReader(io.StringIO(run("sweep", "table", tmp_path)[1])))
    assert all(int(row["completion"]) > 8 for row in rows)
    lines = text.splitlines()
    assert lines[0].split() == ["curve", "points", "stable", "over", "completion"]
    for row, line in zip(rows, lines[1:]):
        assert line.split()[-4:] == ["-", "-", row["completion"], "cycles"]
    assert "load" not in rows[0]
    assert run("sweep", "plot", tmp_path)[0] == 0
    assert not (tmp_path / "latency.svg").exists()


def test_a_core_that_cannot_be_simulated_is_refused(tmp_path, monkeypatch):
    """An error of the user's request on a worker ends the sweep."""
    (tmp_path / "s.toml").write_text('topology = "torus:4"\nflit = 32\nload = 0.1\n')

    def refuses(*_):
        raise UsageError("no such core")

    monkeypatch.setattr(work, "measured", refuses)
    sweep = Sweep(read_plan(tmp_path / "s.toml"), Store(tmp_path))
    with local(0) as executor, pytest.raises(UsageError, match="no such core"):
        list(sweep.points(executor))


def test_folders_that_are_no_sweep(refuse, tmp_path):
    assert "Index of a sweep" in refuse("sweep", "plot", tmp_path)
    (tmp_path / INDEX).write_text("{}")
    assert "is not one of dsnswitch sweep run" in refuse("sweep", "table", tmp_path)
    head = {"format": "dsnswitch-sweep", "title": "", "curves": [{"label": "a", "points": [{"load": 0.1, "result": "x"}]}]}
    (tmp_path / INDEX).write_text(json.dumps(head))
    assert "lacks results of a; run it again" in refuse("sweep", "table", tmp_path)


def test_missing_packages(refuse, ring, tmp_path, monkeypatch):
    monkeypatch.setattr("dsnswitch.net.extras.find_spec", lambda name: None if name in ("distributed", "pyarrow") else name)
    assert "A sweep with workers needs distributed: " in refuse("sweep", "run", ring)
    head = {"format": "dsnswitch-sweep", "title": "", "curves": []}
    (tmp_path / INDEX).write_text(json.dumps(head))
    message = refuse("sweep", "table", tmp_path, "--format", "parquet")
    assert message.endswith("-m pip install -r requirements/parquet.txt\n")
    words = ("sweep", "run", ring, "--scheduler", "tcp://localhost:1", "--workers", 2)
    assert "Option --workers is for this machine" in refuse(*words)


def test_tables_are_kept_in_the_cache(tmp_path, monkeypatch):
    """A sweep that continues compiles no tables; other failures, and another graph under the same name, have their own."""
    monkeypatch.setenv("DSNSWITCH_CACHE", str(tmp_path / "cache"))
    made, tables_for = [], lookup.tables_for
    monkeypatch.setattr(lookup, "tables_for", lambda *words, **more: made.append(words) or tables_for(*words, **more))
    file, graph = tmp_path / "s.toml", tmp_path / "g.edges"
    text = f'topology = "graph:{graph}"\nlookup = "table"\nload = 0.1\nseed = [1, 2]\n'

    def hashes(links, more=""):
        graph.write_text(links)
        file.write_text(text + more)
        return [point_hash("core", curve, 0.1) for curve in read_plan(file).curves]

    first = hashes("0 1\n1 2\n2 3\n3 0\n")
    assert (len(set(first)), len(made)) == (2, 1)
    assert hashes("0 1\n1 2\n2 3\n3 0\n") == first
    assert len(made) == 1
    found = first + hashes("0 1\n1 2\n2 3\n3 0\n0 2\n") + hashes("0 1\n1 2\n2 3\n3 0\n", 'fail = "0:1"\n')
    assert (len(set(found)), len(made)) == (6, 3)


class Idle:
    """An executor that measures nothing: every task ends with an error."""

    workers = 1

    def __init__(self):
        self.groups = []

    def share(self, value):
        return value

    def submit(self, task, *words):
        found = Future()
        if task is work.prepared:
            found.set_result(str(words[0]))
        else:
            self.groups.append(words)
            found.set_result(["not measured"] * len(words[1]))
        return found


def test_points_of_one_core_one_network_and_one_length_share_an_engine(tmp_path):
    text = 'max_p = 2\nsupernode = "k4x2"\nload = [0.1, 0.2]\nseed = [1, 2]\np = [1, 2]\ncycles = [1000, 2000]\n'
    (tmp_path / "s.toml").write_text(text + 'pattern = "uniform"\n[[series]]\nname = "a"\n[[series]]\nname = "b"\ndepth = 16\n')
    sweep, executor = Sweep(read_plan(tmp_path / "s.toml"), Store(tmp_path)), Idle()
    assert len(list(sweep.points(executor))) == 32
    assert sorted(len(loads) for _, loads, *_ in executor.groups) == [4] * 8
    for experiments, *_ in executor.groups:
        assert len({one.network.spelling for one in experiments}) == len({str(one.core) for one in experiments}) == 1
    assert len({str(one.core) for experiments, *_ in executor.groups for one in experiments}) == 2
    assert {len(state.errors) for state in sweep.states} == {2}
