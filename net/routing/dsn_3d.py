"""Routing of the DSN of three dimensions: X, then Y, then Z, then the local route to the id (D 4.2.1)."""

from typing import Any

from dsnswitch.net.routing.dsn.local import first_hop
from dsnswitch.net.routing.dsn.relation import next_shortcut
from dsnswitch.net.routing.next_switch import NextSwitch


class Dsn3dRelation(NextSwitch):
    """The routing of :class:`DsnRelation` with a third phase. Local links have one class for each phase and one for the end.

    A ring has at most four levels. A packet that goes to a shortcut of a later level in a phase then never waits for one that
    goes to an earlier one.
    """

    @property
    def classes(self) -> dict[str, int]:
        return {"local": 4, "x": 1, "y": 1, "z": 1}

    @property
    def bound(self) -> int | None:
        supernode = self.network.supernode
        return sum((supernode.diameter + 1) * (ring.levels[0] + 1) for ring in self.network.rings) + supernode.diameter

    @property
    def paper_bound(self) -> int | None:
        """That of D 4.2.1 with a phase more: ``4 Delta``, and ``p + 1`` for each dimension."""
        return 4 * self.network.supernode.diameter + sum(ring.levels[0] + 1 for ring in self.network.rings)

    def _phase(self, switch, destination):
        return next((axis for axis in range(3) if switch[axis] != destination[axis]), 3)

    def following(self, switch, destination) -> Any:
        network, phase, own = self.network, self._phase(switch, destination), switch[3]
        target = destination[3]
        if phase < 3:
            size = network.sizes[phase]
            distance = (destination[phase] - switch[phase]) % size
            shortcut = next_shortcut(network.rings[phase], 0, distance, own)
            if own == shortcut.leaves:
                there = (destination[phase] - shortcut.distance) % size
                return *switch[:phase], there, *switch[phase + 1 : 3], shortcut.enters
            target = shortcut.leaves
        return *switch[:3], network.supernode.neighbour(own, first_hop(network.supernode, own, target))

    def virtual_class(self, switch, following, destination) -> int:
        return self._phase(switch, destination) if switch[:3] == following[:3] else 0
