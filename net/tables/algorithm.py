"""The routing algorithm of a network as tables, one per switch."""

from dsnswitch.net import limits
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.tables import dsn
from dsnswitch.net.tables.entries import Entry, Table, action_names
from dsnswitch.net.tables.trie import MISS, blocks, fewest, trie
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["algorithm_table"]


def algorithm_table(network, own, keys="absolute", minimise=True, absent=MISS, relation=None):
    """The table of switch ``own``: for every destination the port that the relation of the network prefers.

    The table of a DSN follows from the structure of its addresses (:func:`compile_node`), which is fast even in a large
    network. The table of any other network is made destination by destination.

    Parameters
    ----------
    network : Network
        A network with a relation in :mod:`dsnswitch.net.routing.registry`.
    own : tuple of int
    keys : str
        One of ``network.keys``.
    minimise : bool
        True: the fewest prefixes with the same actions. False: one entry per block of keys with the same action.
    absent : MISS or ANY
        The action for a destination that does not exist.
    relation : Relation or None
        None means the default routing of the network. The port of another relation must not depend on the arrival.

    Returns
    -------
    Table
        Its actions are those of :func:`action_names`.

    Raises
    ------
    UsageError
        If a table that is made destination by destination would have too many keys.
    """
    if relation is None and isinstance(network, Dsn):
        return dsn.compile_node(network, own, keys, minimise, absent)
    width, relation = network.key_width(keys), relation or relation_of(network)
    limits.at_most(limits.MOST_KEYS, 1 << width, f"Keys of a table of {network.spelling}")
    answers = [absent] * (1 << width)
    for destination in network.switches():
        hops = relation.hops(own, None, destination)
        answers[network.key(own, destination, keys)] = hops[0][0] if hops else len(network.ports)
    cover = fewest if minimise else blocks
    entries = tuple(
        Entry(bits << width - length, length, action) for bits, length, action in cover(trie(answers, width))
    )
    return Table(f"node {network.spell_switch(own)}", width, action_names(network), entries)
