"""Networks of two-input XORs with shared nodes. No Amaranth."""

import heapq
from dataclasses import dataclass


@dataclass(frozen=True)
class XorNetwork:
    """A circuit of two-input XORs that computes several sums modulo 2 of the same bits.

    Attributes
    ----------
    - inputs: Number of inputs; they are bits ``0..inputs-1``.
    - nodes (tuple of (int, int)): Bit ``inputs + i`` is the XOR of the two bits ``nodes[i]``, which have lower numbers.
    - outputs: The bit that each output takes; None for the constant 0.
    """

    inputs: int
    nodes: tuple
    outputs: tuple

    @property
    def gates(self):
        """Number of XORs."""
        return len(self.nodes)

    @property
    def depth(self):
        """XORs on the longest path from an input to an output."""
        return max(self.depths, default=0)

    @property
    def depths(self):
        """XORs on the longest path to each output."""
        depths = self._run([0] * self.inputs, lambda a, b: 1 + max(a, b))
        return tuple(0 if bit is None else depths[bit] for bit in self.outputs)

    def apply(self, value):
        """The outputs for the inputs ``value``, both as integers with bit i for input or output i."""
        bits = self._run([value >> bit & 1 for bit in range(self.inputs)], lambda a, b: a ^ b)
        return sum(bits[bit] << index for index, bit in enumerate(self.outputs) if bit is not None)

    def rows(self):
        """The linear map that the network computes: bit i of row r is 1 if output r sums input i."""
        sums = self._run([1 << bit for bit in range(self.inputs)], lambda a, b: a ^ b)
        return tuple(0 if bit is None else sums[bit] for bit in self.outputs)

    def without(self, inputs):
        """The same network with ``inputs``, which must be the last ones, tied to 0 and removed."""
        removed = set(inputs)
        kept = self.inputs - len(removed)
        renumbered = {bit: None if bit in removed else bit for bit in range(self.inputs)}
        nodes = []
        for index, (a, b) in enumerate(self.nodes):
            a, b = renumbered[a], renumbered[b]
            if a is None or b is None:
                renumbered[self.inputs + index] = b if a is None else a
            else:
                renumbered[self.inputs + index] = kept + len(nodes)
                nodes.append((a, b))
        return XorNetwork(kept, tuple(nodes), tuple(None if bit is None else renumbered[bit] for bit in self.outputs))

    def _run(self, values, gate):
        values = list(values)
        for a, b in self.nodes:
            values.append(gate(values[a], values[b]))
        return values


class Builder:
    """Builds an :class:`XorNetwork` node by node."""

    def __init__(self, inputs):
        self.inputs, self.nodes, self.depths = inputs, [], [0] * inputs

    def xor(self, a, b):
        """Add the node ``a ^ b`` and return its number."""
        self.nodes.append((a, b))
        self.depths.append(1 + max(self.depths[a], self.depths[b]))
        return len(self.depths) - 1

    def sum(self, bits):
        """Add the nodes of the XOR of all ``bits`` and return the last one; None if there are no bits.

        The two shallowest bits are always combined first, so that the depth is ``ceil(log2(sum of 2**depth))``.
        """
        waiting = [(self.depths[bit], bit) for bit in bits]
        heapq.heapify(waiting)
        while len(waiting) > 1:
            node = self.xor(heapq.heappop(waiting)[1], heapq.heappop(waiting)[1])
            heapq.heappush(waiting, (self.depths[node], node))
        return waiting[0][1] if waiting else None

    def network(self, outputs):
        """The finished network with these bits as outputs."""
        return XorNetwork(self.inputs, tuple(self.nodes), tuple(outputs))


#: Bits of each number in a pair, and a mask of them.
_FIELD = 24
_LAST = (1 << _FIELD) - 1


