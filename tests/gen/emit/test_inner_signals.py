"""Each component is a module of its own in Verilog, so another one may use its ports, and no other signal of it."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.gen.emit.verilog.convert import convert
from dsnswitch.net.messages import UsageError


class Counter(wiring.Component):
    """Has a port, and a list with an inner signal."""

    count: Out(2)

    def __init__(self):
        self.steps = [Signal(2, name="step")]
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.d.sync += [self.steps[0].eq(self.steps[0] + 1), self.count.eq(self.steps[0])]
        return m


class Reader(wiring.Component):
    """Reads the signal of a counter that ``of`` returns."""

    i: In(1)
    o: Out(2)

    def __init__(self, of):
        self._of = of
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.counter = counter = Counter()
        with m.If(self.i):
            m.d.sync += self.o.eq(self._of(counter))
        return m


def test_inner_signals_of_others_are_refused():
    with pytest.raises(UsageError, match=r"^Counter.steps is used by the component above it, and is no port$"):
        convert(Reader(lambda counter: counter.steps[0]), "top", [])
    assert "module top_counter" in convert(Reader(lambda counter: counter.count), "top", [])
