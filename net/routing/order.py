"""A canonical order of switches, which depends on the graph and not on the order of lines in a file.

Names count only for switches that the graph does not distinguish. Every choice of "the first of several" (a root, a next switch,
the pair that is assigned to a layer first) uses this order.
"""

import re

import numpy as np

__all__ = ["by_name", "by_structure"]

#: Maximum number of switches that get their own colour, one by one. Switches that are equal after that are ordered by name.
MOST_CHOSEN = 64


def by_name(label):
    """Sort key of a switch or host in which runs of digits count as numbers, so that ``leaf2`` precedes ``leaf10``.

    Parameters
    ----------
    label : str or tuple
        A name, or the coordinates of a DSN node.
    """
    text = ",".join(map(str, label)) if isinstance(label, tuple) else str(label)
    parts = re.split(r"([0-9]+)", text)
    # A number is compared as (length, digits), so it may have any length. The text distinguishes 1 from 01.
    digits = [part.lstrip("0") for part in parts[1::2]]
    return [*((word, len(number), number) for word, number in zip(parts, digits)), (parts[-1], 0, "")], text


def by_structure(distance, source, target, weight):
    """Order of the switches that does not depend on their names, except for switches that the graph does not distinguish.

    Colour refinement: the first colour of a switch is its weight and the number of switches at each distance. Then switches are
    split by the colours of their neighbours until nothing changes. If a colour still has several switches, the first switch of
    the lowest such colour gets its own colour, and the refinement is repeated.

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
    order : array (S,)
        Numbers of the switches, in order.
    colour : array (S,)
        Number of each switch that only switches share which the first refinement does not distinguish.
    """
    size = len(weight)
    at = np.arange(size)[:, None] * (distance.max() + 1) + distance
    profile = np.bincount(at.ravel(), minlength=size * (distance.max() + 1)).reshape(size, -1)
    first = colour = _refined(_ranks(np.column_stack([weight, profile])), source, target)
    for _ in range(MOST_CHOSEN):
        several = np.flatnonzero(np.bincount(colour) > 1)
        if not len(several):
            break
        chosen = np.flatnonzero(colour == several[0])[0]
        colour = 2 * colour + 1
        colour[chosen] -= 1
        colour = _refined(_ranks(colour[:, None]), source, target)
    return np.argsort(colour, kind="stable"), first


def _ranks(rows):
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel()


def _mixed(values):
    """A 64-bit hash of each value (the finaliser of SplitMix64), so that a sum of hashes represents a multiset."""
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
