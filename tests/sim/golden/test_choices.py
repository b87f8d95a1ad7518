"""The golden model of chosen routes, against networkx and by examples that can be counted by hand."""

import networkx as nx
import pytest

from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.choices import Choices
from dsnswitch.sim.golden.topology.dsn import graph


@pytest.mark.parametrize("spelling", ["grid:4x4:ring-3", "grid:3x2:k4x2:double", "ring:7:ring-4"])
def test_without_signs_every_shortest_path(spelling):
    dsn = parse_network(spelling)
    links, golden = graph(dsn), Choices(dsn, 9)
    left = dict(nx.all_pairs_shortest_path_length(links))
    for source in dsn.representatives():
        for target in dsn.switches():
            assert golden.hops(source, target) == left[source][target]
            wanted = {there for there in links[source] if left[there][target] == left[source][target] - 1}
            assert golden.exits(source, target) == wanted


def test_signs_of_a_ring_of_eight():
    """Supernodes of four in a ring, levels 1 to 3 of lengths 4, 2, 1: id k - 1 leads forward to id k by level k."""
    golden = Choices(parse_network("ring:8:ring-4"), 9, (2,))
    plain, long, longest, two = ((False, False),), ((True, False),), ((True, True),), ((False, True),)
    # 1 forward: the shortcut of length 1 from id 2 to id 3.
    assert golden.hops((0, 2), (1, 3), plain) == 1
    assert golden.exits((0, 2), (1, 3), plain) == {(1, 3)}
    # 1 backward: 2 - 1, length 2 from id 1 to id 2, then a hop to id 3, and length 1 back from id 3 to id 2.
    assert golden.hops((0, 1), (1, 2), long) == 3
    assert golden.exits((0, 1), (1, 2), long) == {(2, 2)}
    # Both backward: 4 - 2 - 1. Length 4 to id 0, a hop to id 3, length 1 to id 2, length 2 to id 1, and a hop. Or a hop to id 2,
    # lengths 2 and 4 to ids 1 and 0, a hop to id 3, and length 1.
    assert golden.hops((0, 1), (1, 2), longest) == 5
    assert golden.exits((0, 1), (1, 2), longest) == {(4, 0), (0, 2)}
    # At an even distance, no shortcut of length 1 is taken: 2, or 4 - 2, which ends at id 0, next to id 3.
    assert golden.hops((0, 2), (2, 3), plain) == golden.hops((0, 2), (2, 3), two) == 3
    assert golden.exits((0, 2), (2, 3), plain) == {(0, 1)}
    assert golden.exits((0, 2), (2, 3), two) == {(6, 1)}
    assert golden.offered((0, 2), (2, 3)) == {plain, two}
    # Forward, 1 needs no length 2.
    assert golden.offered((0, 2), (1, 3)) == {plain, long, longest}
    assert golden.offered((0, 2), (4, 3)) == {plain}


def test_one_sign_leaves_length_two_free():
    golden = Choices(parse_network("ring:8:ring-4"), 9, (1,))
    assert golden.exits((0, 2), (2, 3), ((False,),)) == {(0, 1), (6, 1)}
    assert golden.offered((0, 2), (2, 3)) == {((False,),)}


def test_turns_limit_the_signs():
    """From (0, 2) to (1, 3), -1 + 2 goes up to id 3, down to ids 2 and 1, and up to ids 2 and 3: one turn."""
    dsn = parse_network("ring:8:ring-4")
    assert Choices(dsn, 0, (1,)).offered((0, 2), (1, 3)) == {((False,),)}
    assert Choices(dsn, 1, (1,)).offered((0, 2), (1, 3)) == {((False,),), ((True,),)}
