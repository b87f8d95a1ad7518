"""Dragonflies with one or several links between two groups, and oversubscribed fat trees."""

from collections import Counter

import pytest

from dsnswitch.net.analysis.paths import loads
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.registry import parse_network


@pytest.mark.parametrize(
    ("a", "h", "g", "given", "copies"),
    [
        *((4, 2, 9, "", 1), (4, 2, 5, "", 2), (4, 2, 5, ",l=1", 1), (8, 4, 32, "", 1), (2, 1, 3, "", 1)),
        *((2, 5, 3, "", 2), (16, 8, 9, "", 16), (16, 8, 9, ",l=5", 5), (5, 3, 4, "", 5), (6, 3, 5, "", 4)),
    ],
)
def test_dragonfly_groups(a, h, g, given, copies):
    """Links between two groups, and links of a group, are spread over its switches."""
    network = parse_network(f"dragonfly:a={a},h={h},g={g}{given}")
    inside = Counter(link.source[0] for link in network.links() if link.source[0] == link.target[0])
    assert inside == dict.fromkeys(range(g), a * (a - 1) // 2)
    between = Counter(frozenset((link.source[0], link.target[0])) for link in network.links()) - Counter(
        frozenset([group]) for group in inside.elements()
    )
    assert between == Counter({frozenset((one, other)): copies for one in range(g) for other in range(one)})
    ends = Counter(port.kind == "global" for switch in network.switches() for port in network.ports_of(switch))
    assert ends[True] == g * (g - 1) * copies
    each = {sum(port.kind == "global" for port in network.ports_of(at)) for at in network.switches()}
    assert each <= {(g - 1) * copies // a, -(-(g - 1) * copies // a)}
    assert max(each) <= h
    leaving = Counter(
        (switch, end[0][0]) for switch in network.switches() for port, end in network.links_of(switch) if port.kind == "global"
    )
    assert set(leaving.values()) == {1}, "links to one group begin at different switches"


@pytest.mark.parametrize(
    ("spelling", "pairs"), [("dragonfly:a=4,h=4,g=5", 4), ("dragonfly:a=4,h=4,g=5,l=1", 16), ("dragonfly:a=4,h=4,g=5,l=2", 10)]
)
def test_links_between_two_groups_share_the_load(spelling, pairs):
    """Two groups have 16 pairs of switches, which their links share, nearly evenly."""
    rows = {row["kind"]: row for row in loads(relation_of(parse_network(spelling))).rows}
    assert rows["global"]["maximum"] * 19 == pytest.approx(pairs)


@pytest.mark.parametrize(
    ("spelling", "switches", "hosts"),
    [
        ("fattree:k=8,levels=2,up=2", 8 + 2, 8 * 6),
        ("fattree:k=8,levels=2", 8 + 4, 8 * 4),
        ("fattree:k=8,up=2", 32 + 16 + 8, 32 * 6),
        ("fattree:k=4,up=3", 8 + 12 + 6, 8 * 1),
    ],
)
def test_an_oversubscribed_fat_tree(spelling, switches, hosts):
    """A switch has at most k ports, and the packets for all edge switches are spread over the links up."""
    network = parse_network(spelling)
    assert (network.nodes, sum(map(network.hosts_of, network.switches()))) == (switches, hosts)
    ports = [len(network.links_of(switch)) + network.hosts_of(switch) for switch in network.switches()]
    assert max(ports) == network.k
    relation = relation_of(network)
    for level, fewest in ((0, network.ups), (1, network.half))[: network.levels - 1]:
        used = {}
        for target in network.terminals():
            for source in network.terminals():
                if len(route := relation.route(source, target)) > 2 * level:
                    used.setdefault(route[level][:2], set()).add(target)
        reached = network.leaves / (network.ups if level else 1)
        assert max(map(len, used.values())) <= -(-reached // fewest) + level
