"""Turn classes: every pair is delivered within its classes, by shortest paths where they fit, and no walk closes a cycle."""

import json
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner

from dsnswitch.gen.cli import cli
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing import turns
from dsnswitch.net.routing.balance import ideal
from dsnswitch.net.routing.next_hops import NextHops, limited, needed
from dsnswitch.net.routing.ranks import candidates, from_root, ranked
from dsnswitch.net.routing.turns import route
from dsnswitch.net.routing.wiring import Wiring, targets
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.registry import parse_network

SMALL = ["jellyfish:n=24,degree=3", "grid:2x2:k4x2", "torus:3x4", "fattree:k=4", "dragonfly:a=4,h=2", "star:n=4", "mesh:1x7"]


def wiring_of(spelling):
    return Wiring(parse_network(spelling))


def random_wiring(seed, size=20, links=30):
    """A connected graph with parallel links and switches of one link."""
    rng = np.random.default_rng(seed)
    pairs = [(at, int(rng.integers(at))) for at in range(1, size)]
    pairs += [tuple(map(int, rng.choice(size, 2, replace=False))) for _ in range(links - len(pairs))]
    return Wiring(Graph("random", [(f"s{a}", f"s{b}") for a, b in pairs]))


def graph_of(wiring):
    return nx.MultiDiGraph(list(zip(wiring.source[:-1].tolist(), wiring.target[:-1].tolist())))


def walks(found):
    """``(source, home, channels, class of each)`` of every pair of switches with hosts, hop by hop."""
    ranks, wiring = found.ranks, found.ranks.wiring
    for home, channel in zip(found.targets.home.tolist(), found.channel.tolist()):
        for source in np.flatnonzero(wiring.hosts).tolist():
            here, taken, classes, fell = source, [], [0], False
            while here != home:
                taken.append(channel[here])
                rises = bool(ranks.up[channel[here]])
                classes.append(classes[-1] + (fell and rises))
                here, fell = int(wiring.target[channel[here]]), not rises
                assert len(taken) <= wiring.size
            yield source, home, taken, classes[1:]


@pytest.mark.parametrize("spelling", SMALL)
@pytest.mark.parametrize("classes", [None, 1, 2])
def test_every_pair_is_delivered_within_its_classes(spelling, classes):
    wiring = wiring_of(spelling)
    found = route(wiring, classes)
    load, longer = np.zeros(wiring.count, int), 0
    for source, home, taken, steps in walks(found):
        assert max(steps, default=0) < found.classes
        pairs = wiring.hosts[source] * wiring.hosts[home]
        longer += (len(taken) - wiring.distance[source, home]) * pairs
        np.add.at(load, taken, pairs)
    assert load.tolist() == found.load.tolist()
    assert longer == found.longer
    if classes is None:
        assert longer == 0


@pytest.mark.parametrize("seed", range(5))
def test_any_graph_has_routes_in_any_number_of_classes(seed):
    wiring = random_wiring(seed)
    lengths, before = nx.floyd_warshall_numpy(graph_of(wiring), range(wiring.size)), None
    for classes in (1, 2, 4):
        for root in (0, 13):
            found = route(wiring, classes, root)
            hops = np.zeros_like(lengths)
            for source, home, taken, steps in walks(found):
                assert max(steps, default=0) < classes
                hops[source, home] = len(taken)
            assert (hops >= lengths).all()
        assert before is None or hops.sum() <= before
        before = hops.sum()
    assert before == lengths.sum()


def test_ranks_that_fit_some_targets_are_not_chosen_if_others_do_not_fit(monkeypatch):
    """The choice looks at one target, which ranks without a single top may fit alone."""
    monkeypatch.setattr(turns, "COMPARED", 1)
    for seed in range(6):
        found = route(random_wiring(seed))
        assert all(max(steps, default=0) < found.classes for *_, steps in walks(found))


