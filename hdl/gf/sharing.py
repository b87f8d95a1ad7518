"""Many sums of the same bits with few XORs: greedy sharing of pairs, within a depth.

C. Paar, *Optimized arithmetic for Reed-Solomon encoders* (1997): the two bits that most sums have in common become a node,
and so on. A sum of bits at depths d takes ``ceil(log2(sum of 2**d))`` levels, so that two bits of equal depth can be paired at
no cost; pairs that would push a sum beyond the limit are not made there.
"""

import heapq

from .xor_network import Builder

__all__ = ["shared"]


def shared(rows, inputs, depth=None):
    """:class:`~.xor_network.XorNetwork` of the sums ``rows``.

    Parameters
    ----------
    rows : sequence of int
        Bit i of each: input i is in the sum.
    inputs : int
    depth : int or None
        XOR levels at most; None for the fewest that there are.

    Raises
    ------
    ValueError
        If ``depth`` is less than the largest sum takes.
    """
    least = max(((row.bit_count() - 1).bit_length() for row in rows if row), default=0)
    if depth is None:
        depth = least
    if depth < least:
        raise ValueError(f"Sums of these bits need {least} XOR levels, not {depth}")
    pairing = _Pairing(rows, inputs, 1 << depth)
    pairing.run()
    builder = pairing.builder
    sums = [[] for _ in rows]
    for bit, users in enumerate(pairing.users):
        for row in _bits(users):
            sums[row].append(bit)
    return builder.network([builder.sum(bits) for bits in sums])


class _Pairing:
    """Which sums still hold each bit (as an integer, bit r for sum r), and how full each sum's levels are."""

    def __init__(self, rows, inputs, room):
        self.builder, self.room = Builder(inputs), room
        self.users = [sum((row >> bit & 1) << place for place, row in enumerate(rows)) for bit in range(inputs)]
        self.load = [row.bit_count() for row in rows]
        self.waiting = []
        for bit in range(inputs):
            self._offer(bit)

    def _offer(self, bit):
        """All pairs of ``bit`` with earlier ones that two sums or more have in common."""
        mine, depths = self.users[bit], self.builder.depths
        for other, theirs in enumerate(self.users[:bit]):
            both = (mine & theirs).bit_count()
            if both > 1:
                # Even pairs first, then shallow ones.
                cost = abs(depths[bit] - depths[other])
                heapq.heappush(self.waiting, (-both, cost, max(depths[bit], depths[other]), other, bit))

    def run(self):
        """Make nodes as long as a pair is in two sums that have room for it."""
        depths = self.builder.depths
        while self.waiting:
            found, cost, deep, a, b = heapq.heappop(self.waiting)
            both = self.users[a] & self.users[b]
            more = (2 << deep) - (1 << depths[a]) - (1 << depths[b])
            if more:
                both = sum(1 << row for row in _bits(both) if self.load[row] + more <= self.room)
            if both.bit_count() < 2:
                continue
            if both.bit_count() < -found:
                heapq.heappush(self.waiting, (-both.bit_count(), cost, deep, a, b))
                continue
            for row in _bits(both):
                self.load[row] += more
            self.users[a] &= ~both
            self.users[b] &= ~both
            self.builder.xor(a, b)
            self.users.append(both)
            self._offer(len(self.users) - 1)


def _bits(value):
    return [place for place in range(value.bit_length()) if value >> place & 1]
