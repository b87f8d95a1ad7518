"""Saturating counters of events and amounts."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Counter", "count"]


class Counter(wiring.Component):
    """Saturating counter: adds an event or an amount per cycle and stays at its greatest value.

    Latency 1 cycle for events, 2 for amounts.

    Parameters
    ----------
    width : int
        Bits of the count.
    step : int
        Bits of the amount per cycle; 1 for an event.
    split : bool
        Count events in two halves with a registered carry between them, for a shorter clock period. Amounts are always
        counted in halves.

    Members
    -------
    add : In(step)
        The event, or the amount, of this cycle.
    clear : In(1)
        Sets the count to ``add`` of the same cycle, so that no event is lost.
    count : Out(width)
        The count.

    Raises
    ------
    ValueError
        If the count is narrower than the amount.
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
        """Count in two halves. A register says that both are full, so that no carry runs through all bits."""
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
        """Add to the lower half now and its carry to the upper half a cycle later: no carry runs through all bits."""
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
    """Add a :class:`Counter` for each event or amount in ``events``.

    The counter of the event ``name`` drives the output ``name`` of ``owner``; the input ``clear`` of ``owner`` clears it.
    """
    for name, event in events.items():
        shown = getattr(owner, name)
        m.submodules[f"{name}_counter"] = counter = Counter(len(shown), len(event), split)
        m.d.comb += [counter.add.eq(event), counter.clear.eq(owner.clear), shown.eq(counter.count)]
