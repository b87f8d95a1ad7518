"""From what every key wants to the fewest prefixes that say it: optimal routing table construction (ORTC), exact.

A *trie* is what the keys below one prefix want: an action (an ``int``), :data:`MISS`, :data:`ANY`, or a pair of tries for the
next bit. Draves, King, Venkatachary, Zill, "Constructing Optimal IP Routing Tables" (INFOCOM 1999), with two more
leaves: keys that must miss, above which no entry may stand, and keys that never come.
"""

__all__ = ["ANY", "MISS", "blocks", "fewest", "renamed", "trie"]


class _Leaf:
    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return self._name


#: Keys that must not match.
MISS = _Leaf("MISS")
#: Keys that do not come: whatever is shorter.
ANY = _Leaf("ANY")


def trie(values, width):
    """Trie of ``values``, one a key of ``width`` bits; a value may itself be a trie. Missing ones at the end are MISS."""
    level = list(values)
    if len(level) > 1 << width:
        raise ValueError(f"{len(level)} values do not fit keys of {width} bits")
    level += [MISS] * ((1 << width) - len(level))
    for _ in range(width):
        level = [low if _same(low, high) else (low, high) for low, high in zip(level[::2], level[1::2])]
    return level[0]


def _same(low, high):
    """Whether one leaf can stand for both. Pairs cannot: they are about the next bit."""
    return not isinstance(low, tuple) and not isinstance(high, tuple) and low == high


def blocks(root):
    """The trie's leaves as disjoint prefixes ``(bits, length, leaf)``, misses left out: ranges expanded, nothing overlaid.

    Keys that never come join the prefix beside them.
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


def renamed(root, actions):
    """The trie with ``actions[leaf]`` for each leaf that is a number."""
    known = {}

    def copy(node):
        if not isinstance(node, tuple):
            return node if node is MISS or node is ANY else actions[node]
        if id(node) not in known:
            low, high = map(copy, node)
            known[id(node)] = low if _same(low, high) else (low, high)
        return known[id(node)]

    return copy(root)


class _Cost:
    """Fewest entries below a node. ``best`` if it inherits an action of the bit set ``good``, one more otherwise.

    ``good`` is None for a node with a key that must miss: nothing may be inherited there. It is -1 for one without a wish.
    """

    def __init__(self, best, good):
        self.best, self.good = best, good


def _costs(root):
    """:class:`_Cost` by identity of the node."""
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


def fewest(root):
    """The fewest prefixes ``(bits, length, action)`` whose longest match is what the trie wants."""
    known = _costs(root)
    found = []
    stack = [(root, 0, 0, None)]
    while stack:
        node, bits, length, inherited = stack.pop()
        good = known[id(node)].good
        if good is not None and good != -1 and (inherited is None or not good >> inherited & 1):
            # The lowest action that costs nothing: the same table on every run.
            inherited = (good & -good).bit_length() - 1
            found.append((bits, length, inherited))
        if isinstance(node, tuple):
            stack += [(node[1], 2 * bits + 1, length + 1, inherited), (node[0], 2 * bits, length + 1, inherited)]
    return found
