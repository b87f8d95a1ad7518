"""Routing relation of the torus: dimension-order routing with dateline classes (Dally and Seitz, 1987)."""

from dsnswitch.net.routing.relation import Relation
from dsnswitch.net.topology.torus import Torus

__all__ = ["TorusRelation"]


class TorusRelation(Relation):
    """Dimension-order routing: dimension 0 first, the shorter direction round each ring, ties forward.

    A ring of at least four switches has two virtual channel classes. A packet takes class 0 as long as the rest of its
    route passes the link between the last coordinate and the first, class 1 otherwise. In a smaller ring no packet takes
    two links, and one class is enough.

    Parameters
    ----------
    torus : Torus
        The network.
    """

    def __init__(self, torus: Torus):
        super().__init__(torus)
        self._port = {(port.kind, port.direction): port.index for port in torus.ports}

    @property
    def classes(self):
        return {
            name: 2 if size > 3 else 1 for name, size in zip(self.network.dimensions, self.network.sizes) if size > 1
        }

    @property
    def bound(self):
        return sum(size // 2 for size in self.network.sizes)

    def hops(self, switch, arrival, destination):
        for axis, (own, target) in enumerate(zip(switch, destination)):
            if own != target:
                return (self._hop(axis, own, target),)
        return ()

    def _hop(self, axis, own, target):
        size = self.network.sizes[axis]
        forward = 2 * ((target - own) % size) <= size
        passed = target > own if forward else target < own
        return self._port[self.network.dimensions[axis], "forward" if forward else "backward"], int(passed and size > 3)

    # The automaton of the deadlock search. All rings of a dimension are equal.

    def states(self):
        yield "turn", 0

    def advance(self, state):
        if state[0] == "turn":
            return [
                self._along(axis, own, target)
                for axis in range(state[1], len(self.network.sizes))
                for own in range(self.network.sizes[axis])
                for target in range(self.network.sizes[axis])
                if own != target
            ]
        if state[0] == "end":
            # A node for the turn itself replaces the edges from every channel of a ring to every channel of the next ring.
            return [(("turn", state[1]), ("turn", state[1]))]
        return [self._along(*state)]

    def _along(self, axis, own, target):
        port, virtual_class = self._hop(axis, own, target)
        size = self.network.sizes[axis]
        there = (own + (1 if self.network.ports[port].direction == "forward" else -1)) % size
        last = axis + 1 == len(self.network.sizes)
        following = (axis, there, target) if there != target else None if last else ("end", axis + 1)
        return ((self.network.dimensions[axis], own, port, virtual_class), following)

    def label(self, channel):
        kind = self.network.ports[channel.port].kind
        return kind, channel.switch[self.network.dimensions.index(kind)], channel.port, channel.virtual_class

    def spell_label(self, label):
        return self._spell(f"coordinate {label[1]}", *label[2:])
