"""Mesh, hypercube and torus: graphs, routes and parameters against the golden model; switches with different ports."""

from collections import Counter

import pytest

from dsnswitch.net.analysis.paths import statistics
from dsnswitch.net.files.export import export
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.hypercube import Hypercube
from dsnswitch.net.topology.mesh import Mesh
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing.registry import path
from dsnswitch.sim.golden.topology import lattices

MESHES = ["mesh:2", "mesh:7", "mesh:4x3", "mesh:1x5", "mesh:3x2x4", "mesh:2x2"]
CUBES = ["hypercube:1", "hypercube:3", "hypercube:6"]
SPELLINGS = [*MESHES, *CUBES]

each = pytest.mark.parametrize("spelling", SPELLINGS)


def golden_graph(network):
    return lattices.graph([field.size for field in network.fields], wraps=False)


@each
def test_the_graph_is_golden(spelling):
    network = parse_network(spelling)
    wanted = golden_graph(network)
    assert set(network.switches()) == set(wanted)
    edges = {frozenset(edge) for edge in wanted.edges}
    assert Counter(frozenset((link.source, link.target)) for link in network.links()) == Counter(edges)
    assert network.link_count == len(edges)


@each
def test_a_switch_has_the_ports_with_a_link(spelling):
    network = parse_network(spelling)
    degree = dict(golden_graph(network).degree)
    for switch in network.switches():
        ends = {port: network.neighbour(switch, port.index) for port in network.ports}
        assert network.ports_of(switch) == tuple(port for port, end in ends.items() if end)
        assert len(network.ports_of(switch)) == degree[switch]
        assert all(end is None or network.neighbour(*end) == (switch, port.index) for port, end in ends.items())


@each
def test_routes_are_golden(spelling):
    network = parse_network(spelling)
    relation = relation_of(network)
    assert set(relation.classes.values()) == {1}
    longest = 0
    for source in network.switches():
        for target in network.switches():
            hops = relation.route(source, target)
            assert [hop[0:4:3] for hop in hops] == [hop[:2] for hop in path(network, source, target)]
            longest = max(longest, len(hops))
    found = statistics(relation)
    assert longest == relation.bound == found.routing_diameter == found.diameter
    assert found.aspl == found.average_path


@each
def test_a_network_is_spelt_as_it_is_parsed(spelling):
    network = parse_network(spelling)
    assert (network.spelling, network.parameters) == (spelling, {"topology": spelling})
    assert parse_network(network.spelling) == network


@pytest.mark.parametrize("spelling", [*SPELLINGS, "torus:5x4", "torus:3"])
def test_places_differ_and_every_link_is_drawn(spelling):
    network = parse_network(spelling)
    assert len({network.place(switch) for switch in network.switches()}) == network.nodes
    text = export(network, "svg")
    assert text.count("data-link=") == network.link_count
    assert text.count("<circle") == network.nodes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mesh:", "Topology must have the form mesh:AxBx.., not 'mesh:'"),
        ("mesh:4:4", "Topology must have the form mesh:AxBx.., not 'mesh:4:4'"),
        ("mesh:1x1", "A mesh must have at least 2 switches, not 1"),
        ("mesh:4x257", "Mesh size 1 must be in 1..256, not 257"),
        ("hypercube:2x2", "Topology must have the form hypercube:N, not 'hypercube:2x2'"),
        ("hypercube:0", "Dimensions n of a hypercube must be in 1..16, not 0"),
        ("hypercube:17", "Dimensions n of a hypercube must be in 1..16, not 17"),
    ],
)
def test_refusals(text, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        parse_network(text)


def test_wrong_types():
    with pytest.raises(TypeError, match="Mesh sizes must be a tuple of 1 to 6 integers, not 4"):
        Mesh(4)
    with pytest.raises(TypeError, match="Dimensions n of a hypercube must be an integer, not '3'"):
        Hypercube("3")
