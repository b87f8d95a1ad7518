"""Descrambler that computes sums of plain bits directly, each from one register bit and the current word."""

from functools import reduce
from operator import xor

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.scrambler import TAPS

__all__ = ["SumDescrambler"]


class SumDescrambler(wiring.Component):
    """Computes sums of descrambled bits of a word (:class:`Descrambler`). Combinational; the parent keeps the state.

    Descrambling is linear: a sum of plain bits is a sum of scrambled bits of this word and of the word before. The state
    holds the sum of the latter, so that it takes one XOR, however many bits it sums.

    Parameters
    ----------
    width : int
        Bits of a word, at least 58.
    masks : sequence of int
        One integer per sum: bit i is 1 if plain bit i is in the sum.

    Members
    -------
    scrambled : In(width)
        Bit 0 is received first.
    previous, latest : In(n), Out(n)
        The state before and after this word, one bit per sum that needs bits of the word before. The first state may be any
        value.
    sums : Out(len(masks))
        The sums.
    """

    def __init__(self, width, masks):
        if width < TAPS[1]:
            raise ValueError(f"Words of a descrambler of sums must have {TAPS[1]} bits or more, not {width}")
        # Each mask has the bits of the word before, then those of this word.
        reached = [_reached(mask, width) for mask in masks]
        self._now = [mask >> width for mask in reached]
        self._before = [mask & (1 << width) - 1 for mask in reached]
        state = sum(mask > 0 for mask in self._before)
        super().__init__({"scrambled": In(width), "previous": In(state), "sums": Out(len(masks)), "latest": Out(state)})

    def elaborate(self, platform):
        m = Module()
        bit = 0
        for index, (now, before) in enumerate(zip(self._now, self._before)):
            total = self._sum(now)
            if before:
                m.d.comb += self.latest[bit].eq(self._sum(before))
                total ^= self.previous[bit]
                bit += 1
            m.d.comb += self.sums[index].eq(total)
        return m

    def _sum(self, mask):
        """XOR of the bits of the current word that are in ``mask``."""
        return reduce(xor, (bit for index, bit in enumerate(self.scrambled) if mask >> index & 1))


def _reached(mask, width):
    """Scrambled bits that the plain bits of ``mask`` sum, as a mask that begins with bit 0 of the word before."""
    return reduce(xor, (mask << width - tap for tap in (0, *TAPS)))
