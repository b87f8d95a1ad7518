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
