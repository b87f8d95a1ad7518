"""No route leads back through the port on which a packet came: the core drops such a packet as one of a looped line."""

import random
from itertools import pairwise, product

import pytest
from failed_links import failed_ports, walk

from dsnswitch.net.routing.detour.relation import DetourRelation
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.registry import first_port


@pytest.mark.parametrize(
    "topology", ["torus:2", "torus:2x3", "ring:2", "ring:7:ring-3:forward", "grid:1x4", "grid:2x2", "grid:2x2:ring-9", "dsn-f:31"]
)
def test_no_route_turns_back(topology):
    network = parse_network(topology)
    for source, destination in product(network.switches(), repeat=2):
        here, came = source, None
        while here != destination:
            port = first_port(network, here, destination)
            assert port != came, f"{source} to {destination} turns at {here}"
            here, came = network.neighbour(here, port)


@pytest.mark.parametrize("topology", ["ring:8:ring-3", "grid:2x2:ring-9", "grid:4x4", "grid:3x9:ring-4", "grid:6x6:coc-2x3"])
def test_no_detour_turns_back_on_a_shortcut(topology):
    """Whatever links have failed. On local links, some do."""
    network, rng = parse_network(topology), random.Random(5)
    relation, links, switches = DetourRelation(network, None), list(network.links()), list(network.switches())
    kinds = set()
    for rate in (0.02, 0.1, 0.2, 0.3):
        failed = failed_ports(network, rng.sample(links, max(1, round(rate * len(links)))))
        for _ in range(500):
            hops, _ = walk(relation, rng.choice(switches), rng.choice(switches), failed)
            for before, after in pairwise(hops):
                came = network.neighbour(before.source, before.port)[1]
                if after.port == came:
                    kinds.add(network.ports[came].kind)
    assert kinds == {"local"}
