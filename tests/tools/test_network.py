"""Curves of networks: inputs of experiments, the identity at zero load, the recorded file, the command."""

import copy
import json
import tomllib
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from dsnswitch.lab.sweep.plan import read_plan
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.experiment.experiment import experiment
from tools.docs import network
from tools.network import cost as costs
from tools.network import store as recorded
from tools.network import zero_load
from tools.network.cost import cost
from tools.network.inputs import expanded, random_ring, trace
from tools.network.plots import PICTURES, SHOWN
from tools.network.run import static
from tools.network.store import PATH, Curves, experiment_files, load

#: Packets one at a time in a ring of four, packets to the next switch, and an exchange with both neighbours.
TINY = """
packet = 4
flit = 32
cycles = 1000

[[series]]
name = "Alone"
topology = "torus:4"
depth = 32
link_delay = 3
pattern = "trace:{traces}/4.csv"

[[series]]
name = "Neighbour"
topology = "torus:4"
depth = 32
pattern = "neighbour"
load = [0.1, 0.5]

[[series]]
name = "Exchange"
topology = "torus:4"
depth = 32
pattern = "stencil:4:400"
"""


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A folder with one experiment, and the folder of a repository."""
    folder = tmp_path / "experiments"
    folder.mkdir()
    (folder / "tiny.toml").write_text(TINY)
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(recorded, "EXPERIMENTS", folder)
    return tmp_path


@pytest.mark.parametrize(("nodes", "degree"), [(64, 6), (128, 4), (40, 7)])
def test_random_ring(nodes, degree):
    links = random_ring(nodes, degree, 1)
    assert len(set(links)) == len(links) == nodes * degree // 2
    assert set(Counter(end for link in links for end in link).values()) == {degree}
    assert {(at, at + 1) for at in range(nodes - 1)} <= set(links)
    assert all(a < b for a, b in links)
    assert links == random_ring(nodes, degree, 1) != random_ring(nodes, degree, 2)


@pytest.mark.parametrize(("nodes", "degree"), [(7, 2), (8, 4), (8, 1)])
def test_impossible_random_ring(nodes, degree):
    with pytest.raises(UsageError, match="A random ring has an even number"):
        random_ring(nodes, degree, 1)


def test_words_of_experiments(tmp_path):
    text = 'size = ["ring-16-4-1"]\ntopology = "graph:{graphs}/{size}.edges"\npattern = "trace:{traces}/16.csv"\n'
    found = expanded(text, tmp_path)
    assert f'"graph:{tmp_path}/graphs/{{size}}.edges"' in found
    assert f'"trace:{tmp_path}/traces/16.csv"' in found
    links = (tmp_path / "graphs" / "ring-16-4-1.edges").read_text().split("\n")
    assert links[:-1] == [f"{a} {b}" for a, b in random_ring(16, 4, 1)]
    rows = [tuple(map(int, line.split(","))) for line in trace(16).splitlines()[1:]]
    assert all(source != destination for _, source, destination, _ in rows)
    assert {second[0] - first[0] for first, second in pairwise(rows)} == {160}
    assert expanded("ring-16-4-2", tmp_path / "none") == "ring-16-4-2"
    assert not (tmp_path / "none").exists()


def test_series_have_names_of_their_own():
    """Without the networks, which :func:`test_every_experiment_can_be_planned` makes."""
    for name, path in experiment_files().items():
        names = [one["name"] for one in tomllib.loads(path.read_text())["series"]]
        assert len(set(names)) == len(names), name


@pytest.mark.regress
def test_every_experiment_can_be_planned(tmp_path, monkeypatch):
    """Without cores and large tables: series of algorithms and of small graphs."""
    for name, path in experiment_files().items():
        text = expanded(path.read_text(), tmp_path)
        head, *series = text.split("[[series]]")
        some = [one for one in series if "lookup" not in head + one and "hosts = 8" not in head + one and "size" not in one][:1]
        (tmp_path / path.name).write_text("[[series]]".join([head, *some]))
        if some:
            assert read_plan(tmp_path / path.name).curves, name


ROW = {
    "latency": {"head": {"mean": 17.5}, "tail": {"mean": 20.5}, "queued_tail": {"mean": 20.5}},
    "zero_load": {"switches": 3.5, "switch_cycles": 2, "links": 2.5, "link_cycles": 4, "serialisation": 3},
}
ROW["latency"]["head"]["mean"] = 3.5 * 2 + 2.5 * 4
ROW["latency"]["tail"]["mean"] = ROW["latency"]["queued_tail"]["mean"] = 3.5 * 2 + 2.5 * 4 + 3


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("head", "a hop takes 2.002857 cycles, not 2.000000"),
        ("tail", "the mean latency is 20.010000 cycles, not 20.000000"),
        ("queued_tail", "with the source queue it is 20.010000 cycles, not 20.000000"),
    ],
)
def test_identity_at_zero_load(key, line):
    assert zero_load.check("Alone", ROW) == 2
    late = copy.deepcopy(ROW)
    late["latency"][key]["mean"] += 0.01
    with pytest.raises(UsageError, match=f"Alone: at zero load {line}"):
        zero_load.check("Alone", late)


def test_static_bound_of_tables(tmp_path):
    """A star of four: each link carries three of twelve pairs in each direction."""
    path = tmp_path / "star.edges"
    path.write_text("0 1\n0 2\n0 3\n")
    values = {"topology": f"graph:{path}", "packet": 4, "flit": 32, "lookup": "table", "kind": "direct"}
    assert static(experiment(values)) == (1.5, 1.0)


@pytest.mark.regress
def test_command(run, tiny):
    """A tiny experiment: exact latencies, a file that is read back, and a change of the experiment that makes it stale."""
    assert run("network", "--workers", 0, "--root", tiny) == (0, f"tiny: 3 curves in {tiny / PATH}\n", "")
    curves = load(tiny / PATH)
    alone, both, near = curves.of("tiny").values()
    assert alone["zero_load"]["hop"] == 2
    assert alone["zero_load"]["packets"] == 100
    hops = alone["zero_load"]["hops"]
    assert alone["zero_load"]["mean"] == pytest.approx((hops + 1) * 2 + hops * 3 + 3, abs=1e-5)
    assert (alone["points"], near["zero_load"], near["error"]) == ([], None, None)
    assert [point["load"] for point in near["points"]] == [0.1, 0.5]
    # A neighbour is one link away; packets wait only for those of their own source.
    assert [point["contention"] for point in near["points"]] == [0, 0]
    assert near["average_path"] == pytest.approx(4 / 3, abs=1e-4)
    # A host offers a flit per cycle, and each packet goes along a link of its own.
    (point,) = both["points"]
    assert (point["load"], point["packets"], both["zero_load"]) == (None, 4 * 2 * 100, None)
    assert point["accepted"] == pytest.approx(1, abs=0.02)
    text = (tiny / PATH).read_text()
    curves.write()
    assert (tiny / PATH).read_text() == text
    assert curves.stale() == []
    path = experiment_files()["tiny"]
    path.write_text("# A remark is no change.\n" + TINY)
    assert curves.stale() == []
    path.write_text(TINY.replace("0.5", "0.6"))
    assert curves.stale() == ["tiny"]


def test_command_names_the_experiments(refuse, tiny):
    assert "Experiments are tiny, not huge" in refuse("network", "huge", "--root", tiny)


def test_recorded_curves(root):
    """The file in the repository is valid and has only experiments that exist."""
    curves = load(root / PATH)
    assert {"sizes", "zero-load"} <= {one["experiment"] for one in curves.curves.values()} <= set(experiment_files())
    assert all(one["zero_load"] for one in curves.of("zero-load").values())
    for draw in PICTURES.values():
        assert draw(curves).startswith("<svg")


def curve(experiment, series, load, accepted, **more):
    """A recorded curve of one point."""
    point = {"load": load, "accepted": accepted, "mean": 30.0, "hops": 5.0, "saturated": accepted < 0.98 * (load or 0)}
    return {"experiment": experiment, "series": series, "label": f"{series} {more}", "points": [point], **more}


@pytest.fixture
def recorded_in(tmp_path, monkeypatch):
    """A function that makes a store of curves."""

    def make(*some):
        curves = Curves(tmp_path / "network.json", {}, {one["label"]: one for one in some})
        monkeypatch.setattr(network, "load", lambda path: curves)
        return SimpleNamespace(path=tmp_path / "figures.json"), curves

    return make


def test_table_of_permutations(recorded_in):
    """Of random permutations the worst is shown, and how many are stable; a saturated load has no latency."""
    random = [
        curve("digits", "Two sets with pools, random", 0.33, rate, pattern="permutation", storage=200) for rate in (0.33, 0.30)
    ]
    for seed, one in enumerate(random):
        one["label"] += str(seed)
    bits = curve("digits", "One set with pools", 0.19, 0.19, pattern="tornado", storage=296)
    rows = network.digits(recorded_in(bits, *random)[0]).splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert cells == [["random permutations", "", "0.33: accepted 0.300, 1 of 2 stable"], ["tornado", "0.19: 30.0", ""]]


def test_table_of_exchanges(recorded_in):
    """A row for each routing of a network, in the order in which they were measured; the effective throughput in percent."""
    some = [
        curve("papers-t-exchange", "Mesh", None, rate, pattern=pattern, routing=f"table, {routing}")
        for routing, rate in (("1 turn class", 0.914), ("2 turn classes, ugal", 0.4))
        for pattern in ("stencil", "all-to-all")
    ]
    some[-1]["series"] = "Other"
    rows = network.exchanges(recorded_in(*some)[0]).splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert cells == [
        ["Mesh", "1 turn class", "91 %", "91 %"],
        ["Mesh", "2 turn classes, ugal", "-", "40 %"],
        ["Other", "2 turn classes, ugal", "40 %", "-"],
    ]


@pytest.mark.regress
def test_cost_of_a_core(monkeypatch):
    """A cost that is recorded counts as long as the RTL and the recipe are the same."""
    small = {"topology": "torus:2", "flit": 64, "packet": 2, "channels": "dim0=2"}
    found = cost(small)
    assert found["area"] > 10_000
    monkeypatch.setattr(costs, "breakdown", lambda *_, **__: {"all": {"number": 2, "area": 7.4, "memory_bits": 3}})
    assert cost(small, found) is found
    assert cost(small | {"depth": 8}, found).items() >= {"area": 15, "memory_bits": 6}.items()
    assert cost(small, found | {"recipe": "of old"})["area"] == 15


def test_missing_curves(tmp_path):
    with pytest.raises(UsageError, match="has no curves of sizes: run make network"):
        Curves(tmp_path / "network.json").of("sizes")


def test_malformed_file(tmp_path):
    path = tmp_path / "network.json"
    path.write_text(json.dumps({"format": "dsnswitch-network", "version": 1, "experiments": {}, "curves": {"a": {}}}))
    with pytest.raises(UsageError, match="File of curves"):
        load(path)


@pytest.mark.parametrize("name", ["failures", "noise"])
def test_random_figures_have_ten_seeds(name):
    """Each row of the page is a mean over ten seeds."""
    plan = tomllib.loads(experiment_files()[name].read_text())
    if name == "noise":
        assert len(set(plan["seed"])) == 10
        return
    for series in plan["series"]:
        seeds = Counter(word.partition(":")[0] for word in {fail[0] for fail in series["fail"] if fail})
        assert seeds == dict.fromkeys(("1%", "5%", "10%", "20%"), 10), series["name"]


def test_mean_and_spread(tmp_path):
    """Seeds that were not simulated, or are saturated, are not in the latency."""
    point = {"load": 0.02, "mean": 20, "hops": 5, "lost": 10, "packets": 990, "saturated": False, "accepted": 0.02}
    other = point | {"mean": 22, "lost": 30, "packets": 970}
    full = {"load": 1, "accepted": 0.5}
    runs = [[point, full], [other, full | {"accepted": 0.6}], [other | {"saturated": True}, full], []]
    curves = {
        str(n): {"experiment": "failures", "label": str(n), "series": "Tables", "failed": 14, "points": points}
        for n, points in enumerate(runs)
    }
    with patch.object(network, "load", lambda path: Curves(path, {}, curves)):
        row = network.failures(SimpleNamespace(path=tmp_path)).splitlines()[2]
    assert row == "| Tables | 14 (1 %) | 3 of 4 | 21.0 ± 1.4 | 2.33 ± 1.15 | 0.533 ± 0.058 |"


def test_differences_of_a_paper(tmp_path):
    """Latencies at the lowest load, with a further hop of 45 cycles, and accepted loads beside what R prints."""

    def curve(experiment, series, mean, over):
        points = [{"load": 1, "accepted": over, "mean": None, "hops": 4}, {"load": 0.01, "mean": mean, "hops": 3.5}]
        return {"experiment": experiment, "label": series, "series": series, "pattern": "uniform", "link_delay": 43,
                "points": points}  # fmt: skip

    rows = [
        ("papers-r-hosts", "RING-8, 256", 155, 0.5), ("papers-r-hosts", "Hypercube, 256", 205, 0.4),
        ("papers-r-permuted", "RING-4", 300, 0.02), ("papers-r-permuted", "P-TORUS-4", 400, 0.01),
        ("papers-r-shortcuts", "RING-8", 200, 0.3),
    ]  # fmt: skip
    found = Curves(tmp_path, {}, {str(number): curve(*row) for number, row in enumerate(rows)})
    with patch.object(network, "load", lambda path: found):
        hosts, permuted = (
            network.PARTS[f"network-papers-r-{name}"](SimpleNamespace(path=tmp_path)).splitlines()[2:]
            for name in ("hosts", "permuted")
        )
    assert hosts == ["| RING-8, 256 to Hypercube, 256 | uniform | 155.0, 205.0 | -24.4 % | -20.0 % | -19.4 % |"]
    assert permuted == [
        "| RING-4 to P-TORUS-4 | uniform | 300.0, 400.0 | -25.0 % | -19 to -20 % | 0.020, 0.010 | +100 to +150 % |"
    ]


def test_the_plot_of_latency_has_every_series(root):
    assert {one["series"] for one in load(root / PATH).of("sizes").values()} == set(SHOWN)
