"""Keeps a codeword until all of it is there: only with its last beat is it known whether to believe it."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .delay_memory import DelayMemory

__all__ = ["Hold"]


class Hold(wiring.Component):
    """A codeword comes out behind its last beat. Latency as many cycles as it has beats, one beat a cycle.

    There is room for one codeword and a beat, so that no more than one is whole and has not begun to come out.

    Parameters
    ----------
    width : int
        Bits of a beat.
    beats : int
        Of a codeword, counted from reset.

    Members
    -------
    i, o : In, Out(stream of ``width`` bits)
    empty : Out(1)
        Nothing is kept.
    """

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
        # A codeword is whole and has not begun to come out; the beat that is read is there.
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
