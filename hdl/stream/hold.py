"""Store-and-forward of codewords: a codeword waits for its last beat, with which the decoder says whether it is correct."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.stream.delay_memory import DelayMemory
from dsnswitch.net.checks import Parameter

__all__ = ["Hold"]


class Hold(wiring.Component):
    """Stores a codeword and forwards it after its last beat. Latency ``beats`` cycles, one beat per cycle.

    The buffer holds one codeword and one beat. At most one complete codeword therefore waits to leave.

    Parameters
    ----------
    width : int
        Bits of a beat.
    beats : int
        Beats of a codeword. Codewords are counted from reset.

    Members
    -------
    i : In(stream of ``width`` bits)
        Beats as they arrive.
    o : Out(stream of ``width`` bits)
        The same beats, delayed.
    empty : Out(1)
        The buffer is empty.
    """

    beats = Parameter("Beats of a codeword.")

    def __init__(self, width, beats):
        self._beats, self.latency = beats, beats
        members = {"i": In(stream.Signature(width)), "o": Out(stream.Signature(width)), "empty": Out(1)}
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        beats = self._beats
        m.submodules.words = memory = DelayMemory(len(self.i.payload), beats)
        written = Signal(range(beats))
        sent = Signal(range(beats))
        waiting = Signal(range(beats + 1))
        # ``whole``: a codeword is complete and none of its beats has left. ``ready``: the memory's output is a beat.
        whole = Signal()
        ready = Signal()
        given = Signal()
        taken = Signal()
        m.d.comb += [
            self.i.ready.eq(~memory.full),
            given.eq(self.i.valid & self.i.ready),
            self.o.valid.eq(ready & (whole | sent.any())),
            self.o.payload.eq(memory.o),
            taken.eq(self.o.valid & self.o.ready),
            memory.i.eq(self.i.payload),
            memory.write.eq(given),
            memory.read.eq(waiting.any() & (taken | ~ready)),
            self.empty.eq(~ready & ~waiting.any()),
        ]
        m.d.sync += waiting.eq(waiting + given - memory.read)
        with m.If(memory.read):
            m.d.sync += ready.eq(1)
        with m.Elif(taken):
            m.d.sync += ready.eq(0)
        for moved, place in ((given, written), (taken, sent)):
            with m.If(moved):
                m.d.sync += place.eq(place + 1)
                with m.If(place == beats - 1):
                    m.d.sync += place.eq(0)
        with m.If(given & (written == beats - 1)):
            m.d.sync += whole.eq(1)
        with m.Elif(taken & ~sent.any()):
            m.d.sync += whole.eq(0)
        return m
