"""The comparisons with the papers: records against small computations, statements, figures, the command."""

import json
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.registry import parse_network
from tools.docs import papers as parts
from tools.papers import measure, order_radix, plots, store
from tools.papers.cases import FIG_3_1, LOW_DEGREE, R_256, SERIES, SLIM_FLIES, Case, cases, halves
from tools.papers.dissertation import change, low_degree, mean_latency, min_cuts, most_latency, nearest, threshold, variants
from tools.papers.measure import DELAYS, of_case
from tools.papers.numbers import numbers
from tools.papers.plots import FIGURES, figures
from tools.papers.statements import statements
from tools.papers.store import Comparisons, load


def test_every_case_is_a_network():
    """Each text is a network of the size that its series says; keys are unique."""
    every = cases()
    assert len({case.key for case in every}) == len(every)
    assert all(case.known for case in every)
    for networks in SERIES.values():
        for k, text in networks.items():
            if k <= 9:
                assert parse_network(text).nodes == 1 << k
    for q, text in SLIM_FLIES.items():
        if q < 12:
            assert parse_network(text).nodes == 2 * q * q
    assert [parse_network(text).nodes for text in R_256.values()] == [256] * len(R_256)
    assert halves(6) == (8, 8)
    assert halves(7) == (8, 16)
    assert parse_network(FIG_3_1["3-D torus, degree 6"]).nodes == 2048
    assert all(len(row) > 0 for row in LOW_DEGREE.values())
    assert not Case("rope:7", "sequential").known


def test_a_record():
    """The figures of a torus of 4 x 4 x 2 with two switches per cabinet."""
    found = of_case(Case("torus:4x4x2", "supernode", wants=("latency", "routes", "cut")))
    graph = nx.Graph()
    for x in range(4):
        for row in range(4):
            for z in range(2):
                for there in (((x + 1) % 4, row, z), (x, (row + 1) % 4, z), (x, row, 1 - z)):
                    inside = there[:2] == (x, row)
                    metres = 2 if inside else 4 + 0.6 * abs(there[0] - x) + 2.1 * abs(there[1] - row)
                    graph.add_edge((x, row, z), there, metres=metres, ns=40 + 5 * metres)
    lengths = [data["metres"] for *_, data in graph.edges(data=True)]
    assert found["cables"] == len(lengths) == 80
    assert found["average"] == pytest.approx(sum(lengths) / 80, rel=1e-5)
    assert (found["inside"], found["between"]) == (16, 64)
    assert (found["diameter"], found["degree"], found["most_degree"]) == (5, 5, 5)
    hops = [far for _, row in nx.all_pairs_shortest_path_length(graph) for far in row.values() if far]
    assert found["aspl"] == pytest.approx(sum(hops) / len(hops), rel=1e-5)
    assert found["fewest"]["hops"] == found["aspl"]
    far = [one for _, row in nx.all_pairs_dijkstra_path_length(graph, weight="ns") for one in row.values() if one]
    assert found["lowest"] == pytest.approx([sum(far) / len(far), max(far)], rel=1e-5)
    assert found["cut"] == 16
    assert len(found["fewest"]["most"]) == len(DELAYS)
    assert mean_latency(found, "fewest") == pytest.approx(40 * found["fewest"]["hops"] + 5 * found["fewest"]["metres"])
    assert most_latency(found, "fewest", 0) <= most_latency(found, "fewest", 40) - 40 * 5 + 1e-3
    assert mean_latency(found, "routes") >= found["lowest"][0]
    prices = 32 * (350.4 * 5 - 892.3) + sum(min(16.316 * m + 23.084, 3.676 * m + 109.808) for m in lengths)
    assert found["cost"]["slim-fly"] == pytest.approx(prices, rel=1e-5)


