"""Route logic whose sizes are inputs: SAT proofs against the fixed-size logic, classes that hold for every size, bad input."""

from itertools import product

import pytest
from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.gen.config import build
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.dsn import RouteLogic
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.dependencies import dependencies
from dsnswitch.net.routing.dsn.classes import Purpose
from dsnswitch.net.routing.dsn.relation import DsnRelation, _ByPurpose
from dsnswitch.net.topology.dsn import Dsn, grid
from dsnswitch.net.topology.registry import parse_network


class Miter(wiring.Component):
    """The sized logic at one size and the fixed-size logic; ``differs`` is 1 if they disagree at an own address that exists."""

    def __init__(self, largest, size, told=None):
        self.sized = RouteLogic(largest, sized=True)
        self.fixed_network = Dsn(size, largest.supernode, largest.directions)
        self.fixed = RouteLogic(self.fixed_network, relation=DsnRelation(self.fixed_network, largest))
        self.size = told or size
        members = self.sized.signature.members.items()
        self.inputs = {name: member for name, member in members if member.flow == In and name != "size"}
        super().__init__(self.inputs | {"differs": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.sized, m.submodules.fixed = sized, fixed = self.sized, self.fixed
        for name, size in zip(self.sized.network.dimensions, self.size):
            m.d.comb += getattr(sized.size, name).eq(size)
        connect_ports(m, self, sized, self.inputs)
        connect_ports(m, self, fixed, ["own", "dst", "in_class"])
        exists = [getattr(self.own, field.name) < field.size for field in self.fixed_network.fields]
        index = {port.name: port.index for port in sized.network.ports}
        if len(fixed.in_port):
            m.d.comb += fixed.in_port.eq(Cat(self.in_port[index[port.name]] for port in self.fixed_network.ports))
        used = {index[port.name]: fixed.out_port[port.index] for port in self.fixed_network.ports}
        port = Cat(used.get(number, 0) for number in index.values())
        # The fixed-size logic has no field for a dimension of one supernode, nor bits beyond its size.
        outside = Cat(
            getattr(self.dst, field.name) >= field.size for field in self.fixed_network.fields if field.name != "id"
        ).any()
        invalid = fixed.invalid | outside
        differ = [
            sized.out_port != (port & ~invalid.replicate(len(port))),
            sized.arrived != (fixed.arrived & ~invalid),
            sized.invalid != invalid,
        ]
        local = port[: len(self.fixed_network.supernode.port_names)].any() & ~invalid
        if len(fixed.out_class):
            differ.append(local & (sized.out_class != fixed.out_class))
        m.d.comb += self.differs.eq(Cat(exists).all() & Cat(differ).any())
        return m


@pytest.mark.parametrize(("largest", "size"), [(grid(4, 4), (3, 4))])
def test_a_size_is_the_fixed_logic(prove, largest, size):
    proved, log = prove(Miter(largest, size), "differs")
    assert proved, log


def test_another_size_is_not(prove):
    proved, log = prove(Miter(grid(4, 4), (3, 4), told=(4, 4)), "differs")
    assert not proved
    assert "model found: FAIL" in log


@pytest.mark.prove
@pytest.mark.parametrize("size", [(8, 8), (1, 8), (5, 7), (6, 2), (8, 3), (1, 1)])
def test_sizes_of_8x8(prove, size):
    proved, log = prove(Miter(grid(8, 8), size), "differs")
    assert proved, log


@pytest.mark.prove
@pytest.mark.parametrize("size", [(32, 32), (17, 31), (9, 20)])
def test_sizes_of_32x32(prove, size):
    proved, log = prove(Miter(grid(32, 32), size), "differs")
    assert proved, log


@pytest.mark.prove
@pytest.mark.parametrize("n", [1, 2, 5, 11, 16])
@pytest.mark.parametrize("directions", ["both", "forward"])
def test_sizes_of_a_ring(prove, n, directions):
    proved, log = prove(Miter(Dsn((16,), parse_network("ring:16:ring-4").supernode, directions), (n,)), "differs")
    assert proved, log


def dependencies_of(dsn):
    """``{(label, label)}`` of the dependencies with a class for every purpose, and ports by name."""

    def spelt(label):
        return (label[0], dsn.ports[label[1]].name, label[2])

    graph = dependencies(_ByPurpose(dsn))
    assert any(isinstance(label[2], Purpose) for label in graph)
    return {(spelt(a), spelt(b)) for a, following in graph.items() for b in following}


@pytest.mark.parametrize("spelling", ["grid:8x8:k4x2", "ring:16:ring-4", "ring:16:ring-4:forward"])
def test_dependencies_of_a_size_are_those_of_the_largest(spelling):
    """So the classes of the largest network, without a cycle there, have none at any size."""
    largest = parse_network(spelling)
    every = dependencies_of(largest)
    for size in product(*(range(1, size + 1) for size in largest.sizes)):
        assert dependencies_of(Dsn(size, largest.supernode, largest.directions)) <= every, size


def test_dependencies_of_a_larger_network_are_not():
    assert not dependencies_of(grid(16, 8)) <= dependencies_of(grid(8, 8))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"max_p": 3, "p": 3}, "Give max_p or p, not both max_p (= 3) and p (= 3)"),
        ({"max_p": 3, "x": 4}, "Give max_p or x, not both max_p (= 3) and x (= 4)"),
        ({"max_p": 3, "node": "0,0,0"}, "Give max_p or node, not both max_p (= 3) and node (= 0,0,0)"),
        ({"max_p": 3, "routing": "detour"}, "Sizes are inputs only of routing base, not of detour"),
        ({"max_p": 0}, "max_p must be in 1..12, not 0"),
        ({"max_p": 13}, "max_p must be in 1..12, not 13"),
        ({"max_p": 9}, "Supernode size m must be at least p = 9 (= ceil(log2 512)), not 8"),
        ({"max_p": 3, "topology": "torus:4x4"}, "With max_p, the topology must be grid or ring, not 'torus:4x4'"),
    ],
)
def test_bad_input(values, message):
    with pytest.raises(UsageError) as error:
        build(values)
    assert str(error.value) == message


def test_largest_network_is_a_power_of_two():
    with pytest.raises(ValueError, match="sizes that are powers of two from 2, not 6"):
        RouteLogic(grid(8, 6), sized=True)


def test_name_and_parameters():
    block = build({"max_p": 3, "register": True})
    assert block.name == "dsn_sized_route_grid_8x8_k4x2_registered"
    assert "x" not in block.parameters
    assert build(block.parameters) == block
