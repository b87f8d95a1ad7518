"""The option ``routing``: the routing algorithm of a network, and the relation that it selects."""

from ...hdl.routing.registry import ROUTINGS, relation_of
from ..errors import UsageError
from ..properties import choice
from .parameters import network

__all__ = ["PROPERTY", "relation", "routed"]

#: JSON schema of the option ``routing``.
PROPERTY = choice(
    "Routing of the network. near-minimal: shortest paths (DSN only); detour: around failed links (DSN only).", ROUTINGS
)


def relation(values):
    """The relation of a dictionary with the keys of a network and ``routing``; absent keys and None mean the default.

    Raises
    ------
    UsageError
        If the values contradict each other or are out of range.
    """
    return routed(network(values), values.get("routing"))


def routed(found, routing=None):
    """The relation of a network by the name of its routing; None means the default.

    Raises
    ------
    UsageError
        If there is no such routing for the network.
    """
    try:
        return relation_of(found, routing or PROPERTY["default"])
    except ValueError as error:
        raise UsageError(str(error)) from None
