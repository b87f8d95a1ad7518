"""Finds the fewest prefixes of a table with arrays, all nodes of one length at once."""

import numpy as np

#: Most actions for :func:`fewest_of`: sets of them are words of 64 bits with a sign.
MOST_ACTIONS = 63


def fewest_of(actions: np.ndarray, width: int) -> list[tuple[int, int, int]]:
    """The prefixes of :func:`~dsnswitch.net.tables.trie.fewest` for ``actions`` (2**width,), one per key, -1 on a miss.

    Actions are below :data:`MOST_ACTIONS`.
    """
    good = [np.where(actions < 0, 0, 1 << np.maximum(actions, 0))]
    for _ in range(width):
        low, high = good[-1][::2], good[-1][1::2]
        good.append(np.where(low & high, low & high, np.where((low > 0) & (high > 0), low | high, 0)))
    found, inherited = [], np.full(1, -1)
    for length, sets in enumerate(reversed(good)):
        new = np.flatnonzero((sets > 0) & ((inherited < 0) | (sets >> np.maximum(inherited, 0) & 1 == 0)))
        inherited[new] = np.frexp(sets[new] & -sets[new])[1] - 1
        found += zip(new.tolist(), [length] * len(new), inherited[new].tolist())
        inherited = np.repeat(inherited, 2)
    return found
