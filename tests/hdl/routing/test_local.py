"""Local routes of the hardware against the golden paths, and the stated diameter of each shape against networkx."""

from itertools import pairwise

import networkx as nx
import pytest

from dsnswitch.net.routing.dsn.local import first_hop
from dsnswitch.net.topology.supernode import Coc, K4x2, RingSupernode
from dsnswitch.sim.golden.routing.dsn import local_path
from dsnswitch.sim.golden.topology.dsn import local_graph

SHAPES = [K4x2(), Coc(4, 4), Coc(3, 2), Coc(2, 5), *map(RingSupernode, (2, 3, 4, 7, 8, 64))]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_first_hops_make_the_golden_path(shape):
    for own in range(shape.m):
        for target in range(shape.m):
            walk = [own]
            while walk[-1] != target:
                walk.append(shape.neighbour(walk[-1], first_hop(shape, walk[-1], target)))
                assert len(walk) <= shape.m
            assert tuple(walk) == local_path(shape, own, target)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_golden_paths_are_shortest(shape):
    net = local_graph(shape)
    shortest = dict(nx.all_pairs_shortest_path_length(net))
    for own in range(shape.m):
        for target in range(shape.m):
            path = local_path(shape, own, target)
            assert all(net.has_edge(a, b) for a, b in pairwise(path))
            assert len(path) - 1 == shortest[own][target]
    assert nx.diameter(net) == shape.diameter


def test_no_hop_to_itself():
    with pytest.raises(ValueError, match="two different ids, not 3 twice"):
        first_hop(K4x2(), 3, 3)
