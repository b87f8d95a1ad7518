"""Every route logic answers every input with exactly one bit of its port and its verdicts. Proved by SAT."""

from itertools import product
from pathlib import Path

import pytest
from amaranth.hdl import Cat, Const, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.baseline import PlainMeshRoute, PlainTorusRoute
from dsnswitch.hdl.logic.numbers import total_of
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.detour import DetourRoute
from dsnswitch.hdl.routing.gateware import LOGIC, route_logic
from dsnswitch.hdl.routing.turns import Turns
from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.dsn import Dsn
from dsnswitch.net.topology.dsn_f import DsnF
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.hypercube import Hypercube
from dsnswitch.net.topology.mesh import Mesh
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.net.topology.torus import Torus

ROOT = Path(__file__).resolve().parents[3]

VERDICTS = ("out_port", "arrived", "undeliverable", "invalid")

#: By topology: networks with fields that are no powers of two, small and large.
NETWORKS = {
    Dsn: (
        ["grid:3x2:coc-2x3", "ring:5:ring-3", "grid:1x3:ring-6"],
        ["grid:12x10", "grid:5x7:coc-3x2", "ring:22:ring-6", "grid:8x8", "ring:1:ring-3"],
    ),
    DsnF: (["dsn-f:21"], ["dsn-f:63", "dsn-f:100", "dsn-f:8"]),
    Torus: (["torus:3x4"], ["torus:5x8x3", "torus:2x1x7"]),
    Mesh: (["mesh:3x4"], ["mesh:5x8x3", "mesh:2x1x7"]),
    Hypercube: (["hypercube:3"], ["hypercube:6"]),
    Adjacency: (["dragonfly:a=2,h=1", "fattree:k=4,levels=2"], ["hyperx:3x5", "kautz:n=3,m=3", "mlfm:h=3", "slimfly:q=3"]),
    Graph: ([f"graph:{ROOT / 'tests/graphs/petersen.edges'}"], [f"graph:{ROOT / 'examples/net.graphml'}"]),
}
#: Digits are for sizes that are powers of two.
DIGITS = (["grid:4x2:coc-2x3", "ring:4:ring-3"], ["grid:8x8", "grid:4x8:coc-3x2", "ring:16:ring-6"])
LARGEST = (["grid:4x4:coc-2x3", "ring:4:ring-3"], ["grid:8x8", "grid:8x8:coc-3x3", "ring:16:ring-5"])
REGISTRY = [(routing, topology) for routing, kinds in LOGIC.items() for topology in kinds]


class Verdicts(wiring.Component):
    """``wrong`` is 1 if not exactly one bit is 1, or if ``invalid`` does not say whether both addresses exist, the
    destination with hosts.
    """

    def __init__(self, inner):
        self._inner = inner
        self._inputs = {name: member for name, member in inner.signature.members.items() if member.flow == In}
        super().__init__(self._inputs | {"wrong": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.inner = inner = self._inner
        connect_ports(m, self, inner, self._inputs)
        found = Cat(getattr(inner, name) for name in VERDICTS if name in inner.signature.members)
        wrong = total_of(list(found)) != 1
        if isinstance(inner, RouteComponent) and not inner.size.signature.members:
            absent = missing(inner.network, self.dst, hosted=True)
            if "own" in self._inputs and self.own.signature.members:
                absent |= missing(inner.network, self.own)
            wrong |= inner.invalid != absent
        m.d.comb += self.wrong.eq(wrong)
        return m


def missing(network, address, hosted=False):
    """Whether the network has no switch with an address, or, if ``hosted``, none with hosts."""
    fields = [field for field in network.fields if field.width]
    value = Cat(getattr(address, field.name) for field in fields)
    absent = []
    for values in product(*(range(1 << field.width) for field in fields)):
        named = dict(zip((field.name for field in fields), values))
        switch = tuple(named.get(field.name, 0) for field in network.fields)
        if not network.contains(switch) or (hosted and not network.hosts_of(switch)):
            bits, place = 0, 0
            for field in fields:
                bits |= named[field.name] << place
                place += field.width
            absent.append(value == bits)
    return Cat(absent).any()


def holds(prove, inner):
    proved, log = prove(Verdicts(inner), "wrong")
    assert proved, log


def cases(size):
    """Every entry of the registry, universal and specialised, with each network of its topology."""
    for routing, topology in REGISTRY:
        for spelling in (DIGITS if routing == "minimal-digits" else NETWORKS[topology])[size]:
            for specialised in (False, True):
                flavour = "-".join([routing, spelling.replace(f"{ROOT}/", ""), *(["specialised"] if specialised else [])])
                # Specialised logic is universal logic with a constant address.
                mark = pytest.mark.prove if size or (specialised and topology is not Dsn) else ()
                yield pytest.param(spelling, routing, specialised, id=flavour, marks=mark)


@pytest.mark.parametrize(("spelling", "routing", "specialised"), [*cases(0), *cases(1)])
def test_exactly_one_bit(prove, spelling, routing, specialised):
    network = parse_network(spelling)
    *_, last = network.switches()
    holds(prove, route_logic(network, last if specialised else None, routing=routing))


@pytest.mark.parametrize("spelling", [*LARGEST[0], *(pytest.param(name, marks=pytest.mark.prove) for name in LARGEST[1])])
def test_exactly_one_bit_of_sized_logic(prove, spelling):
    holds(prove, route_logic(parse_network(spelling), sized=True))


@pytest.mark.parametrize("inner", [PlainMeshRoute((4, 8)), PlainTorusRoute((4, 2, 8)), PlainTorusRoute((8, 8), (3, 5))])
def test_exactly_one_bit_of_baselines(prove, inner):
    holds(prove, inner)


class WithoutPort(Verdicts):
    """``wrong`` is 1 if class and header bits of a packet without a port are not those of the definition."""

    def elaborate(self, platform):
        m = Module()
        m.submodules.inner = inner = self._inner
        connect_ports(m, self, inner, self._inputs)
        two = len(self.in_state) == 4
        kept = Cat(Const(0, 3), self.in_state[3]) if two else Const(0, 3)
        m.d.comb += self.wrong.eq(
            (~inner.out_port.any() & (inner.out_class != self.in_class))
            | ((inner.arrived | inner.invalid) & (inner.out_state != kept))
        )
        return m


@pytest.mark.parametrize("spelling", ["grid:3x2:ring-3", "ring:5:ring-3", "grid:1x1:ring-4"])
def test_class_and_header_without_a_port(prove, spelling):
    inner = route_logic(parse_network(spelling), routing="detour")
    proved, log = prove(WithoutPort(inner), "wrong")
    assert proved, log


def test_proof_can_fail(prove, mutate):
    mutate(RouteComponent, "_outside", "Cat(missing, self._missing(self._own))", "missing")
    inner = route_logic(parse_network("ring:5:ring-3"), routing="detour")
    proved, log = prove(Verdicts(inner), "wrong")
    assert not proved
    assert "model found: FAIL" in log


def test_definition_can_fail(prove, mutate):
    mutate(Turns, "elaborate", "turn & ~self.is_over", "turn")
    proved, log = prove(WithoutPort(DetourRoute(parse_network("ring:5:ring-3"))), "wrong")
    assert not proved
    assert "model found: FAIL" in log
