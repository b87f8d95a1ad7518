"""Event counters."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Counter", "count"]


class Counter(wiring.Component):
    """Counts cycles with ``add``; stays at its greatest value. Latency 1 cycle.

    Members
    -------
    add : In(1)
    clear : In(1)
        Back to 0, or to 1 with ``add`` in the same cycle: none is lost.
    count : Out(width)
    """

    def __init__(self, width=32):
        super().__init__({"add": In(1), "clear": In(1), "count": Out(width)})

    def elaborate(self, platform):
        m = Module()
        with m.If(self.clear):
            m.d.sync += self.count.eq(self.add)
        with m.Elif(self.add & ~self.count.all()):
            m.d.sync += self.count.eq(self.count + 1)
        return m


def count(m: Module, owner, **events):
    """A :class:`Counter` for each event, a 1-bit value: shown at the output of ``owner`` with its name, cleared by ``clear``."""
    for name, event in events.items():
        shown = getattr(owner, name)
        m.submodules[f"{name}_counter"] = counter = Counter(len(shown))
        m.d.comb += [counter.add.eq(event), counter.clear.eq(owner.clear), shown.eq(counter.count)]
