"""Walks of packets through a network whose switches may choose between hops."""


def following(relation, switch, arrival, destination):
    """``(port, arrival at the next switch)`` of the hops that a packet may choose; with digits, for each choice of signs."""
    # A packet's signs decide its later hops, so they are a part of the arrival.
    for port, *rest in relation.steps(switch, arrival, destination):
        _, entry = relation.network.neighbour(switch, port)
        yield port, relation.arrival_type(entry, *rest)


def every_state(relation):
    """``(switch, arrival, destination)`` of all walks: whatever hops and signs are chosen, between all switches with hosts."""
    network, seen = relation.network, set()
    ends = list(network.terminals())
    pending = [(source, None, destination) for source in ends for destination in ends]
    while pending:
        state = pending.pop()
        if state in seen:
            continue
        seen.add(state)
        for port, arrival in following(relation, *state):
            pending.append((network.neighbour(state[0], port)[0], arrival, state[2]))
    return seen


def signs_of(found, choice):
    """A choice of :class:`Digits` as the golden model has it."""
    return tuple(
        tuple(bool(sign >> place & 1) for place in range(width))
        for sign, width in zip(found.signs[choice], found.distances.sign_widths)
    )


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
