"""Back-pressure at the pace of the line, so that a transmitter has a constant latency."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.decoders import equals

__all__ = ["Pacer", "due_in"]


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
    go : In(1)
        The line takes a word in this cycle, or the transmitter has none.
    accepted : In(1)
        The transmitter accepts a block; only with ``go`` and ``due``.
    due : Out(1)
        The transmitter may accept a block.
    begins, ends : Out(1)
        The next block is the first of a group, and all words of the group before it have been counted; the due block is the
        last of its group.
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
