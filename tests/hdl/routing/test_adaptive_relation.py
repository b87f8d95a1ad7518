"""Minimal routing with a choice: every hop is on a shortest path, and no choice closes a cycle or needs one class more."""

import networkx as nx
import pytest
from walks import RisingClasses, every_state

from dsnswitch.net.files.parameters import routing_of
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.certificate import prove
from dsnswitch.net.routing.registry import ADAPTIVE, relation_of
from dsnswitch.net.topology.registry import parse_network

SMALL = [
    "grid:4x4:ring-3",
    "grid:3x2:k4x2:double",
    "ring:7:ring-4:forward",
    *(
        pytest.param(one, marks=pytest.mark.regress)
        for one in ("grid:3x3", "grid:4x4", "grid:5x3:coc-3x2", "grid:1x9", "ring:13:ring-4")
    ),
]
LARGE = ["grid:8x8", "grid:8x8:k4x2:double", "grid:8x16", "grid:16x16", "grid:16x16:k4x2:double", "grid:11x13", "grid:17x17"]


def adaptive(spelling):
    return relation_of(parse_network(spelling), ADAPTIVE)


@pytest.mark.parametrize("spelling", SMALL)
def test_every_hop_of_every_walk(spelling):
    """By distances of the graph, and by the definition of the classes. The first hop is that of minimal routing."""
    relation = adaptive(spelling)
    network = relation.network
    # A network that is routed forward only has one-way shortcuts.
    links = nx.DiGraph((link.source, link.target) for link in network.links())
    if network.directions == "both":
        links = links.to_undirected()
    else:
        links.add_edges_from([(b, a) for a, b in links.edges if a[:-1] == b[:-1]])
    left = dict(nx.all_pairs_shortest_path_length(links))
    minimal, classes, several = relation_of(network, "minimal"), RisingClasses(network), 0
    for switch, arrival, destination in every_state(relation):
        hops = relation.hops(switch, arrival, destination)
        assert hops[:1] == minimal.hops(switch, arrival, destination)
        assert (not hops) == (switch == destination)
        several += len(hops) > 1
        for port, virtual_class in hops:
            there = classes.check(switch, arrival, port, virtual_class)
            assert left[there][destination] == left[switch][destination] - 1
    classes.compare(relation, minimal)
    assert several


@pytest.mark.parametrize("spelling", ["grid:5x5:ring-3", *(pytest.param(large, marks=pytest.mark.regress) for large in LARGE)])
def test_no_more_classes_than_minimal_routing(spelling):
    relation = adaptive(spelling)
    prove(relation)
    assert max(relation.classes.values()) == max(relation_of(relation.network, "minimal").classes.values())
    share = (relation.alternatives.ports != relation.decisions.ports).sum() / (relation.decisions.ports >= 0).sum()
    assert share > 0.1


@pytest.mark.parametrize("routing", [None, "base", "detour"])
def test_other_routings_have_no_choice(routing):
    with pytest.raises(UsageError, match="Option adaptive is for routing minimal"):
        routing_of({"routing": routing, "adaptive": True})