@pytest.mark.parametrize("seed", range(2))
def test_keys_are_those_of_the_best_shortest_path(seed):
    wiring = random_wiring(seed, 12, 20)
    graph = nx.DiGraph(graph_of(wiring))
    for ranks in candidates(wiring)[::5]:
        rises = {(a, b): up for a, b, up in zip(wiring.source.tolist(), wiring.target.tolist(), ranks.up.tolist())}
        for home in range(wiring.size):
            keys = NextHops(ranks, wiring.distance[:, home]).keys()
            for source in set(range(wiring.size)) - {home}:
                best = []
                for path in nx.all_shortest_paths(graph, source, home):
                    ups = [rises[hop] for hop in pairwise(path)]
                    turns = sum(not a and b for a, b in pairwise(ups))
                    best.append(2 * turns + ups[0])
                assert keys[source] == min(best)


def test_one_class_never_goes_up_after_down():
    wiring = wiring_of("jellyfish:n=24,degree=3")
    found = route(wiring, 1)
    for *_, taken, _ in walks(found):
        ups = found.ranks.up[taken].tolist()
        assert ups == sorted(ups, reverse=True)
    assert found.longer > 0


@pytest.mark.parametrize(("classes", "cyclic"), [(3, False), (3, True)])
def test_no_walk_closes_a_cycle_of_channels(classes, cyclic):
    wiring = wiring_of("torus:3x4")
    ranks = from_root(wiring, 5)
    graph = nx.DiGraph()
    for first in range(wiring.count):
        for second in np.flatnonzero(wiring.source[:-1] == wiring.target[first]).tolist():
            # Without the rise of the class there are cycles.
            rise = 0 if cyclic else int(not ranks.up[first] and ranks.up[second])
            graph.add_edges_from(((v, first), (v + rise, second)) for v in range(classes - rise))
    assert nx.is_directed_acyclic_graph(graph) == (not cyclic)


@pytest.mark.parametrize(
    ("spelling", "classes", "most"),
    [
        ("jellyfish:n=128,degree=6", 2, 1.25),
        pytest.param("torus:4x4x4", 2, 1.25, marks=pytest.mark.regress),
        ("slimfly:q=5", 2, 1),
        ("fattree:k=4", 1, 2),
    ],
)
def test_load_is_even(spelling, classes, most):
    wiring = wiring_of(spelling)
    found = route(wiring)
    assert found.classes == classes
    assert found.load.max() <= most * ideal(wiring)


def test_routes_depend_on_names_and_links_only():
    links = [(f"s{a}", f"s{b}") for a, b in nx.random_regular_graph(3, 16, seed=2).edges]
    found = [route(Wiring(Graph("g", some))).load.tolist() for some in (links, links[::-1], [(b, a) for a, b in links])]
    assert found[0] == found[1] == found[2]


def test_needed_counts_pairs_by_class():
    wiring = wiring_of("grid:2x2:k4x2")
    counts = needed(from_root(wiring, 0), targets(wiring).home)
    assert counts.sum() == wiring.size**2
    assert counts[-1]


def test_a_limit_below_the_need_gives_longer_routes():
    wiring = wiring_of("jellyfish:n=24,degree=3")
    ranks = from_root(wiring, 0)
    hops = [sum(limited(ranks, home, classes).sum() for home in range(wiring.size)) for classes in (1, 2, 4)]
    assert hops == sorted(hops, reverse=True)
    assert hops[0] > hops[-1] == wiring.distance.sum()


@pytest.mark.parametrize("classes", [1, 2, None])
def test_commands_take_a_number_of_classes(classes):
    spelling = "random-ring:n=24,degree=4,seed=1"
    found = route(wiring_of(spelling), classes, balance="switch")
    words = ["--topology", spelling, *(("--classes", str(classes)) if classes else ())]
    loads = CliRunner().invoke(cli, ["load", *words, "--format", "json"]).output
    assert json.loads(loads)["bound"] == pytest.approx(23 / found.load.max())
    assert f"ring {found.classes}, shortcut {found.classes}" in CliRunner().invoke(cli, ["deadlock", *words]).output


