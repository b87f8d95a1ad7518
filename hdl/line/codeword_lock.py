"""Codeword lock: finds the boundaries of codewords on the line by whether the decoder can decode them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import equals


class CodewordLock(wiring.Component):
    """State machine of the codeword lock.

    Without lock, a position has a score. It begins with ``trust``; a clean codeword adds 1, a bad one subtracts 1. The lock is
    made at ``trust + make``. A bad codeword at score 0 makes a slip, and a hopeless one at any score. So a position that has been
    good is not left for one codeword with wrong bits, and any other position is left after its first codeword.

    With lock, ``lose`` bad codewords in a row lose it. After a loss, the boundary stays for ``stay`` bad codewords more, because
    a burst of wrong bits does not move it. Then a search goes through all positions of a codeword.
    :mod:`dsnswitch.hdl.line.search` has the times of a search, and the probability of a wrong lock.

    IEEE 802.3 Clause 91 also loses lock after three codewords (from memory), but its receivers find codewords by alignment
    markers, which these links do not have.

    Parameters
    ----------
    settle : int
        Words in the pipeline before the decoder when ``slip`` is 1. They, and the word that enters with ``slip``, were cut
        at the old boundary.
    make, trust : int
        Score of a lock, without that of the beginning; score of the beginning.
    lose : int
        Bad codewords in a row that lose the lock.
    stay : int
        Bad codewords at the old boundary, after those that lost the lock, that make no slip.
    most : int
        Greatest number of codewords in the decoder, including those of which only a part has entered.

    Members
    -------
    - goes, begins: A word enters the decoder; it is the first of a codeword.
    - done, clean, bad: A codeword leaves the decoder; it shows that the position is right, or wrong. If it shows neither, the
      score stays.
    - heavy: With lock, the bad codeword counts twice.
    - hopeless: The codeword that leaves next, or now, cannot be one of the right position.
    - start, start_locked: Restart, with or without lock. Allowed only while the decoder is empty.
    - locked: Codewords begin at the expected positions. Latency 1 cycle after ``done``.
    - stays: The lock was lost, and the old boundary is tested.
    - slip: 1 for one cycle: the boundary must move by one bit. Codewords with words from the old boundary are not tested.
    """

    def __init__(self, settle=0, make=2, lose=3, trust=0, stay=64, most=4):
        self._settle, self._make, self._lose, self._trust = settle, make, lose, trust
        self._stay, self._most = stay, most
        inputs = ("goes", "begins", "done", "clean", "bad", "heavy", "hopeless", "start", "start_locked")
        super().__init__({**{name: In(1) for name in inputs}, **{name: Out(1) for name in ("locked", "stays", "slip")}})

    def elaborate(self, platform):
        m = Module()
        # Codewords in the decoder; how many of them have words from before a slip; words from before it that have not
        # entered.
        on_the_way = Signal(range(self._most + 1))
        stale = Signal(range(self._most + 1))
        coming = Signal(range(self._settle + 2))
        # Without lock, the score; with lock, bad codewords in a row.
        score = Signal(range(max(self._trust + self._make, self._lose)), init=self._trust)
        left = Signal(range(self._stay + 1))
        tested = Signal()
        wrong = Signal()
        m.d.comb += [
            tested.eq(self.done & ~stale.any()),
            self.stays.eq(~self.locked & left.any()),
            wrong.eq((tested & self.bad & ~score.any() | self.hopeless & ~stale.any()) & ~self.locked & ~left.any()),
        ]
        m.d.sync += [on_the_way.eq(on_the_way + self.begins - self.done), self.slip.eq(wrong)]
        with m.If(wrong):
            m.d.sync += [score.eq(self._trust), coming.eq(self._settle + 1), stale.eq(on_the_way + self.begins - self.done)]
        with m.Else():
            m.d.sync += stale.eq(stale + (self.begins & coming.any()) - (self.done & stale.any()))
            with m.If(self.goes & coming.any()):
                m.d.sync += coming.eq(coming - 1)
            with m.If(tested):
                self._count(m, score, left)
        with m.If(self.start):
            m.d.sync += [
                *(value.eq(0) for value in (on_the_way, stale, coming, self.slip)),
                score.eq(Mux(self.start_locked, 0, self._trust)),
                left.eq(Mux(self.start_locked, self._stay, 0)),
                self.locked.eq(self.start_locked),
            ]
        return m

    def _count(self, m, score, left):
        """Count a codeword that makes no slip."""
        with m.If(self.locked):
            worse = score + Mux(self.heavy, 2, 1)
            m.d.sync += score.eq(Mux(self.bad, worse, 0))
            with m.If(self.bad & (worse >= self._lose)):
                m.d.sync += [self.locked.eq(0), score.eq(self._trust)]
        with m.Elif(self.bad):
            m.d.sync += score.eq(Mux(self.stays, self._trust, score - 1))
            with m.If(self.stays):
                m.d.sync += left.eq(left - 1)
        with m.Elif(self.clean):
            m.d.sync += score.eq(score + 1)
            with m.If(score == self._trust + self._make - 1):
                m.d.sync += [self.locked.eq(1), score.eq(0), left.eq(self._stay)]


def due_in(bits, out, blocks):
    """Cycles of a group in which a block is due: the numbers of the line's words in which blocks of ``bits`` bits begin."""
    return tuple(bits * block // out for block in range(blocks))


class Pacer(wiring.Component):
    """Schedules the cycles in which a transmitter accepts a block, so that no block waits inside the transmitter.

    A group of blocks becomes a group of words on the line, which carries one word per cycle. Block k is due in the cycle of
    the word that has its first bit, word ``bits * k // out`` of the group. A transmitter without a pacer accepts blocks
    until its registers are full, and the latency of a block then depends on the number of blocks before it.

    The outputs are combinational. The pacer pauses while a due block is not offered; the line then has a gap.

    Parameters
    ----------
    bits, out : int
        Bits of a block, including check bits that are added before the gearbox; bits of a word of the line.
    blocks, words : int
        Blocks and words per group. Groups are counted from reset.

    Members
    -------
    - go: The line takes a word in this cycle, or the transmitter has none.
    - accepted: The transmitter accepts a block; only with ``go`` and ``due``.
    - due: The transmitter may accept a block.
    - begins, ends: The next block is the first of a group, and all words of the group before it have been counted; the due
      block is the last of its group.
    """

    def __init__(self, bits, out, blocks, words):
        self._due_in, self._words = due_in(bits, out, blocks), words
        super().__init__({"go": In(1), "accepted": In(1), **{name: Out(1) for name in ("due", "begins", "ends")}})

    def elaborate(self, platform):
        m = Module()
        word = Signal(range(self._words))
        m.d.comb += [
            self.due.eq(Cat(equals(word, number) for number in self._due_in).any()),
            self.begins.eq(~word.any()),
            self.ends.eq(word == self._due_in[-1]),
        ]
        with m.If(self.go & (self.accepted | ~self.due)):
            m.d.sync += word.eq(Mux(word == self._words - 1, 0, word + 1))
        return m
