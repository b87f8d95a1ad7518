"""Skid buffer: flits that arrive while the line is busy wait here."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Skid"]


class Skid(wiring.Component):
    """Holds up to four flits; an empty skid buffer is bypassed. Latency 0 cycles.

    The sender reacts to ``stall`` late: flits may arrive in the three cycles that begin with the one in which ``stall`` rises,
    and in none after that until the second cycle after ``stall`` has fallen. So the buffer never overflows.

    Parameters
    ----------
    width : int
        Bits of an entry: flit and channel.
    marks : int
        Bits at the end of an entry that are needed early: registers of their own select them.
    inserting : bool
        Whether other flits may go before those of the buffer.

    Members
    -------
    valid, entry : In(1), In(width)
        A flit arrives.
    pop : In(1)
        The flit in ``front`` leaves; only while ``front_valid``.
    inserts, inserted : In(1), In(width)
        In the next cycle, ``front`` is ``inserted``, and nothing is popped.
    front_valid, front : Out(1), Out(width)
        A flit is here; the oldest.
    stall : Out(1)
        Send no more flits. Combinational; the sender registers it.
    """

    #: Entries, and how many wait when ``stall`` is 1.
    ENTRIES, LIMIT = 4, 2

    def __init__(self, width, marks=0, inserting=False):
        self._width, self._marks, self._inserting = width, marks, inserting
        self.level = Signal(range(self.ENTRIES + 1))
        super().__init__(
            {
                "valid": In(1),
                "entry": In(width),
                "pop": In(1),
                "inserts": In(1),
                "inserted": In(width),
                "front_valid": Out(1),
                "front": Out(width),
                "stall": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        words = [Signal(self._width, name=f"entry_{number}", reset_less=True) for number in range(self.ENTRIES)]
        # Whether ``level`` is not 0.
        filled = Signal()
        after = Signal.like(self.level)
        m.d.comb += [
            self.front_valid.eq(filled | self.valid),
            after.eq(self.level + self.valid - self.pop),
            self.stall.eq(after >= self.LIMIT),
        ]
        m.d.sync += [self.level.eq(after), filled.eq(after.any())]
        self._select(m, filled, after, words[0])
        for number, word in enumerate(words):
            later = words[number + 1] if number + 1 < self.ENTRIES else self.entry
            # The entry at which an arriving flit is stored, which a flit that leaves moves down by one.
            here = Mux(self.pop, self.level == number + 1, self.level == number)
            with m.If(self.valid & here):
                m.d.sync += word.eq(self.entry)
            with m.Elif(self.pop):
                m.d.sync += word.eq(later)
        return m

    def _select(self, m, filled, after, oldest):
        """Drive ``front``. The registers that select it are many gates ahead of the codeword, so there are several."""
        rest = self._width - self._marks
        bare = Signal(init=1)
        m.d.sync += bare.eq(~after.any() & ~self.inserts)
        if self._inserting:
            busy = Signal()
            waiting = Signal()
            outside = Signal()
            absent = Signal(init=1)
            own = Signal(init=1)
            m.d.sync += [
                busy.eq(after.any() | self.inserts),
                waiting.eq(after.any() & ~self.inserts),
                outside.eq(self.inserts),
                absent.eq(~after.any() | self.inserts),
                own.eq(~self.inserts),
            ]
            low = _chosen((~busy, self.entry), (waiting, oldest), (outside, self.inserted))[:rest]
            high = _chosen((bare, self.entry), (~absent, oldest), (~own, self.inserted))[rest:]
        else:
            low = Mux(filled, oldest[:rest], self.entry[:rest])
            high = Mux(bare, self.entry[rest:], oldest[rest:])
        m.d.comb += self.front.eq(Cat(low, high))


def _chosen(*sources):
    """The word whose bit is 1, of ``(bit, word)``."""
    return reduce(or_, (word & bit.replicate(len(word)) for bit, word in sources))
