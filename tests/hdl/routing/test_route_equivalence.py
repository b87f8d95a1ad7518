"""SAT proofs that universal and specialised logic are the same function of every destination (and every node if all fit)."""

import random

import pytest
from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.dsn import RouteLogic
from dsnswitch.net.topology.dsn import grid, ring
from dsnswitch.net.topology.supernode import Coc
from dsnswitch.sim.golden.topology.dsn import nodes


class Miter(wiring.Component):
    """Universal logic and the specialised logic of some nodes; ``differs`` is 1 if they disagree.

    ``which`` selects the node, and thereby the straps and the specialised outputs, so one proof covers all nodes.
    """

    def __init__(self, dsn, chosen):
        self.dsn, self.chosen = dsn, chosen
        self.universal = RouteLogic(dsn)
        dst = self.universal.signature.members["dst"]
        super().__init__({"which": In(range(len(chosen))), "dst": dst, "differs": Out(1)})

    def special(self, node):
        return RouteLogic(self.dsn, node)

    def elaborate(self, platform):
        m = Module()
        m.submodules.universal = self.universal
        answers = []
        for index, node in enumerate(self.chosen):
            m.submodules[f"node_{index}"] = logic = self.special(node)
            connect_ports(m, self, logic, ["dst"])
            answers.append((logic.out_port, logic.arrived, logic.invalid))
        connect_ports(m, self, self.universal, ["dst"])
        for place, field in enumerate(self.dsn.fields):
            if field.width:
                straps = Array(node[place] for node in self.chosen)
                m.d.comb += getattr(self.universal.own, field.name).eq(straps[self.which])
        differ = []
        for position, output in enumerate(("out_port", "arrived", "invalid")):
            mine = getattr(self.universal, output)
            theirs = Signal.like(mine, name=f"special_{output}")
            m.d.comb += theirs.eq(Array(answer[position] for answer in answers)[self.which])
            differ.append(mine != theirs)
        m.d.comb += self.differs.eq((self.which < len(self.chosen)) & Cat(differ).any())
        return m


class BrokenMiter(Miter):
    """A miter in which the specialised logic of the last node is that of another node."""

    def special(self, node):
        return super().special(self.chosen[0] if node == self.chosen[-1] else node)


def sample(dsn, count):
    everyone = list(nodes(dsn))
    return random.Random(7).sample(everyone, min(count, len(everyone)))


SAMPLED = [
    pytest.param(ring(7, 4), 28, id="ring-7-4-all"),
    pytest.param(ring(13, 4, "forward"), 8, id="ring-13-4-forward"),
    pytest.param(grid(8, 8), 8, id="8x8"),
    pytest.param(grid(12, 10), 4, id="12x10"),
    pytest.param(grid(4, 4, Coc(4, 4)), 4, id="coc-16"),
]
LARGE = [pytest.param(grid(2**p, 2**p), 8, id=f"p{p}") for p in (4, 5, 6, 8)]


@pytest.mark.parametrize(("dsn", "count"), SAMPLED)
def test_universal_is_specialised(prove, dsn, count):
    proved, log = prove(Miter(dsn, sample(dsn, count)), "differs")
    assert proved, log


@pytest.mark.prove
def test_every_node_of_4x4x8(prove):
    dsn = grid(4, 4)
    proved, log = prove(Miter(dsn, list(nodes(dsn))), "differs")
    assert proved, log


def test_proof_can_fail(prove):
    proved, log = prove(BrokenMiter(grid(4, 4), sample(grid(4, 4), 3)), "differs")
    assert not proved
    assert "model found: FAIL" in log


@pytest.mark.prove
@pytest.mark.parametrize(("dsn", "count"), LARGE)
def test_universal_is_specialised_large(prove, dsn, count):
    proved, log = prove(Miter(dsn, sample(dsn, count)), "differs")
    assert proved, log


@pytest.mark.prove
def test_every_node_of_8x8x8(prove):
    dsn = grid(8, 8)
    proved, log = prove(Miter(dsn, list(nodes(dsn))), "differs")
    assert proved, log
