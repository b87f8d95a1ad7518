"""Dimension-order routing of HyperX and flattened butterfly."""

from typing import Any

from dsnswitch.net.routing.next_switch import NextSwitch


class HyperXRelation(NextSwitch):
    """One hop in each dimension in which the addresses differ, dimension 0 first. Dimensions rise, so one class is enough."""

    @property
    def bound(self) -> int:
        return len(self.network.fields)

    def following(self, switch, destination) -> Any:
        axis = next(axis for axis, (own, to) in enumerate(zip(switch, destination)) if own != to)
        return *switch[:axis], destination[axis], *switch[axis + 1 :]
