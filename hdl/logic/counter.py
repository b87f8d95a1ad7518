"""Event counters."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Counter", "count"]


class Counter(wiring.Component):
    """Adds up; stays at its greatest value. Latency 1 cycle for events, 2 for amounts.

    Parameters
    ----------
    width : int
        Bits of the count.
    step : int
        Bits of what is added in a cycle: 1 for an event.
    split : bool
        Of events: for a shorter clock period, in halves that count by themselves. Amounts are always added so.

    Members
    -------
    add : In(step)
    clear : In(1)
        Back to 0, or to ``add`` of the same cycle: none is lost.
    count : Out(width)

    Raises
    ------
    ValueError
        If the count is narrower than what is added.
    """

    def __init__(self, width=32, step=1, split=False):
        if width < step:
            raise ValueError(f"A counter that adds {step} bits must have as many at least, not {width}")
        self._split = split
        super().__init__({"add": In(step), "clear": In(1), "count": Out(width)})

    def elaborate(self, platform):
        m = Module()
        if len(self.add) > 1:
            self._add_amounts(m)
        elif self._split:
            self._add_to_halves(m)
        else:
            with m.If(self.clear):
                m.d.sync += self.count.eq(self.add)
            with m.Elif(self.add & ~self.count.all()):
                m.d.sync += self.count.eq(self.count + 1)
        return m

    def _add_to_halves(self, m):
        """Two halves that count by themselves, and a register that says that both are full: short carries."""
        greatest = (1 << len(self.count)) - 1
        half = -(-len(self.count) // 2)
        low, high = self.count[:half], self.count[half:]
        full = Signal()
        with m.If(self.clear):
            m.d.sync += [self.count.eq(self.add), full.eq(self.add & (greatest == 1))]
        with m.Elif(self.add & ~full):
            m.d.sync += [low.eq(low + 1), full.eq(self.count == greatest - 1)]
            with m.If(low.all()):
                m.d.sync += high.eq(high + 1)

    def _add_amounts(self, m):
        """The lower half now, its carry into the upper half a cycle later, so that no carry runs through all bits."""
        half = max(len(self.count) // 2, len(self.add))
        low = Signal(half)
        carry = Signal()
        shown = Signal(half)
        high = Signal(len(self.count) - half)
        full = Signal()
        m.d.sync += [shown.eq(low), Cat(low, carry).eq(low + self.add)]
        m.d.comb += self.count.eq(Cat(shown, high) | full.replicate(len(self.count)))
        with m.If(carry):
            m.d.sync += [high.eq(high + 1), full.eq(full | high.all())]
        with m.If(self.clear):
            m.d.sync += [Cat(low, carry).eq(self.add), shown.eq(0), high.eq(0), full.eq(0)]


def count(m: Module, owner, split=False, **events):
    """A :class:`Counter` for each event (or amount): shown at the output of ``owner`` with its name, cleared by ``clear``."""
    for name, event in events.items():
        shown = getattr(owner, name)
        m.submodules[f"{name}_counter"] = counter = Counter(len(shown), len(event), split)
        m.d.comb += [counter.add.eq(event), counter.clear.eq(owner.clear), shown.eq(counter.count)]
