"""The check bits of a SECDED code as one XOR network with shared nodes. No Amaranth.

Each column is split into a pair of its rows and a rest. The pair is summed once for all columns that contain it. The rest
is a lighter column if the code has it, else single rows. A data bit is thus added to the node of its column, which is added
to the nodes of a pair and of a lighter column, and so on down to the rows, with one XOR per step. This is the transpose of
a circuit that builds all columns from pairs of rows. Pairs inside the two halves of the rows suffice, as any three rows
contain one. By Turan's theorem no smaller set of pairs does.

The parity of the whole word uses the same sums. A pair is added to two rows and cancels in the sum of all rows. The parity
is therefore the sum of the nodes that are added to single rows; each row sums these first as far as its depth allows. At
(270,260) this costs ten more XORs and arrives two levels after the rows; the sum of the finished rows would arrive four
levels after them.

The choice of pair and lighter column for each column decides the depth. A node over inputs of depths d has the depth
``ceil(log2(sum of 2**d))``. Simulated annealing with a fixed seed changes the splits until no row exceeds its depth.
The result for (270,260), which every light link uses, is recorded.
"""

import math
import random
from functools import cache
from itertools import combinations

from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.hdl.gf.xor_network import Builder

#: Moves of the annealing for one depth.
MOVES = 200_000

#: Results of the search by ``(n, k, depth)``, for codes with a formula: for each data bit the index of the split of its column.
RECORDED = {
    (270, 260, 7): (
        "2002021000000000000000000000000000000000000000000000010000000000000000000100000200000000000000000000"
        "0000020000000112422322033153132133111231333302332232330112330330021302110323102103133334112201230320"
        "220222222101201103111330333123000202212010012022445403001172"
    )
}


def parity_network(code: SecdedCode, depth=None):
    """:class:`XorNetwork` of the ``r`` check bits of ``k`` data bits.

    Parameters
    ----------
    code : SecdedCode
        The code.
    depth : int or None
        Greatest number of XOR levels; None for the fewest that are found.

    Raises
    ------
    ValueError
        If no network of this depth is found.
    """
    # This is the syndrome's network without the check bits, so encoder and decoder have the same nodes.
    return _network(code, depth, parity=False).without(range(code.k, code.n))


def syndrome_network(code: SecdedCode, depth=None):
    """:class:`XorNetwork` of the syndrome of ``n`` bits, and of the sum of all ``n`` as the last output.

    ``depth`` and errors are those of :func:`parity_network`; the sum of all bits may arrive later than ``depth``.
    """
    return _network(code, depth, parity=True)


@cache
def _network(code, depth, parity):
    parents, reached = _parents(code, depth)
    plain, shared = _plain(code, parity), _build(code, parents, reached, parity)
    return plain if plain.gates <= shared.gates else shared


@cache
def _parents(code, depth):
    """The splits of all columns, and the depth that they reach."""
    least = max(row.bit_count() for row in code.rows).bit_length()
    for limit in range(least, least + 8) if depth is None else [depth]:
        splits = _Splits(code)
        recorded = RECORDED.get((code.n, code.k, limit)) if code.formula else None
        parents = splits.chosen(recorded) if recorded else splits.search(limit)
        if parents is not None:
            return parents, limit
    raise ValueError(f"SECDED({code.n},{code.k}) check bits need {least} XOR levels or more; {depth} are not reached")


