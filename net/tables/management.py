"""Routes to the switches themselves, which the packets that manage an InfiniBand fabric need beside the routes to hosts.

Packets for a switch with hosts take the route to its first host, which has been checked. A switch without hosts gets a tree of
its own that closes no cycle of channels with the routes of the hosts.
"""

import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.next_hops import next_hops


def ports_to_switches(made) -> np.ndarray:
    """The port at each switch towards each switch, -1 if there is none: an array (S, S), in the order of the wiring.

    ``made`` are :class:`Tables` with one virtual channel. Raises :class:`UsageError` if they have no ranks, and some switches no
    hosts.
    """
    wiring = made.wiring
    ports = np.full((wiring.size, wiring.size), -1)
    homes, first = np.unique(wiring.ends.home, return_index=True)
    ports[:, homes] = made.actions()[:, first]
    bare = np.setdiff1d(np.arange(wiring.size), homes)
    if len(bare):
        ports[:, bare] = wiring.port[_tree(made, bare)].T
    np.fill_diagonal(ports, -1)
    return ports


def _tree(made, homes):
    """The next channel of every switch towards each of ``homes``: an array (H, S)."""
    wiring, ranks = made.wiring, made.ranks
    if ranks is None:
        name = wiring.names[homes[0]]
        raise UsageError(f"{wiring.name}: given tables have no turn classes, by which packets could go to switch {name}")
    none, every = np.zeros(wiring.count + 1), np.ones(wiring.size, bool)
    return np.array([next_hops(ranks, home, 1, every)[0].tree(1, every, none)[0] for home in homes])
