"""Random failed links: walks as arrays, shares of pairs, tables for the rest."""

import json
import random

import networkx as nx
import numpy as np
import pytest
from failed_links import failed_ports, walk

from dsnswitch.net.analysis.faults import measure, spread
from dsnswitch.net.routing.detour.many_walks import ManyWalks
from dsnswitch.net.routing.detour.relation import DetourRelation
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.registry import parse_network


def links_up(network, failed):
    up = np.array(
        [[network.neighbour(network.switch(n), port.index) is not None for port in network.ports] for n in range(network.nodes)]
    )
    for switch, port in failed:
        up[network.number(switch), port] = False
    return up


@pytest.mark.parametrize("spelling", ["grid:4x4", "grid:8x16", "ring:22:ring-6", "grid:3x5:coc-3x2"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.4])
def test_walks_as_arrays_are_the_walks_of_the_relation(spelling, share):
    network = parse_network(spelling)
    relation, chance = DetourRelation(network), random.Random(5)
    links = list(network.links())
    failed = failed_ports(network, chance.sample(links, round(share * len(links))))
    pairs = [(chance.randrange(network.nodes), chance.randrange(network.nodes)) for _ in range(400)]
    source, target = np.array(pairs).T
    found = ManyWalks(relation).run(source, target, links_up(network, failed))
    for index, (a, b) in enumerate(pairs):
        hops, delivered = walk(relation, network.switch(a), network.switch(b), failed)
        assert found.hops[index] == len(hops)
        assert found.virtual_class[index] == (hops[-1].virtual_class if hops else 0)
        assert network.switch(found.end[index]) == (hops[-1].target if hops else network.switch(a))
        assert delivered == (found.end[index] == b)


@pytest.mark.regress
def test_every_pair_of_8_by_8_by_8_is_delivered_past_any_failed_link_without_symmetry_of_pairs():
    """All 261,632 pairs, for one link of each kind. A translation maps every link to one of these 22."""
    network = parse_network("grid:8x8")
    walks = ManyWalks(DetourRelation(network))
    source, target = np.divmod(np.arange(network.nodes**2), network.nodes)
    links = [link for link in network.links() if not any(link.source[:-1])]
    assert len(links) == 22
    for link in links:
        found = walks.run(source, target, links_up(network, failed_ports(network, [link])))
        assert (found.end == target).all()
        assert found.hops.max() <= 12


def test_rows_account_for_every_pair():
    network = parse_network("grid:4x4")
    rows = [row for (row,) in measure(network, [0.0, 0.1, 0.3, 0.6], seeds=[3])]
    assert [row.links for row in rows] == [0, 32, 96, 192]
    for row in rows:
        assert row.connected == pytest.approx(row.delivered + row.tables)
        assert row.longest <= DetourRelation(network).bound
        assert (row.entries == 0) == (row.tables == 0)
        assert row.entries <= row.most_entries
    assert rows[0].delivered == rows[0].reported == 1
    assert rows[0].growth == rows[0].shortest_growth == rows[0].entries == 0
    assert 0.9 < rows[1].delivered < 1
    assert 0 < rows[1].tables < rows[2].tables
    assert rows[1].average_path > rows[1].shortest > rows[0].shortest


def test_shortest_paths_are_those_of_the_damaged_graph():
    network = parse_network("grid:4x2:ring-4")
    ((row,),) = measure(network, [0.25], seeds=[1])
    links = list(network.links())
    random.Random(1).shuffle(links)
    graph = nx.MultiGraph((link.source, link.target) for link in links[row.links :])
    lengths = [hops for _, of in nx.all_pairs_shortest_path_length(graph) for hops in of.values() if hops]
    assert row.shortest == pytest.approx(sum(lengths) / len(lengths))
    assert row.connected == pytest.approx(len(lengths) / (network.nodes * (network.nodes - 1)))


def test_entries_lead_every_undeliverable_packet_on():
    """There is one entry for each switch and destination on the route from the switch at which a packet is undeliverable."""
    network = parse_network("grid:4x4")
    ((few,),), ((many,),) = (measure(network, [0.1], seeds=[3], classes=classes) for classes in (4, 6))
    assert few.tables > many.tables > 0
    assert few.entries > many.entries > 0
    # A pair needs an entry at no fewer than one switch. A switch has fewer entries than there are switches.
    assert many.entries * network.nodes * network.nodes >= many.tables * network.nodes
    assert few.most_entries < network.nodes


@pytest.mark.parametrize("spelling", ["torus:4x3", "mesh:3x3", "mlfm:h=2", "random-ring:n=20,degree=4", "dsn-f:24"])
def test_without_detours_a_pair_is_delivered_if_its_route_meets_no_failed_link(spelling):
    network = parse_network(spelling)
    ((row,),) = measure(network, [0.2], seeds=[1])
    links = list(network.links())
    random.Random(1).shuffle(links)
    failed = set(failed_ports(network, links[: row.links]))
    ends = list(network.terminals())
    routes = [relation_of(network).route(a, b) for a in ends for b in ends if a != b]
    whole = [route for route in routes if not failed & {(hop.source, hop.port) for hop in route}]
    assert 0 < len(whole) < len(routes)
    assert row.delivered == pytest.approx(len(whole) / len(routes))
    assert row.average_path == pytest.approx(np.mean(list(map(len, whole))))
    assert row.connected == pytest.approx(row.delivered + row.tables)
    assert row.entries > 0


def test_spread_has_mean_least_and_largest_of_the_seeds():
    network, seeds = parse_network("grid:4x2"), range(2, 5)
    (together,) = measure(network, [0.2], seeds=seeds)
    assert together == [row for seed in seeds for (row,) in measure(network, [0.2], seeds=[seed])]
    mean, least, largest = spread(together)
    shares = [row.delivered for row in together]
    assert len(set(shares)) == 3
    assert (mean.delivered, least.delivered, largest.delivered) == (pytest.approx(sum(shares) / 3), min(shares), max(shares))
    assert mean.links == least.links == together[0].links


@pytest.mark.regress
def test_shares_at_1024_switches():
    rows = [row for (row,) in measure(parse_network("grid:8x16"), [0.01, 0.1, 0.2])]
    assert [row.delivered > least for row, least in zip(rows, (0.9999, 0.98, 0.91))] == [True] * 3
    assert [row.growth < most for row, most in zip(rows, (0.02, 0.16, 0.33))] == [True] * 3


def test_a_graph_with_hosts(run, root):
    """Its pairs are those of the leaves: a failed link of a leaf with a spine takes the routes that were balanced over it."""
    path = root / "tests/graphs/leafspine.ibnetdiscover"
    status, out, _ = run("faults", "--topology", f"graph:{path}", "--rate", 0, "--rate", 15, "--format", "json")
    whole, failed = json.loads(out)["rows"]
    assert (status, whole["links"], whole["delivered"], whole["average_path"]) == (0, 0, 1, 2)
    assert (failed["links"], failed["connected"]) == (1, 1)
    assert failed["delivered"] + failed["tables"] == pytest.approx(1)
    assert 0 < failed["tables"] < 1


@pytest.mark.parametrize("command", ["faults", "check", "load"])
def test_a_network_without_pairs_is_refused(refuse, tmp_path, command):
    path = tmp_path / "one"
    path.write_text("0 2 host\n1 2 host\n2 3\n")
    assert f"graph:{path} has no pair of switches with hosts" in refuse(command, "--topology", f"graph:{path}")