class _Splits:
    """A split of each column, and the depth of the rows that follows. A node is a set of rows, as an integer."""

    def __init__(self, code):
        columns = code.columns[: code.k]
        half = (code.r + 1) // 2
        pairs = [*combinations(range(half), 2), *combinations(range(half, code.r), 2)]
        pairs = [1 << a | 1 << b for a, b in pairs]
        known = set(columns)
        self.options = {c: [self._split(c, p, known) for p in pairs if p & c == p] for c in columns}
        self.parents = {p: _rows(p) for p in pairs}
        self.units = dict.fromkeys(pairs, 0) | dict.fromkeys(columns, 0)
        self.load = dict.fromkeys((1 << row for row in range(code.r)), 1)  # the check bit
        #: Capacity of a row, sum of all loads, and sum of what exceeds the capacity.
        self.capacity, self.total, self.excess = 0, code.r, code.r
        self.random = random.Random(code.n)
        self.columns = sorted(columns, key=int.bit_count)
        for column in self.columns:
            self.parents[column] = self.random.choice(self.options[column])
            self._add(column, 1)

    @staticmethod
    def _split(column, pair, known):
        rest = column & ~pair
        return (pair, rest) if rest in known else (pair, *_rows(rest))

    def _add(self, node, units):
        """Add an input with 2**depth = ``units`` to ``node`` (remove it if negative), and update the nodes it is added to."""
        if node in self.load:
            load = self.load[node]
            self.load[node] = load + units
            self.total += units
            self.excess += max(load + units, self.capacity) - max(load, self.capacity)
            return
        old = _power(self.units[node])
        self.units[node] += units
        change = _power(self.units[node]) - old
        if change:
            for parent in self.parents[node]:
                self._add(parent, change)

    def _move(self, column, parents):
        weight = _power(self.units[column])
        for parent in self.parents[column]:
            self._add(parent, -weight)
        self.parents[column] = parents
        for parent in parents:
            self._add(parent, weight)

    def chosen(self, numbers):
        """Splits by their numbers, one digit for each data bit."""
        columns = zip(self.options, numbers, strict=True)
        return self.parents | {column: self.options[column][int(number)] for column, number in columns}

    def search(self, depth):
        """Splits that keep every row within ``depth``, or None."""
        self.capacity = 1 << depth
        self.excess = sum(max(0, load - self.capacity) for load in self.load.values())
        movable = [column for column in self.columns if len(self.options[column]) > 1]
        current = self._cost()
        for move in range(MOVES if movable else 0):
            if self.excess == 0:
                break
            column = self.random.choice(movable)
            old, new = self.parents[column], self.random.choice(self.options[column])
            if new is old:
                continue
            self._move(column, new)
            cost = self._cost()
            warmth = max(0.02, 6 * (1 - 1.2 * move / MOVES))
            if cost <= current or self.random.random() < math.exp((current - cost) / warmth):
                current = cost
            else:
                self._move(column, old)
        return None if self.excess else self.parents

    def _cost(self):
        return self.excess + 0.02 * self.total


def _build(code, parents, depth, parity):
    builder = Builder(code.n)
    pairs = {1 << row: [] for row in range(code.r)}
    direct = {1 << row: [] for row in range(code.r)}
    inputs = {node: [] for node in parents} | direct
    for bit, column in enumerate(code.columns):
        inputs[column].append(bit)
    for node in sorted(parents, key=int.bit_count, reverse=True):
        total = builder.sum(inputs[node])
        if total is not None:
            for parent in parents[node]:
                (pairs if node.bit_count() == 2 else inputs)[parent].append(total)
    for row in direct:
        direct[row] = _gathered(builder, direct[row], (1 << depth) - _load(builder, pairs[row]))
    sums = [builder.sum(direct[row] + pairs[row]) for row in direct]
    return builder.network([*sums, builder.sum(bit for bits in direct.values() for bit in bits)] if parity else sums)


def _gathered(builder, bits, capacity):
    """Sum ``bits``, the shallowest first, to as few nodes as possible with a load of at most ``capacity``."""
    bits = sorted(bits, key=lambda bit: builder.depths[bit])
    while len(bits) > 1:
        deeper = 2 << max(builder.depths[bit] for bit in bits[:2])
        if _load(builder, bits[2:]) + deeper > capacity:
            break
        bits = sorted([*bits[2:], builder.xor(*bits[:2])], key=lambda bit: builder.depths[bit])
    return bits


def _load(builder, bits):
    return sum(1 << builder.depths[bit] for bit in bits)


def _plain(code, parity):
    """The network without sharing, which has fewer gates for the smallest codes."""
    builder = Builder(code.n)
    sums = []
    for check, row in enumerate(code.rows):
        bits = [bit for bit in range(code.k) if row >> bit & 1]
        sums.append(builder.sum([*bits, code.k + check]))
    return builder.network([*sums, builder.sum(sums)] if parity else sums)


def _rows(node):
    return tuple(1 << row for row in range(node.bit_length()) if node >> row & 1)


def _power(units):
    """The least power of two that is at least ``units``; 0 for 0."""
    return 1 << (units - 1).bit_length() if units else 0
