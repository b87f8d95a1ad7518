"""Rules from which logic decides as a relation does: any relation in which the next hop follows from the destination."""

import numpy as np

from dsnswitch.net.routing.minimal.rules import Search

#: Steps of the search for the rules of a switch.
STEPS = 40


def address_bits(network, switch: tuple[int, ...]) -> int:
    """The address as one number: its fields in their order, the first in the most significant bits."""
    bits = 0
    for field, value in zip(network.fields, switch):
        bits = bits << field.width | value
    return bits


def answers(relation, switch) -> tuple:
    """What a relation answers at a switch: whether :func:`address_bits` are another switch with hosts, and ``[port, class]``."""
    network = relation.network
    size = 1 << sum(field.width for field in network.fields)
    exists, found = np.zeros(size, bool), np.zeros((2, size), np.int64)
    for end in network.terminals():
        if end != switch:
            place = address_bits(network, end)
            found[:, place] = relation.hops(switch, None, end)[0]
            exists[place] = True
    return exists, found


def rules(relation, switch) -> tuple:
    """Short lists of rules of a switch: for the port, and for the class. Their input is :func:`address_bits` of a destination.

    The answer for the switch itself, for switches without hosts, and for addresses of no switch may be any.
    """
    exists, found = answers(relation, switch)
    return tuple(_rules(values, ~exists) for values in found)


def _rules(values, free):
    tables = {value: (values == value) & ~free for value in np.unique(values[~free]).tolist()}
    search = Search(tables, free, set())
    search.run(STEPS)
    return search.best.rules
