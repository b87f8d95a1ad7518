"""When packets in a ring with bubbles let one enter."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

#: Packets that may go on in a ring while another one waits to enter it.
PASSES = 15


class RingPause(wiring.Component):
    """Lets packets that enter a ring come in between those that go on in it. Latency 1 cycle.

    A packet that enters needs the space of a whole packet, and those in the ring a single flit, so under load they would take
    every flit that becomes free. When :data:`PASSES` of them have gone on while a packet waited to enter, the next ones pause,
    and the space grows. They pause until a packet has entered, or until ``resume``: then as many may pass again. So a pause
    delays the packets of a ring, and closes no cycle of waiting packets.

    Parameters
    ----------
    channels : int

    Members
    -------
    - asks (In(channels)): A head asks to enter the ring on this channel.
    - begins (In(channels)): A packet begins on the channel.
    - goes_on (In(channels)): With ``begins``: it goes on in the ring.
    - resume (In(1)): From time to time: pauses end.
    - pauses (Out(channels)): Heads that go on in the ring are not eligible; registered.
    """

    def __init__(self, channels):
        bits = {name: In(channels) for name in ("asks", "begins", "goes_on")}
        super().__init__(bits | {"resume": In(1), "pauses": Out(channels)})

    def elaborate(self, platform):
        m = Module()
        asked = Signal.like(self.asks)
        m.d.sync += asked.eq(self.asks)
        for c, pauses in enumerate(self.pauses):
            passed = Signal(range(PASSES + 1), name=f"passed_{c}")
            m.d.comb += pauses.eq(passed == PASSES)
            with m.If(self.begins[c] & ~self.goes_on[c] | pauses & self.resume):
                m.d.sync += passed.eq(0)
            with m.Elif(self.begins[c] & asked[c] & ~pauses):
                m.d.sync += passed.eq(passed + 1)
        return m