@pytest.fixture
def written(tmp_path):
    """``(words of dsnswitch table, a file of tables by turn classes)`` of a random graph."""
    nx.write_edgelist(nx.random_regular_graph(3, 16, seed=1), graph := tmp_path / "g.edges", data=False)
    words, tables = ["table", "--topology", f"graph:{graph}"], tmp_path / "t.json"
    wrote = CliRunner().invoke(cli, [*words, "--routing", "turns", "--format", "json", "--out", str(tables)])
    assert "turns, 2 turn classes" in wrote.output
    return words, tables


def test_tables_of_turn_classes_are_read_again(written):
    words, tables = written
    read = CliRunner().invoke(cli, [*words, "--load", str(tables)])
    assert not read.exit_code
    assert "given, 2 turn classes" in read.output
    text = tables.read_text()
    for one in (text.replace('"layers": 2', '"layers": 1'), text.replace('"layers": 2, ', "").replace('  "layers": 2,\n', "")):
        tables.write_text(one)
        assert CliRunner().invoke(cli, [*words, "--load", str(tables)]).exit_code == 1
    one = CliRunner().invoke(cli, [*words, "--routing", "turns", "--classes", "1", "--format", "lft"])
    assert not one.exit_code, one.output
    refused = CliRunner().invoke(cli, [*words, "--routing", "star"])
    assert "Routing of tables must be turns, or minimal of a DSN, not 'star'" in str(refused.exception)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda up: up.update({"3": [7]}), "port 7 of 3 leads up, but has no link"),
        (lambda up: up.update({"x": [0]}), "port 0 of x leads up, but has no link"),
        (lambda up: up.update({key: [] for key in up}), "must lead up from one end"),
        (lambda up: up.update({key: [0, 1, 2] for key in up}), "must lead up from one end"),
    ],
)
def test_ranks_that_contradict_each_other_are_refused(written, change, message):
    words, tables = written
    found = json.loads(tables.read_text())
    change(found["up"])
    tables.write_text(json.dumps(found))
    assert message in str(CliRunner().invoke(cli, [*words, "--load", str(tables)]).exception)


def test_ranks_stay_when_links_fail():
    network = parse_network("torus:4x4")
    before = compile_tables(network, 2)
    broken = [((0, 0), 0), ((2, 1), 1)]
    after = compile_tables(network, 2, broken=broken, before=before)
    up = {(int(one.wiring.number[place]), port) for one in (before,) for place in range(16) for port in one.ports_up(place)}
    assert {(int(after.wiring.number[place]), port) for place in range(16) for port in after.ports_up(place)} < up


def test_routes_by_ranks_without_a_single_top():
    """With several switches of locally highest rank, routes exist exactly if some walk fits the classes, and they fit."""
    wiring, fits = Wiring(parse_network("torus:4x4")), []
    for seed in range(12):
        ranks = ranked(wiring, np.random.default_rng(seed).permutation(wiring.size))
        if ranks.top is not None:
            continue
        for classes in (1, 2):
            reached = {(0, 0)}
            for _ in range(4 * wiring.size):
                pairs = [(c, s, t) for c, (s, t) in enumerate(zip(wiring.source[:-1], wiring.target[:-1]))]
                more = {(int(s), int(ranks.before(key, c))) for at, key in reached for c, s, t in pairs if t == at}
                more = {(at, key) for at, key in more if key < 2 * classes}
                if more <= reached:
                    break
                reached |= more
            fits.append(len({at for at, _ in reached}) == wiring.size)
            if fits[-1]:
                cost = limited(ranks, 0, classes)
                assert NextHops(ranks, cost).keys().max() < 2 * classes
            else:
                with pytest.raises(UsageError, match=f"do not fit {classes} turn class"):
                    limited(ranks, 0, classes)
    assert set(fits) == {True, False}
