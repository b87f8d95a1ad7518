"""Components that differ only in a parameter of their signature become different modules. Equal ones are converted once."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from amaranth.sim import Simulator

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.verilog import hierarchy
from dsnswitch.gen.emit.verilog.hierarchy import hierarchical_rtlil, identity
from dsnswitch.hdl.line.light import LineEncoder
from dsnswitch.hdl.pcs.pcs260.protected import LiteralPacker
from dsnswitch.hdl.routing.ring import RingTerms


def test_terms_of_rings_with_as_many_levels_differ():
    """11 and 13 supernodes have 4 levels and equal members, but their halves differ."""
    eleven, thirteen, same = RingTerms(11, True), RingTerms(13, True), RingTerms(13, True)
    assert identity(eleven) != identity(thirteen) == identity(same)
    assert None not in (identity(eleven), identity(thirteen))


@pytest.mark.parametrize(("n", "half"), [(11, 5), (13, 6)])
def test_their_halves(n, half):
    terms = RingTerms(n, True)
    found = []

    async def bench(ctx):
        ctx.set(terms.own, 0)
        await ctx.delay(1e-9)
        found.append(ctx.get(terms.terms.half))

    simulator = Simulator(terms)
    simulator.add_testbench(bench)
    simulator.run()
    assert found == [half]


def test_a_rectangle_of_two_rings_with_as_many_levels(lab):
    assert lab.bench("route_bench", {"topology": "grid:5x6:k4x2"}, pairs=400, against="relation") == 2


@pytest.fixture
def elaborations(monkeypatch):
    """A function that returns a list with an item for each elaboration of a component of class ``owner`` from now on."""

    def count(owner):
        elaborate, calls = owner.elaborate, []
        monkeypatch.setattr(owner, "elaborate", lambda self, platform: calls.append(self) or elaborate(self, platform))
        return calls

    return count


def test_ports_with_streams_are_elaborated_once(elaborations):
    """Two equal ports are one module, although their lines are streams, whose interfaces have a class of their own."""
    assert identity(LineEncoder()) == identity(LineEncoder())
    switch, calls = build({"block": "switch", "topology": "torus:3", "packet": 1}), elaborations(LineEncoder)
    text = hierarchical_rtlil(switch.component(), "switch")
    assert len(calls) == 1
    assert text.count("cell \\switch_fabric_port ") == 2


def test_modules_of_another_top_are_used_again(monkeypatch, elaborations):
    """The text of a top is the same whether its parts are converted for the first time, or were parts of a link before."""
    values = {"block": "light-link-tx", "format": "literal"}
    link, pcs = (build(values | {"block": block}).component for block in ("light-link-tx", "pcs260-tx"))
    fresh = hierarchical_rtlil(pcs(), "pcs")
    monkeypatch.setattr(hierarchy, "kept", {})
    hierarchical_rtlil(link(), "link")
    calls = elaborations(LiteralPacker)
    assert hierarchical_rtlil(pcs(), "pcs") == fresh
    assert not calls
    monkeypatch.setattr(hierarchy, "kept", {})
    hierarchical_rtlil(pcs(), "pcs")
    assert calls


def test_threads_may_emit_at_once(monkeypatch):
    """Figures are measured by several threads. Each gets the text that it would get alone, however often they alternate."""
    monkeypatch.setattr(hierarchy, "kept", None)
    block = build({"block": "secded", "n": 39, "k": 32})
    alone = hierarchical_rtlil(block.component(), "secded")
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            texts = list(pool.map(lambda _: hierarchical_rtlil(block.component(), "secded"), range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert texts == [alone] * 8
