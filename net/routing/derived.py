"""Rules from which logic decides as a relation does: any relation in which the next hop follows from the destination."""

import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.minimal.rules import Search
from dsnswitch.net.topology.network import MOST_RULED

#: Steps of the search for the rules of a switch.
STEPS = 40


def refuse_logic(network, node=None):
    """Raise :class:`UsageError` if logic is asked for that has the rules of more than :data:`MOST_RULED` switches.

    ``node`` is the switch that the logic is for; None means all switches.
    """
    if node is None and network.is_large:
        raise UsageError(
            f"Routing logic of {network.spelling} is for at most {MOST_RULED} switches, not {network.nodes}; use lookup table, "
            "or choose a node"
        )


def address_bits(network, switch):
    """The address as one number: its fields in their order, the first in the most significant bits."""
    bits = 0
    for field, value in zip(network.fields, switch):
        bits = bits << field.width | value
    return bits


def answers(relation, switch):
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


def rules(relation, switch):
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
