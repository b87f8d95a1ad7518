"""Where codewords begin, found by whether they can be decoded."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CodewordLock"]


class CodewordLock(wiring.Component):
    """Locked after ``make`` decodable codewords in a row; lost with ``lose`` in a row that are not.

    Without lock every codeword that is not decodable slips. Those that lose it do not: another bit is looked at only if the
    next one cannot be decoded either.

    Three to lose it are those of IEEE 802.3 Clause 91 (from memory), whose receivers find codewords by alignment markers. There
    are none here. What looks like a codeword by chance does so once in 560,000 times for RS(528,514).

    Parameters
    ----------
    settle : int
        Words that are on their way when ``slip`` is seen. They and the one that goes in with ``slip`` are from before it.
    make, lose : int
    most : int
        Codewords that can be on their way through the decoder, begun ones included.

    Members
    -------
    goes, begins : In(1)
        A word goes into the decoder; it is the first of a codeword.
    done, decodable : In(1)
        A codeword leaves the decoder; it could be decoded.
    start, start_locked : In(1)
        Begin anew, locked or not; for a user who knows better. Nothing is on its way then.
    locked : Out(1)
        Latency 1 cycle behind ``done``.
    slip : Out(1)
        For a cycle: look one bit later. Codewords with a word from before are not tested.
    """

    def __init__(self, settle=0, make=2, lose=3, most=4):
        self._settle, self._make, self._lose, self._most = settle, make, lose, most
        inputs = ("goes", "begins", "done", "decodable", "start", "start_locked")
        super().__init__({**{name: In(1) for name in inputs}, "locked": Out(1), "slip": Out(1)})

    def elaborate(self, platform):
        m = Module()
        # Codewords in the decoder; of them those with words from before a slip; words that are still to come from there.
        on_the_way = Signal(range(self._most + 1))
        stale = Signal(range(self._most + 1))
        coming = Signal(range(self._settle + 2))
        so_far = Signal(range(max(self._make, self._lose)))
        tested = Signal()
        wrong = Signal()
        m.d.comb += [
            tested.eq(self.done & ~stale.any()),
            wrong.eq(tested & ~self.decodable & ~self.locked),
        ]
        m.d.sync += [on_the_way.eq(on_the_way + self.begins - self.done), self.slip.eq(wrong)]
        with m.If(wrong):
            m.d.sync += [
                so_far.eq(0),
                coming.eq(self._settle + 1),
                stale.eq(on_the_way + self.begins - 1),
            ]
        with m.Else():
            m.d.sync += stale.eq(stale + (self.begins & coming.any()) - (self.done & stale.any()))
            with m.If(self.goes & coming.any()):
                m.d.sync += coming.eq(coming - 1)
            with m.If(tested & (self.decodable == self.locked)):
                m.d.sync += so_far.eq(0)
            with m.Elif(tested):
                m.d.sync += so_far.eq(so_far + 1)
                with m.If(so_far == Mux(self.locked, self._lose, self._make) - 1):
                    m.d.sync += [self.locked.eq(~self.locked), so_far.eq(0)]
        with m.If(self.start):
            m.d.sync += [
                *(value.eq(0) for value in (on_the_way, stale, coming, so_far, self.slip)),
                self.locked.eq(self.start_locked),
            ]
        return m
