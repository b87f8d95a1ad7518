"""Back-pressure at the pace of the line, so that a transmitter has a constant latency."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..logic import equals

__all__ = ["Pacer", "due_in"]


def due_in(bits, out, blocks):
    """Cycles of a group in which a block is due: the numbers of the words in which blocks of ``bits`` bits begin."""
    return tuple(bits * block // out for block in range(blocks))


class Pacer(wiring.Component):
    """Says in which cycles a transmitter accepts a block, so that no block waits inside the transmitter.

    A group of blocks becomes a group of words of the line, which carries one word per cycle. Block k is due in the cycle of the
    word that has its first bit, word ``bits * k // out`` of the group. A transmitter without a pacer accepts blocks until its
    registers are full, and the latency of a block then depends on how many are ahead of it.

    Combinational outputs. The pacer stands still in a cycle in which a due block is not offered: the line has a gap then.

    Parameters
    ----------
    bits, out : int
        Bits of a block, with its check bits if they come before the gearbox; bits of a word.
    blocks, words : int
        Of a group. Groups are counted from reset.

    Members
    -------
    go : In(1)
        The line takes a word in this cycle, or there is none to take.
    accepted : In(1)
        A block goes in; only with ``go`` and ``due``.
    due : Out(1)
        A block may go in.
    begins, ends : Out(1)
        The next block is the first of a group, and all words of the group before it are counted; the block that is due is the
        last of its group.
    """

    def __init__(self, bits, out, blocks, words):
        self._due_in, self._words = due_in(bits, out, blocks), words
        super().__init__({"go": In(1), "accepted": In(1), **{name: Out(1) for name in ("due", "begins", "ends")}})

    def elaborate(self, platform):
        m = Module()
        word = Signal(range(self._words))
        m.d.comb += [
            self.due.eq(Cat(equals(word, place) for place in self._due_in).any()),
            self.begins.eq(~word.any()),
            self.ends.eq(word == self._due_in[-1]),
        ]
        with m.If(self.go & (self.accepted | ~self.due)):
            m.d.sync += word.eq(Mux(word == self._words - 1, 0, word + 1))
        return m
