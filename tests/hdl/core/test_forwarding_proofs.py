"""SAT proofs for any contents of the table: a destination that does not exist is ``invalid``, and exactly one output is 1."""

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.forwarding import Forwarding, RouteSelector
from dsnswitch.hdl.logic.numbers import total_of
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.net.topology.dsn import grid, ring

ANSWERS = ("out_port", "arrived", "invalid", "no_route")


class Definition(wiring.Component):
    """Forwarding, compared with the definition of a destination that exists.

    ``wrong`` is 1 if not exactly one bit of ``out_port``, ``arrived``, ``invalid`` and ``no_route`` is 1, or ``invalid`` does not
    agree with the addresses of ``latency`` cycles ago. After a reset, ``invalid`` is expected until the first destination has
    passed through.
    """

    def __init__(self, dsn, node=None, **options):
        self._dsn, self._inner = dsn, Forwarding(dsn, node, **options)
        members = self._inner.signature.members.items()
        super().__init__({name: member for name, member in members if member.flow == In} | {"wrong": Out(1)})
        self.latency = self._inner.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.inner = inner = self._inner
        connect_ports(m, self, inner, [name for name in self.signature.members if name != "wrong"])
        sizes = dict(zip((*self._dsn.dimensions, "id"), (*self._dsn.sizes, self._dsn.m)))
        outside = Signal()
        own = _beyond(self.own, sizes) if hasattr(self, "own") else 0
        m.d.comb += outside.eq(_beyond(self.dst, sizes) | own)
        for cycle in range(self.latency):
            before = outside
            outside = Signal(name=f"outside_{cycle + 1}", init=1)
            m.d.sync += outside.eq(before)
        answers = total_of(list(Cat(getattr(inner, name) for name in ANSWERS)))
        m.d.comb += self.wrong.eq((answers != 1) | (inner.invalid != outside))
        return m


def _beyond(address, sizes):
    return Cat(getattr(address, name) > sizes[name] - 1 for name in address.signature.members).any()


TINY = ring(3, 3)
SMALL = {
    f"{name}-{keys}-s{stages}": (dsn, None, {"keys": keys, "stages": stages, "entries": 3})
    for name, dsn in (("3x3", TINY),)
    for keys in ("absolute", "relative", "folded")
    for stages in (0, 1, 2)
} | {
    "direct": (TINY, None, {"kind": "direct"}),
    "one-node": (grid(5, 3), (4, 1, 6), {"keys": "folded", "stages": 1, "entries": 2}),
    "power-of-two": (grid(4, 2), None, {"keys": "folded", "entries": 2}),
}
LARGE = {
    f"{dsn.name}-{keys}-s{stages}": (dsn, None, {"keys": keys, "stages": stages, "entries": 7})
    for dsn in (ring(13, 5), grid(11, 3), grid(7, 6, directions="forward"))
    for keys in ("absolute", "relative", "folded")
    for stages in (0, 1, 2)
} | {"direct": (ring(7, 5), None, {"kind": "direct"}), "direct-5x3": (grid(5, 3), None, {"kind": "direct"})}


def holds(prove, dsn, node, options):
    definition = Definition(dsn, node, **options)
    return prove(definition, "wrong", definition.latency)


@pytest.mark.parametrize(("dsn", "node", "options"), SMALL.values(), ids=SMALL)
def test_nothing_is_sent_to_nowhere(prove, dsn, node, options):
    proved, log = holds(prove, dsn, node, options)
    assert proved, log


@pytest.mark.prove
@pytest.mark.parametrize(("dsn", "node", "options"), LARGE.values(), ids=LARGE)
def test_nothing_is_sent_to_nowhere_at_larger_sizes(prove, dsn, node, options):
    proved, log = holds(prove, dsn, node, options)
    assert proved, log


def test_proof_can_fail(prove, mutate):
    """The table's action for a key that another destination has, too."""
    mutate(RouteSelector, "elaborate", "Mux(exists, ~self.dead, 0)", "~self.dead")
    proved, log = holds(prove, TINY, None, {"keys": "relative", "stages": 1, "entries": 3})
    assert not proved
    assert "model found: FAIL" in log
