"""Minimal routing of the dragonfly: local, global, local (Kim et al., 2008)."""

from typing import Any

from dsnswitch.net.routing.next_switch import NextSwitch


class DragonflyRelation(NextSwitch):
    """To a switch that has a link to the destination's group, over this link, and to the destination.

    Of several links between two groups, a packet takes that of its switch, or else that which ends at the destination, or else
    number ``(own + destination) mod l`` by the places of both switches in their groups.

    Local links have two classes: class 0 in a group that the packet will leave, class 1 in the destination's group. A packet
    takes class 0, a global link and class 1 in this order.
    """

    bound = 3

    @property
    def classes(self) -> dict[str, int]:
        return {"local": 2, "global": 1}

    def following(self, switch, destination) -> Any:
        group, other = switch[0], destination[0]
        if group == other:
            return destination
        net = self.network
        leaving = [net.gateway(group, other, copy) for copy in range(net.copies)]
        entering = [net.gateway(other, group, copy) for copy in range(net.copies)]
        if switch in leaving:
            return entering[leaving.index(switch)]
        if destination in entering:
            return leaving[entering.index(destination)]
        return leaving[(switch[1] + destination[1]) % net.copies]

    def virtual_class(self, switch, following, destination) -> int:
        return int(switch[0] == destination[0])
