"""Shortest paths that are balanced as far as a given number of virtual layers allows."""

import numpy as np

from dsnswitch.net.routing.balance import Trees, spread_trees
from dsnswitch.net.routing.layers import fewest_layers
from dsnswitch.net.routing.roots import updown_trees
from dsnswitch.net.routing.routes import shortest

__all__ = ["fitting_trees"]

#: Number of times that some trees become trees of first next channels.
MOST_ROUNDS = 4


def fitting_trees(wiring, balance, most, bar):
    """Trees of shortest paths that fit ``most`` layers, and the results of :func:`fewest_layers` for them.

    Balanced routes may need more layers than others. If they do not fit, these are tried in turn:

    1. Balanced up*/down* routes, which need one layer, if all of them are shortest paths. They are in a fat tree.
    2. Trees with a pair that does not fit take the first of several next channels, and enter the layers before the others.
    3. All trees take the first of several next channels.

    Returns
    -------
    (Trees, array, list or None)
    """

    def layers(trees, early=None):
        return trees, *fewest_layers(trees, most, lambda items: bar(items, "layers"), early)

    choices = shortest(wiring)
    trees, found, cycle = layers(spread_trees(wiring, choices, balance, bar))
    if cycle is None or balance == "none":
        return trees, found, cycle
    tree, _ = updown_trees(wiring, None, balance, bar)
    if np.array_equal(*(made.choices.cost[wiring.hosts > 0][:, wiring.hosts > 0] for made in (tree, trees))):
        return layers(tree)
    plain = np.zeros(len(trees.channel), bool)
    for _ in range(MOST_ROUNDS):
        crowded = ~plain & (found < 0).any(axis=1)
        if not crowded.any():
            break
        plain |= crowded
        first = Trees(wiring, choices, trees.targets, spread=False)
        trees.channel[crowded], trees.onward[crowded] = first.channel[crowded], first.onward[crowded]
        trees.measure()
        trees, found, cycle = layers(trees, plain)
    return (trees, found, cycle) if cycle is None else layers(spread_trees(wiring, choices, "none", bar))
