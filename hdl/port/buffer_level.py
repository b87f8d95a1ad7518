"""Credits of one channel at the receiver: the level of the core's buffer, and the count of freed flits."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BufferLevel"]


class BufferLevel(wiring.Component):
    """Counts the flits in the buffer of one channel, and those that have left it. Registered.

    The sender's count of sent flits includes those that were lost on the line. A report of it corrects the count of freed flits,
    so that the credits of lost flits return. ``space`` stops flits that the buffer cannot hold, whatever arrives.

    Parameters
    ----------
    depth : int
        Flits of the buffer.
    width : int
        Bits of a count.

    Members
    -------
    active : In(1)
        The link is open. While 0, the count of freed flits is 0.
    delivered : In(1)
        A flit enters the buffer; only if ``space`` was 1 in the cycle before.
    credit : In(1)
        A flit has left the buffer.
    lost : In(1)
        The buffer is empty, whatever credits have returned.
    update, sent : In(1), In(width)
        The sender reports how many flits it has sent, all of them before the last ``delivered``.
    space, empty : Out(1)
        The buffer can hold one more flit, with the one that is ``delivered`` now; it holds none.
    freed : Out(width)
        Flits that have left the buffer or were lost.

    Attributes
    ----------
    level : Signal
        Flits in the buffer.
    """

    def __init__(self, depth, width):
        self._depth = depth
        self.level = Signal(range(depth + 1))
        inputs = ("active", "delivered", "credit", "lost", "update")
        super().__init__(
            {
                **{name: In(1) for name in inputs},
                "sent": In(width),
                "space": Out(1),
                "empty": Out(1),
                "freed": Out(width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        level, depth = self.level, self._depth
        after = Signal.like(level)
        corrected = Signal.like(self.freed)
        corrects = Signal()
        m.d.comb += [
            after.eq(level + self.delivered - (self.credit & (level.any() | self.delivered))),
            self.empty.eq(~level.any() & ~self.delivered),
            self.space.eq((level < depth - 1) | (level == depth - 1) & ~self.delivered),
        ]
        m.d.sync += [
            level.eq(Mux(self.lost, 0, after)),
            corrected.eq(self.sent - after),
            corrects.eq(self.update & self.active),
        ]
        with m.If(~self.active):
            m.d.sync += self.freed.eq(0)
        with m.Elif(corrects):
            m.d.sync += self.freed.eq(corrected + self.credit)
        with m.Else():
            m.d.sync += self.freed.eq(self.freed + self.credit)
        return m
