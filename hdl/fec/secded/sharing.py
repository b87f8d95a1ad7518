"""The check bits of a SECDED code as one network of XORs with shared nodes. No Amaranth.

Each column is split: a pair of its rows is summed once for all columns that hold that pair, and the rest goes to a lighter
column where the code has it, else to its rows. A data bit so joins its column's node, that joins a pair and a lighter
column, and so on down to the rows: one XOR for each step, which is the transposed circuit of building all columns from
pairs of rows. Pairs inside the two halves of the rows are enough (three rows always hold one), and are as few as can be:
by Turan's theorem, a graph without them that has a row in each of three places has no triangle.

The parity of the whole word comes out of the same sums. Each pair goes to two rows and cancels in the sum of all rows, so the
parity is the sum of what goes to the rows directly, which a row sums first as far as its depth allows. At (270,260) that is ten
more XORs, and two levels after the rows; the sum of the finished rows would come four levels after them.

*Which* pair and lighter column each takes decides the depth. A node over inputs of depths d has the depth
``ceil(log2(sum of 2**d))``, so the splits are moved about, by simulated annealing with a fixed seed, until no row
exceeds its depth. (270,260) takes about two seconds.
"""

import math
import random
from functools import cache
from itertools import combinations

from ...gf.xor_network import Builder
from .parameters import SecdedCode

__all__ = ["parity_network", "syndrome_network"]

#: Moves to try for one depth.
MOVES = 200_000


def parity_network(code: SecdedCode, depth=None):
    """:class:`~dsnswitch.hdl.gf.XorNetwork` of the ``r`` check bits of ``k`` data bits.

    Parameters
    ----------
    code : SecdedCode
    depth : int or None
        XOR levels at most; None for the fewest that are found.

    Raises
    ------
    ValueError
        If ``depth`` is not reached.
    """
    # The syndrome's network without the check bits, so that encoder and decoder have the same nodes.
    return _network(code, depth, parity=False).without(range(code.k, code.n))


def syndrome_network(code: SecdedCode, depth=None):
    """:class:`~dsnswitch.hdl.gf.XorNetwork` of the syndrome of ``n`` bits, and of the sum of all ``n`` as the last output.

    ``depth`` and errors as in :func:`parity_network`; the sum may come later than ``depth``.
    """
    return _network(code, depth, parity=True)


@cache
def _network(code, depth, parity):
    parents, reached = _parents(code, depth)
    plain, shared = _plain(code, parity), _build(code, parents, reached, parity)
    return plain if plain.gates <= shared.gates else shared


@cache
def _parents(code, depth):
    """Splits and the depth that they reach."""
    least = max(row.bit_count() for row in code.rows).bit_length()
    for limit in range(least, least + 8) if depth is None else [depth]:
        parents = _Splits(code).search(limit)
        if parents is not None:
            return parents, limit
    raise ValueError(f"SECDED({code.n},{code.k}) check bits need {least} XOR levels or more; {depth} are not reached")


class _Splits:
    """Where each column's sum goes, and how deep that makes the rows. Nodes are sets of rows, as integers."""

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
        """One input more (or less) of 2**depth = ``units`` at ``node``, and what that does below."""
        if node in self.load:
            self.load[node] += units
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

    def search(self, depth):
        """Splits that keep every row within ``depth``, or None."""
        room = 1 << depth
        movable = [column for column in self.columns if len(self.options[column]) > 1]

        def excess():
            return sum(max(0, load - room) for load in self.load.values())

        def cost():
            return excess() + 0.02 * sum(self.load.values())

        current = cost()
        for move in range(MOVES if movable else 0):
            if excess() == 0:
                break
            column = self.random.choice(movable)
            old, new = self.parents[column], self.random.choice(self.options[column])
            self._move(column, new)
            cost_now = cost()
            warmth = max(0.02, 6 * (1 - 1.2 * move / MOVES))
            if cost_now <= current or self.random.random() < math.exp((current - cost_now) / warmth):
                current = cost_now
            else:
                self._move(column, old)
        return None if excess() else self.parents


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


def _gathered(builder, bits, room):
    """``bits`` summed to as few as leave their load within ``room``, the shallowest first."""
    bits = sorted(bits, key=lambda bit: builder.depths[bit])
    while len(bits) > 1:
        deeper = 2 << max(builder.depths[bit] for bit in bits[:2])
        if _load(builder, bits[2:]) + deeper > room:
            break
        bits = sorted([*bits[2:], builder.xor(*bits[:2])], key=lambda bit: builder.depths[bit])
    return bits


def _load(builder, bits):
    return sum(1 << builder.depths[bit] for bit in bits)


def _plain(code, parity):
    """Without sharing: fewer gates for the smallest codes."""
    builder = Builder(code.n)
    sums = []
    for check, row in enumerate(code.rows):
        bits = [bit for bit in range(code.k) if row >> bit & 1]
        sums.append(builder.sum([*bits, code.k + check]))
    return builder.network([*sums, builder.sum(sums)] if parity else sums)


def _rows(node):
    return tuple(1 << row for row in range(node.bit_length()) if node >> row & 1)


def _power(units):
    """Least power of two that holds ``units``; 0 for none."""
    return 1 << (units - 1).bit_length() if units else 0
