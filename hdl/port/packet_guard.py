"""Packet guard: tracks the open packets at the receiver of a link and the flits that each still lacks."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.decoders import equals
from dsnswitch.hdl.logic.ones import TrailingOne

__all__ = ["PacketGuard"]


class PacketGuard(wiring.Component):
    """Follows the packets of all channels, and ends those that the line has broken. Outputs are for the block that arrives now.

    A packet ends when it has as many flits as its header states, so a tail needs no mark on the line. A packet that is to end
    early waits in ``broken`` until a block without a flit leaves a cycle for its bad tail.

    Parameters
    ----------
    channels : int
    length : int
        Bits of the length in a header.

    Members
    -------
    valid : In(channels)
        The flit that the block before gave; one-hot or 0.
    head, tail : In(1)
        Its marks.
    length : In(length)
        The length of its packet, if it is a head.
    refused : In(1)
        It is a head whose header is wrong: no packet begins.
    breaks : In(1)
        All open packets are to end.
    space : In(channels)
        The buffer can take a flit.
    free : In(1)
        The block that arrives now leaves a cycle for a bad tail.
    is_open : Out(channels)
        A packet lacks flits. It may go on.
    last : Out(channels)
        It lacks one flit.
    broken : Out(channels)
        It is to end.
    ends : Out(channels)
        Its bad tail is sent now; one-hot or 0.
    """

    def __init__(self, channels, length):
        super().__init__(
            {
                "valid": In(channels),
                "head": In(1),
                "tail": In(1),
                "length": In(length),
                "refused": In(1),
                "breaks": In(1),
                "space": In(channels),
                "free": In(1),
                **{name: Out(channels) for name in ("is_open", "last", "broken", "ends")},
            }
        )

    def elaborate(self, platform):
        m = Module()
        channels = len(self.valid)
        lacking = Signal(channels)
        waits = Signal(channels)
        for v in range(channels):
            left = Signal.like(self.length, name=f"left_{v}")
            now = Signal.like(left, name=f"left_now_{v}")
            before = Mux(self.head, self.length, left)
            m.d.comb += now.eq(Mux(self.valid[v], Mux(self.tail | self.refused, 0, before - 1), left))
            m.d.sync += left.eq(now)
            m.d.comb += [lacking[v].eq(now.any()), self.last[v].eq(equals(now, 1))]
        m.submodules.lowest = lowest = TrailingOne(channels)
        m.d.comb += [
            self.broken.eq(lacking & (waits | self.breaks.replicate(channels))),
            self.is_open.eq(lacking & ~self.broken),
            lowest.i.eq(self.broken & self.space),
            self.ends.eq(lowest.o & self.free.replicate(channels)),
        ]
        m.d.sync += waits.eq(self.broken)
        return m
