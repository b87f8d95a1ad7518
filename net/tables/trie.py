"""Finds the fewest prefixes that give every key its action: optimal routing table construction (ORTC), exact.

A *trie* describes the actions of all keys with one prefix. It is an action (an ``int``), :data:`MISS`, :data:`ANY`, or a pair of
tries for the two values of the next bit. The algorithm is that of Draves, King, Venkatachary, Zill, "Constructing Optimal IP
Routing Tables" (INFOCOM 1999), with two more kinds of leaves: keys that must miss, which no shorter prefix may match, and keys
that never occur.
"""

from collections import namedtuple
from typing import Any


class _Leaf:
    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return self._name


#: Leaf of keys that must not match.
MISS = _Leaf("MISS")
#: Leaf of keys that never occur, whose action may be chosen freely.
ANY = _Leaf("ANY")


def trie(values, width) -> Any:
    """Trie of ``values``, one per key of ``width`` bits. A value may itself be a trie. Missing values at the end are MISS."""
    level = list(values)
    if len(level) > 1 << width:
        raise ValueError(f"{len(level)} values do not fit keys of {width} bits")
    level += [MISS] * ((1 << width) - len(level))
    for _ in range(width):
        level = [low if _same(low, high) else (low, high) for low, high in zip(level[::2], level[1::2])]
    return level[0]


def _same(low, high):
    """Whether one leaf can replace both tries. A pair cannot be replaced, because it describes the next bit."""
    return not isinstance(low, tuple) and not isinstance(high, tuple) and low == high


def blocks(root) -> Any:
    """The leaves of the trie as disjoint prefixes ``(bits, length, leaf)`` without misses.

    Ranges are divided into prefixes, and no prefix covers another. Keys that never occur are merged with the adjacent prefix.
    """
    known = {}

    def joined(node):
        if not isinstance(node, tuple):
            return node
        if id(node) not in known:
            low, high = map(joined, node)
            if ANY in (low, high) and not isinstance(low, tuple) and not isinstance(high, tuple):
                known[id(node)] = high if low is ANY else low
            else:
                known[id(node)] = low if _same(low, high) else (low, high)
        return known[id(node)]

    stack = [(joined(root), 0, 0)]
    while stack:
        node, bits, length = stack.pop()
        if isinstance(node, tuple):
            stack += [(node[1], 2 * bits + 1, length + 1), (node[0], 2 * bits, length + 1)]
        elif node is not MISS and node is not ANY:
            yield bits, length, node


#: Fewest entries below a node: ``best`` if the node inherits an action of the bit set ``good``, one more otherwise. ``good`` is
#: None for a node with a key that must miss, which must not inherit an action. It is -1 for a node whose keys never occur.
_Cost = namedtuple("_Cost", "best good")


def _costs(root):
    """The :class:`_Cost` of every node, by the identity of the node."""
    known = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if id(node) in known:
            stack.pop()
        elif not isinstance(node, tuple):
            known[id(node)] = _Cost(0, None if node is MISS else -1 if node is ANY else 1 << node)
            stack.pop()
        elif all(id(child) in known for child in node):
            low, high = (known[id(child)] for child in node)
            stack.pop()
            if low.good is None or high.good is None:
                known[id(node)] = _Cost(0, None)
            elif low.good & high.good:
                known[id(node)] = _Cost(low.best + high.best, low.good & high.good)
            else:
                known[id(node)] = _Cost(low.best + high.best + 1, low.good | high.good)
        else:
            stack += [child for child in node if id(child) not in known]
    return known


def fewest(root) -> Any:
    """The fewest prefixes ``(bits, length, action)`` whose longest match gives every key the action in the trie."""
    known = _costs(root)
    found = []
    stack = [(root, 0, 0, None)]
    while stack:
        node, bits, length, inherited = stack.pop()
        good = known[id(node)].good
        if good is not None and good != -1 and (inherited is None or not good >> inherited & 1):
            # The lowest of the actions with the lowest cost, so that every run returns the same table.
            inherited = (good & -good).bit_length() - 1
            found.append((bits, length, inherited))
        if isinstance(node, tuple):
            stack += [(node[1], 2 * bits + 1, length + 1, inherited), (node[0], 2 * bits, length + 1, inherited)]
    return found
