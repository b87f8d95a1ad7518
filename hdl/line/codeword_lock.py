"""Codeword lock: finds the boundaries of codewords on the line by whether the decoder can decode them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import equals


class CodewordLock(wiring.Component):
    """State machine of the codeword lock.

    It locks after ``make`` decodable codewords in a row, and loses lock after ``lose`` undecodable codewords in a row.
    Without lock every undecodable codeword makes a slip. After a loss, the boundary stays for ``stay`` undecodable codewords
    more, because a burst of wrong bits does not move it, and a search goes through all positions of a codeword.

    IEEE 802.3 Clause 91 also loses lock after three codewords (from memory), but its receivers find codewords by alignment
    markers, which these links do not have. Random symbols pass as a codeword of RS(528,514) with probability 1 in 560,000.

    Parameters
    ----------
    settle : int
        Words in the pipeline before the decoder when ``slip`` is 1. They, and the word that enters with ``slip``, were cut
        at the old boundary.
    make, lose : int
        Decodable codewords in a row that make the lock; undecodable codewords in a row that lose it.
    stay : int
        Undecodable codewords at the old boundary, after those that lost the lock, that make no slip.
    most : int
        Greatest number of codewords in the decoder, including those of which only a part has entered.

    Members
    -------
    - goes, begins: A word enters the decoder; it is the first of a codeword.
    - done, decodable: A codeword leaves the decoder; it was decodable.
    - start, start_locked: Restart, with or without lock. Allowed only while the decoder is empty.
    - locked: Codewords begin at the expected positions. Latency 1 cycle after ``done``.
    - stays: The lock was lost, and the old boundary is tested.
    - slip: 1 for one cycle: the boundary must move by one bit. Codewords with words from the old boundary are not tested.
    """

    def __init__(self, settle=0, make=2, lose=3, stay=64, most=4):
        self._settle, self._make, self._lose, self._stay, self._most = settle, make, lose, stay, most
        inputs = ("goes", "begins", "done", "decodable", "start", "start_locked")
        super().__init__({**{name: In(1) for name in inputs}, **{name: Out(1) for name in ("locked", "stays", "slip")}})

    def elaborate(self, platform):
        m = Module()
        # Codewords in the decoder; how many of them have words from before a slip; words from before it that have not
        # entered.
        on_the_way = Signal(range(self._most + 1))
        stale = Signal(range(self._most + 1))
        coming = Signal(range(self._settle + 2))
        so_far = Signal(range(max(self._make, self._lose)))
        left = Signal(range(self._stay + 1))
        tested = Signal()
        wrong = Signal()
        m.d.comb += [
            tested.eq(self.done & ~stale.any()),
            self.stays.eq(~self.locked & left.any()),
            wrong.eq(tested & ~self.decodable & ~self.locked & ~left.any()),
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
                m.d.sync += [so_far.eq(0), left.eq(Mux(self.stays, left - 1, self._stay))]
            with m.Elif(tested):
                m.d.sync += so_far.eq(so_far + 1)
                with m.If(so_far == Mux(self.locked, self._lose, self._make) - 1):
                    m.d.sync += [self.locked.eq(~self.locked), so_far.eq(0)]
        with m.If(self.start):
            m.d.sync += [
                *(value.eq(0) for value in (on_the_way, stale, coming, so_far, left, self.slip)),
                self.locked.eq(self.start_locked),
            ]
        return m


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
