"""Skid buffer: flits that arrive while the line is busy wait here."""

from amaranth.hdl import Module, Mux, Signal
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

    Members
    -------
    valid, entry : In(1), In(width)
        A flit arrives.
    pop : In(1)
        The flit in ``front`` leaves; only while ``front_valid``.
    front_valid, front : Out(1), Out(width)
        The oldest flit.
    stall : Out(1)
        Send no more flits. Combinational; the sender registers it.
    """

    #: Entries, and how many wait when ``stall`` is 1.
    ENTRIES, LIMIT = 4, 2

    def __init__(self, width):
        self._width = width
        self.level = Signal(range(self.ENTRIES + 1))
        super().__init__(
            {
                "valid": In(1),
                "entry": In(width),
                "pop": In(1),
                "front_valid": Out(1),
                "front": Out(width),
                "stall": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        words = [Signal(self._width, name=f"entry_{number}", reset_less=True) for number in range(self.ENTRIES)]
        # Whether ``level`` is not 0, as a register of its own that selects ``front``.
        filled = Signal()
        after = Signal.like(self.level)
        m.d.comb += [
            self.front_valid.eq(filled | self.valid),
            self.front.eq(Mux(filled, words[0], self.entry)),
            after.eq(self.level + self.valid - self.pop),
            self.stall.eq(after >= self.LIMIT),
        ]
        m.d.sync += [self.level.eq(after), filled.eq(after.any())]
        for number, word in enumerate(words):
            later = words[number + 1] if number + 1 < self.ENTRIES else self.entry
            # The entry at which an arriving flit is stored, which a flit that leaves moves down by one.
            here = Mux(self.pop, self.level == number + 1, self.level == number)
            with m.If(self.valid & here):
                m.d.sync += word.eq(self.entry)
            with m.Elif(self.pop):
                m.d.sync += word.eq(later)
        return m
