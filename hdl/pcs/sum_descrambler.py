"""A descrambler of which each output, and each sum of outputs, comes from one register and the word that is there."""

from functools import reduce
from operator import xor

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .scrambler import TAPS

__all__ = ["SumDescrambler"]


class SumDescrambler(wiring.Component):
    """Sums of descrambled bits of a word (:class:`~.scrambler.Descrambler`). Combinational; the user keeps the state.

    Descrambling is linear: a sum of plain bits is a sum of scrambled ones, of this word and of those before it. Of the latter
    the state has the sum, so that it enters by one XOR however many they are.

    Parameters
    ----------
    width : int
        Bits of a word, 58 or more.
    masks : sequence of int
        Bit i of each: plain bit i is in the sum.

    Members
    -------
    scrambled : In(width)
        Bit 0 is received first.
    previous, latest : In(n), Out(n)
        The state before this word and with it, a bit for each sum that reaches back. Any value will do to begin with.
    sums : Out(len(masks))
    """

    def __init__(self, width, masks):
        if width < TAPS[1]:
            raise ValueError(f"Words of a descrambler of sums must have {TAPS[1]} bits or more, not {width}")
        # Bits of the word before, and of this one, behind each other.
        reached = [_reached(mask, width) for mask in masks]
        self._now = [mask >> width for mask in reached]
        self._before = [mask & (1 << width) - 1 for mask in reached]
        state = sum(mask > 0 for mask in self._before)
        super().__init__({"scrambled": In(width), "previous": In(state), "sums": Out(len(masks)), "latest": Out(state)})

    def elaborate(self, platform):
        m = Module()
        place = 0
        for index, (now, before) in enumerate(zip(self._now, self._before)):
            total = self._sum(now)
            if before:
                m.d.comb += self.latest[place].eq(self._sum(before))
                total ^= self.previous[place]
                place += 1
            m.d.comb += self.sums[index].eq(total)
        return m

    def _sum(self, mask):
        """A balanced tree of XORs."""
        return reduce(xor, (bit for place, bit in enumerate(self.scrambled) if mask >> place & 1))


def _reached(mask, width):
    """Scrambled bits that the plain bits of ``mask`` sum up, from bit 0 of the word before."""
    return reduce(xor, (mask << width - tap for tap in (0, *TAPS)))
