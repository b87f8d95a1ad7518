"""Walks of packets through a network whose switches may choose between hops."""

from dsnswitch.net.routing.relation import Arrival


def every_state(relation):
    """``(switch, arrival, destination)`` of all walks: whatever hops a packet chooses, between all switches with hosts."""
    network, seen = relation.network, set()
    ends = list(network.terminals())
    pending = [(source, None, destination) for source in ends for destination in ends]
    while pending:
        state = pending.pop()
        if state in seen:
            continue
        seen.add(state)
        switch, _, destination = state
        for port, virtual_class in relation.hops(*state):
            there, entry = network.neighbour(switch, port)
            pending.append((there, Arrival(entry, virtual_class), destination))
    return seen


class RisingClasses:
    """Checks the virtual channel classes of the hops of a network with minimal routing, and counts the classes in use."""

    def __init__(self, network):
        self._network, self._most = network, {}

    def check(self, switch, arrival, port, virtual_class):
        """The class of a hop is one higher than the last if it goes up after a hop that went down. Returns the next switch."""
        there, _ = self._network.neighbour(switch, port)
        up = there[-1] > switch[-1]
        came_down = arrival is not None and self._network.neighbour(switch, arrival.port)[0][-1] > switch[-1]
        assert virtual_class == (arrival.virtual_class if arrival else 0) + (came_down and up)
        kind = self._network.ports[port].kind
        self._most[kind] = max(self._most.get(kind, 0), virtual_class + 1)
        return there

    def compare(self, relation, minimal):
        """``relation`` has the classes in use, and no more than ``minimal``."""
        most = self._most
        assert most == {kind: count for kind, count in relation.classes.items() if kind in most}
        assert max(most.values()) <= max(minimal.classes.values())
