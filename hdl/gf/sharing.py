"""Many sums of the same bits with few XORs, within a given depth: greedy sharing of pairs.

C. Paar, *Optimized arithmetic for Reed-Solomon encoders* (1997): the two bits that most sums have in common become a node, and
this is repeated. A sum of bits at depths d takes ``ceil(log2(sum of 2**d))`` levels. A pair of bits of equal depth leaves that
number as it is. A pair of unequal depth raises it, and is not used in a sum that would exceed the depth limit.
"""

import heapq

from .xor_network import Builder

__all__ = ["shared"]


def shared(rows, inputs, depth=None):
    """:class:`~.xor_network.XorNetwork` that computes the sums ``rows`` with shared nodes.

    Parameters
    ----------
    rows : sequence of int
        One integer per sum: bit i is 1 if input i is in the sum.
    inputs : int
        Number of inputs.
    depth : int or None
        Greatest number of XOR levels; None for the fewest that are possible.

    Raises
    ------
    ValueError
        If ``depth`` is less than the largest sum needs.
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
    """State of the search.

    ``users`` has for each bit the sums that still contain it, as an integer with bit r for sum r. ``load`` is the sum of 2**depth
    over the bits of each sum; it may not exceed ``capacity``. ``waiting`` is a heap of pairs, the most useful first.
    """

    def __init__(self, rows, inputs, capacity):
        self.builder, self.capacity = Builder(inputs), capacity
        self.users = [sum((row >> bit & 1) << index for index, row in enumerate(rows)) for bit in range(inputs)]
        self.load = [row.bit_count() for row in rows]
        self.waiting = []
        for bit in range(inputs):
            self._offer(bit)

    def _offer(self, bit):
        """Add the pairs of ``bit`` with earlier bits that at least two sums have in common."""
        mine, depths = self.users[bit], self.builder.depths
        for other, theirs in enumerate(self.users[:bit]):
            both = (mine & theirs).bit_count()
            if both > 1:
                # Pairs of equal depth first, then shallow ones.
                cost = abs(depths[bit] - depths[other])
                heapq.heappush(self.waiting, (-both, cost, max(depths[bit], depths[other]), other, bit))

    def run(self):
        """Make nodes as long as two sums can use a pair without exceeding their capacity."""
        depths = self.builder.depths
        while self.waiting:
            found, cost, deep, a, b = heapq.heappop(self.waiting)
            both = self.users[a] & self.users[b]
            more = (2 << deep) - (1 << depths[a]) - (1 << depths[b])
            if more:
                both = sum(1 << row for row in _bits(both) if self.load[row] + more <= self.capacity)
            if both.bit_count() < 2:
                continue
            if both.bit_count() < -found:
                heapq.heappush(self.waiting, (-both.bit_count(), cost, deep, a, b))
                continue
            if more:
                for row in _bits(both):
                    self.load[row] += more
            self.users[a] &= ~both
            self.users[b] &= ~both
            self.builder.xor(a, b)
            self.users.append(both)
            self._offer(len(self.users) - 1)


def _bits(value):
    """Indices of the ones of ``value``."""
    found = []
    while value:
        lowest = value & -value
        found.append(lowest.bit_length() - 1)
        value ^= lowest
    return found
