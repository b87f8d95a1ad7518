"""Dimension-order routing: a packet travels along one dimension after the other, in a direction that each topology chooses."""

from abc import abstractmethod
from typing import Any

from dsnswitch.net.routing.relation import Relation


class DimensionOrder(Relation):
    """Dimension-order routing of a :class:`Lattice`, dimension 0 first. Subclasses define the step along one dimension."""

    @abstractmethod
    def step(self, size, own, target):
        """Direction and virtual channel class of the hop from coordinate ``own`` towards another one, ``target``."""

    def hops(self, switch: tuple[int, ...], arrival, destination: tuple[int, ...]) -> Any:
        for axis, (own, target) in enumerate(zip(switch, destination)):
            if own != target:
                return (self._hop(axis, own, target),)
        return ()

    def _hop(self, axis, own, target):
        way, virtual_class = self.step(self.network.sizes[axis], own, target)
        return self.network.port_index(axis, way), virtual_class

    # The automaton of the deadlock search. All rows of switches along a dimension are equal.

    def states(self) -> Any:
        yield "turn", 0

    def advance(self, state) -> list:
        if state[0] == "turn":
            return [
                self._along(axis, own, target)
                for axis in range(state[1], len(self.network.sizes))
                for own in range(self.network.sizes[axis])
                for target in range(self.network.sizes[axis])
                if own != target
            ]
        if state[0] == "end":
            # A node for the turn itself replaces the edges from every channel of a row to every channel of the next row.
            return [(("turn", state[1]), ("turn", state[1]))]
        return [self._along(*state)]

    def _along(self, axis, own, target):
        port, virtual_class = self._hop(axis, own, target)
        there = (own + self.network.axis(port)[1]) % self.network.sizes[axis]
        last = axis + 1 == len(self.network.sizes)
        following = (axis, there, target) if there != target else None if last else ("end", axis + 1)
        return (self._label(axis, own, port, virtual_class), following)

    def label(self, channel) -> Any:
        axis, _ = self.network.axis(channel.port)
        return self._label(axis, channel.switch[axis], channel.port, channel.virtual_class)

    def _label(self, axis, own, port, virtual_class):
        return self.network.dimensions[axis], own, port, virtual_class

    def spell_label(self, label) -> str:
        return self._spell(f"coordinate {label[1]}", *label[2:])