def test_spare_ports_of_dsn_f():
    """Switches with their hosts and whole spare ports, and the same cables."""
    found = of_case(Case("dsn-f:64", "sequential", 16))["spare"]
    network = parse_network("dsn-f:64")
    degrees = [len(network.links_of(at)) for at in network.switches()]
    for hosts, row in found.items():
        ports = [sum(-(-(degree + int(hosts)) * quarters // 4) for degree in degrees) for quarters in (4, 5, 6, 8)]
        for value, more in zip(row, ports):
            assert value - row[0] == pytest.approx(350.4 * (more - ports[0]) / 64, abs=0.02)


def test_host_switch_graphs():
    """Paths of hosts by hand; a random graph is simple, connected, and has the ports and hosts that it should."""
    ring = np.array([[0, 1], [1, 2], [2, 0]])
    found = order_radix.figures(3, ring, np.array([0, 0, 1, 2]))
    assert (found["switches"], found["haspl"]) == (3, pytest.approx((2 * 2 + 10 * 3) / 12))
    count, links, homes = order_radix.random_graph(194, 15, 1)
    graph = nx.Graph(links.tolist())
    assert len(graph.edges) == len(links) == (194 * 15 - 1024) // 2
    assert nx.is_connected(graph)
    ports = [graph.degree(at) + int((homes == at).sum()) for at in range(count)]
    assert ports == [15] * 194
    text, most, *_ = order_radix.COMPARED["5-D torus"]
    _, links, homes = order_radix.known(text, most)
    assert (len(links), len(homes), homes[-1]) == (1215, 1024, 204)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Comparisons of networks of up to 256 switches, without optimised layouts of larger ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "ADDED", (0, 256, 512, 768, 896, 1024))
        patch.setattr(measure, "FAILED", (0, 0.1, 0.2))
        patch.setattr(measure, "LEVELS", (3,))
        patch.setattr(measure, "PAIRS", 200)
        patch.setattr(measure, "SEEDS", (0,))
        for name in ("SEEDS", "CUTS"):
            patch.setattr(order_radix, name, (0,))
        patch.setattr(order_radix, "PARTS", (2, 3))
        some = [case for case in cases() if case.mapping != "optimised" and parse_network_size(case) <= 256]
        some += [Case(SERIES[name][7], "optimised", 8, wants=("latency", "routes")) for name in ("2-D DSN", "3-D torus")]
        found = Comparisons(tmp_path_factory.mktemp("papers") / "papers.json")
        found.experiments = {name: make() for name, make in store.EXPERIMENTS.items() if name != "growth"}
        found.networks = {case.key: of_case(case) for case in some}
        found.write()
    return load(found.path)


def parse_network_size(case):
    """Switches of a case from its text, as most large networks take long to make; unknown texts count as large."""
    word = case.network.split(":")[-1]
    if case.network.startswith(("grid", "torus")):
        sizes = [int(size) for size in case.network.split(":")[1].split("x")]
        count = 8 if case.network.startswith("grid") else 1
        for size in sizes:
            count *= size
        return count
    if case.network.startswith(("random-ring", "nbr", "dsn-x")):
        return int(word.split("n=")[1].split(",")[0])
    return int(word) if word.isdecimal() and case.network.startswith("dsn-f") else 1 << 20


@pytest.mark.regress
def test_statements(small):
    """Each statement of small networks has what the paper prints, and the change that the records give."""
    found = {(one.place, one.text): one for one in statements(small)}
    dsn, torus, ring = (small.networks[key] for key in (
        "grid:4x4:k4x2 supernode own", "torus:4x4x8 supernode own", "random-ring:n=128,degree=6,seed=1 sequential 8"
    ))  # fmt: skip
    cable = found["D Fig. 3.7", "mean cable against 3-D torus, up to"]
    assert cable.paper == "-31.2 %"
    assert f"128: {change(dsn['average'], torus['average']):+.1f}" in cable.remark
    latency = found["D Fig. 3.9", "mean lowest latency against RR-6, up to"]
    assert f"128: {change(dsn['lowest'][0], ring['lowest'][0]):+.1f}" in latency.remark
    assert found["D Fig. 4.8", "load of shortcuts of all levels but the first"].here == "equal"
    assert {place for place, _ in found} >= {"D Fig. 3.5", "D Fig. 4.10", "F Fig. 5", "F Fig. 7", "O Fig. 9b", "O Fig. 11b"}
    assert all(one.paper and one.here for one in found.values())


@pytest.mark.regress
def test_numbers(small):
    """Each row of small networks has what the paper prints, what the records give, and a command."""
    netlists = SimpleNamespace(of=lambda values, library=None: {"latency_cycles": 36, "period": 30.0, "delay": 9.0})
    rows = numbers(small, netlists)
    found = {(one.place, one.text): one for one in rows}
    assert len(found) == len(rows)
    assert all(one.here and one.command.startswith(("dsnswitch ", "make ")) for one in rows)
    assert found["D 5.3.1", "latency of RS(255,239)"].here == "36 cycles, 46.08 ns at 100 Gb/s and 128 bits per cycle"
    assert found["F III-C", "longest route of DSN-F against DSN, by F's bounds, 1,024 switches"].here == "16 against 34"
    assert found["F III-D", "cables rewired by a switch, from 24 switches on"].here == "at most 0"
    assert found["F III-D", "rise of the diameter by a switch, from 24 switches on"].here.startswith("1; 0 of 4 ")
    assert "30 % from p = 29 on" in found["F III-E", "share of rewired cables for large p"].here
    bits = found["D 1.1", "bit error rate of the line for 1e-23 after the code"].here
    assert bits == "1.9e-13 with SECDED(270,260), 2.2e-06 with RS(528,514)"
    ring, nbr = (small.networks[f"{text}n=256,degree=8,{more}seed=1 serpentine 16"] for text, more in (
        ("random-ring:", ""), ("nbr:", "alpha=0.5,")
    ))  # fmt: skip
    text = "diameter and mean path of Nbr(0.5)-8 against RING-8, 256 switches"
    change_of = f"{change(nbr['aspl'], ring['aspl']):+.2f} %"
    assert found["R Fig. 12", text].here == f"{nbr['diameter'] - ring['diameter']:+d} and {change_of}"


def test_min_cuts():
    """DSN and torus at each size, and the sizes at which the DSN has more, or as many."""
    pairs = {"4x4": (16, 32), "8x4": (64, 64), "8x8": (65, 64)}
    fake = Comparisons(None)
    for size, (dsn, torus) in pairs.items():
        fake.networks[f"grid:{size}:k4x2 supernode own"] = {"cut": dsn}
        fake.networks[f"torus:{size}x8 supernode own"] = {"cut": torus}
    (found,) = min_cuts(fake)
    assert found.here == "above from 512 switches on, equal at 256"
    assert "128: 16 and 32, 256: 64 and 64, 512: 65 and 64 cables" in found.remark
    assert min_cuts(Comparisons(None)) == []


def test_other_networks_of_low_degree():
    """Custom routes of the DSN of the nearest size against shortest paths."""

    def record(kind, hops, most):
        return {"switches": 243, kind: {"hops": hops, "metres": 0, "most": [most] * len(DELAYS)}}

    fake = Comparisons(None)
    fake.networks["de-bruijn:d=3,n=5 optimised 8"] = record("fewest", 5, 400)
    fake.networks["grid:8x4:k4x2 optimised 8"] = record("routes", 6, 500)
    (found,) = low_degree(fake)
    assert found.here == "+20.0 % and +25.0 % (256 against 243 switches)"


def test_threshold_of_a_table():
    """6 hops of custom routes take as long as 5 of minimal ones, each 5 ns longer, at 25 ns; less 5 ns for each metre more."""
    routes = {"hops": 6, "metres": 10}
    fake = Comparisons(None)
    for mapping, metres in (("supernode own", 10), ("sequential 8", 9)):
        fake.networks[f"grid:16x8:k4x2 {mapping}"] = {"routes": routes, "fewest": {"hops": 5, "metres": metres}}
    (found,) = threshold(fake)
    assert found.here == "20 to 25 ns"
    assert "20.0 with grid:16x8:k4x2 sequential, 25.0 with grid:16x8:k4x2 supernode" in found.remark


def test_nearest_of_the_layouts():
    """The layout whose change is nearest to the printed one."""
    rows = [(-10.0, "a", "b"), (-29.0, "c", "d"), (-40.0, "e", "f")]
    assert nearest(rows, -29.7) == "-29.00 % with c against d"
    assert nearest([], -29.7) == ""
    records = {"grid:16x16:k4x2 supernode own": 3.0, "torus:16x16x8 sequential 8": 4.0}
    fake = Comparisons(None, networks={key: {"value": value} for key, value in records.items()})
    ((value, dsn, torus), *_) = variants(fake, 11, lambda record, kind: record["value"])
    assert (value, dsn, torus) == (-25, "grid:16x16:k4x2 supernode, lowest latency", "torus:16x16x8 sequential")


@pytest.mark.regress
def test_figures_and_file(small):
    found = figures(small)
    assert {"d-3-5", "d-3-7", "d-3-9", "d-4-8", "d-4-10", "f-5-6"} <= set(found)
    assert all(text.startswith("<svg") for text in found.values())
    assert found["d-3-7"] == FIGURES["d-3-7"](load(small.path))
    assert len(small.path.read_text().splitlines()) > len(small.networks)


@pytest.mark.regress
def test_part_of_the_page(small):
    text = parts.floors(SimpleNamespace(path=small.path))
    assert all(len(line) <= 120 for line in text.splitlines())
    assert text.count("- **D Fig. 3.7**") == 1
    with pytest.raises(UsageError, match="has no figures: run make papers"):
        parts.floors(SimpleNamespace(path=small.path.with_name("none") / "figures.json"))


def test_command(run, tmp_path, monkeypatch):
    """It measures what is not recorded, and draws the figures."""
    some = [case for case in cases() if case.key.startswith(("grid:4x4:k4x2 supernode", "torus:4x4x8 supernode"))]
    monkeypatch.setattr(store, "cases", lambda: some)
    monkeypatch.setattr(store, "EXPERIMENTS", {})
    monkeypatch.setattr(plots, "FIGURES", {name: FIGURES[name] for name in ("d-3-7", "d-4-8", "d-3-9")})
    docs = tmp_path / "docs"
    docs.mkdir()
    Comparisons(docs / "papers.json").write()
    status, text, err = run("papers", "--root", tmp_path, "--folder", tmp_path / "out")
    assert (status, err) == (0, "")
    assert text.startswith("2 networks, 2 of them new, in ")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["d-3-7.svg", "d-3-9.svg"]
    assert sorted(json.loads((docs / "papers.json").read_text())["networks"]) == sorted(case.key for case in some)
    assert run("papers", "--root", tmp_path, "--folder", tmp_path / "out")[1].startswith("2 networks, 0 of them new")


def test_malformed_file(run, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "papers.json").write_text("[]")
    status, _, err = run("papers", "--root", tmp_path)
    assert status == 2
    assert "File of comparisons" in err
