"""Minimal routing of the multi-layer full mesh (T 3.1)."""

from itertools import combinations
from typing import Any

from dsnswitch.net.routing.next_switch import NextSwitch


class MlfmRelation(NextSwitch):
    """Up to the global switch of both columns, then down; T 3.4 gives the reason why one class is enough.

    Any global switch leads to the other switches of the own column. The layers of both ends choose it, so that the h paths carry
    equally many pairs.
    """

    bound = 2

    def __init__(self, network):
        super().__init__(network)
        self._pairs = list(combinations(range(network.h + 1), 2))

    def following(self, switch, destination) -> Any:
        net, (own,), (to,) = self.network, switch, destination
        columns = net.h + 1
        if own >= net.hosted:
            # No packet of a host is at a global switch of other columns than its destination's.
            pair = self._pairs[own - net.hosted]
            return destination if to % columns in pair else (to - to % columns + pair[0],)
        column, other = own % columns, to % columns
        if column == other:
            other = (column + 1 + (own // columns + to // columns) % net.h) % columns
        return (net.joint(min(column, other), max(column, other)),)
