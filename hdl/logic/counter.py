"""Event counters."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Counter", "count"]


class Counter(wiring.Component):
    """Adds up; stays at its greatest value. Latency 1 cycle.

    Parameters
    ----------
    width : int
        Bits of the count.
    step : int
        Bits of what is added in a cycle: 1 for an event.

    Members
    -------
    add : In(step)
    clear : In(1)
        Back to 0, or to ``add`` of the same cycle: none is lost.
    count : Out(width)
    """

    def __init__(self, width=32, step=1):
        super().__init__({"add": In(step), "clear": In(1), "count": Out(width)})

    def elaborate(self, platform):
        m = Module()
        if len(self.add) == 1:
            with m.If(self.clear):
                m.d.sync += self.count.eq(self.add)
            with m.Elif(self.add & ~self.count.all()):
                m.d.sync += self.count.eq(self.count + 1)
            return m
        total = Signal(len(self.count) + 1)
        m.d.comb += total.eq(Mux(self.clear, 0, self.count) + self.add)
        m.d.sync += self.count.eq(total[:-1] | total[-1].replicate(len(self.count)))
        return m


def count(m: Module, owner, **events):
    """A :class:`Counter` for each event (or amount): shown at the output of ``owner`` with its name, cleared by ``clear``."""
    for name, event in events.items():
        shown = getattr(owner, name)
        m.submodules[f"{name}_counter"] = counter = Counter(len(shown), len(event))
        m.d.comb += [counter.add.eq(event), counter.clear.eq(owner.clear), shown.eq(counter.count)]
