"""An order of switches that follows from the graph: not from the order of a file's lines, and not from names where it need not.

Whatever chooses "the first of several" (a root, a next switch, the pair that enters a layer first) goes by this order.
"""

import re

import numpy as np

__all__ = ["by_name", "by_structure"]

#: Switches of equal colour that get a colour of their own, one by one. Those that are still equal afterwards are ordered by name.
MOST_CHOSEN = 64


def by_name(label):
    """Sort key of a switch or a host: runs of digits count as numbers, so that ``leaf2`` comes before ``leaf10``.

    Parameters
    ----------
    label : str or tuple
        A name, or the coordinates of a DSN node.
    """
    text = ",".join(map(str, label)) if isinstance(label, tuple) else str(label)
    parts = re.split(r"([0-9]+)", text)
    # Digits as (length, digits): no limit on how long a number is. Equal numbers spelt 1 and 01 differ in the text.
    digits = [part.lstrip("0") for part in parts[1::2]]
    return [*((word, len(number), number) for word, number in zip(parts, digits)), (parts[-1], 0, "")], text


def by_structure(distance, source, target, weight):
    """Switches in an order that no renaming changes, except for switches that the graph itself does not distinguish.

    Colour refinement: switches start with their weight and the number of switches at each distance, and are split by the
    colours of their neighbours until nothing changes. Where a colour has several switches then, the first of the lowest such
    colour gets one of its own.

    Parameters
    ----------
    distance : array (S, S)
        Hops between switches, which are numbered by name.
    source, target : arrays (C,)
        Ends of every channel.
    weight : array (S,)
        Hosts of each switch.

    Returns
    -------
    array (S,)
        Numbers of the switches, in order.
    """
    size = len(weight)
    at = np.arange(size)[:, None] * (distance.max() + 1) + distance
    profile = np.bincount(at.ravel(), minlength=size * (distance.max() + 1)).reshape(size, -1)
    colour = _refined(_ranks(np.column_stack([weight, profile])), source, target)
    for _ in range(MOST_CHOSEN):
        several = np.flatnonzero(np.bincount(colour) > 1)
        if not len(several):
            break
        chosen = np.flatnonzero(colour == several[0])[0]
        colour = 2 * colour + 1
        colour[chosen] -= 1
        colour = _refined(_ranks(colour[:, None]), source, target)
    return np.argsort(colour, kind="stable")


def _ranks(rows):
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel()


def _mixed(values):
    """A 64-bit hash of each value (the finaliser of SplitMix64): a sum of them stands for a multiset."""
    values = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values = (values ^ values >> np.uint64(shift)) * np.uint64(factor)
    return values ^ values >> np.uint64(31)


def _refined(colour, source, target):
    while True:
        around = np.zeros(len(colour), np.uint64)
        np.add.at(around, source, _mixed(colour)[target])
        finer = _ranks(np.column_stack([colour.astype(np.uint64), around]))
        if finer.max() == colour.max():
            return finer
        colour = finer