def shared(rows, inputs, depth=None):
    """:class:`XorNetwork` that computes the sums ``rows`` with few XORs, by greedy sharing of pairs.

    Parameters
    ----------
    rows : sequence of int
        One integer per sum: bit i is 1 if input i is in the sum.
    inputs : int
        Number of inputs.
    depth : int or None
        Greatest number of XOR levels; None for the fewest that are possible.

    Raises ValueError if ``depth`` is less than the largest sum needs.
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

    ``users`` has for each bit the sums that still contain it, as an integer with bit r for sum r; ``members`` has for each sum
    the bits that it still contains. ``load`` is the sum of 2**depth over the bits of each sum; it may not exceed ``capacity``.

    ``waiting[n]`` has the pairs that at most n sums can use; ``most`` is the n whose pairs are in use, as a heap. The number of
    a pair never rises, so it is only determined again when its list is reached. Until then a list has no order, because most
    pairs leave it unused.
    """

    def __init__(self, rows, inputs, capacity):
        self.builder, self.capacity = Builder(inputs), capacity
        self.users, self.members = [], [0] * len(rows)
        self.load = [row.bit_count() for row in rows]
        self.waiting = [[] for _ in range(len(rows) + 1)]
        self.most = len(self.waiting)
        for bit in range(inputs):
            self._add(sum((row >> bit & 1) << index for index, row in enumerate(rows)))

    def _add(self, mine):
        """Add a bit of the sums ``mine``, and its pairs with earlier bits that at least two sums have in common."""
        users, depths, waiting = self.users, self.builder.depths, self.waiting
        bit, rows = len(users), _bits(mine)
        once = twice = 0
        for row in rows:
            members = self.members[row]
            twice |= once & members
            once |= members
            self.members[row] = members | 1 << bit
        users.append(mine)
        depth = depths[bit]
        for other in _bits(twice):
            both = (mine & users[other]).bit_count()
            pair = _pair(depth, depths[other], other, bit)
            if both == self.most:
                heapq.heappush(waiting[both], pair)
            else:
                waiting[both].append(pair)

    def run(self):
        """Make nodes as long as two sums can use a pair without exceeding their capacity."""
        while self.most > 2:
            self.most -= 1
            self.waiting[self.most] = pairs = self._still(self.waiting[self.most])
            heapq.heapify(pairs)
            while pairs:
                self._use(heapq.heappop(pairs))

    def _still(self, pairs):
        """Pairs that at least as many sums have in common as their list says. The others go to their right lists."""
        users, waiting, most, left = self.users, self.waiting, self.most, []
        for pair in pairs:
            count = (users[pair & _LAST] & users[pair >> _FIELD & _LAST]).bit_count()
            (waiting[count] if count < most else left).append(pair)
        return left

    def _use(self, pair):
        """Make a node of the first pair if as many sums can use it as its list says; else put it into its right list."""
        depths, b, a = self.builder.depths, pair & _LAST, pair >> _FIELD & _LAST
        both = self.users[a] & self.users[b]
        if both.bit_count() < self.most:
            self.waiting[both.bit_count()].append(pair)
            return
        more = (2 << max(depths[a], depths[b])) - (1 << depths[a]) - (1 << depths[b])
        if more:
            both = sum(1 << row for row in _bits(both) if self.load[row] + more <= self.capacity)
        if both.bit_count() < self.most:
            self.waiting[both.bit_count()].append(pair)
            return
        for row in _bits(both):
            self.load[row] += more
            self.members[row] &= ~(1 << a | 1 << b)
        self.users[a] &= ~both
        self.users[b] &= ~both
        self.builder.xor(a, b)
        self._add(both)


def _pair(depth, depth_of_other, other, bit):
    """A pair as a number. Pairs of equal depth are less than others, then shallow pairs."""
    cost, deep = abs(depth - depth_of_other), max(depth, depth_of_other)
    return ((cost << _FIELD | deep) << _FIELD | other) << _FIELD | bit


def _bits(value):
    """Indices of the ones of ``value``."""
    digits = bin(value)[:1:-1]
    found, place = [], digits.find("1")
    while place >= 0:
        found.append(place)
        place = digits.find("1", place + 1)
    return found
