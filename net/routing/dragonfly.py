"""Minimal routing of the dragonfly: local, global, local (Kim et al., 2008)."""

from dsnswitch.net.routing.next_switch import NextSwitch


class DragonflyRelation(NextSwitch):
    """To the switch that has the link to the destination's group, over this link, and to the destination.

    Local links have two classes: class 0 in a group that the packet will leave, class 1 in the destination's group. A packet
    takes class 0, a global link and class 1 in this order.
    """

    bound = 3

    @property
    def classes(self):
        return {"local": 2, "global": 1}

    def following(self, switch, destination):
        group, other = switch[0], destination[0]
        if group == other:
            return destination
        gateway = self.network.gateway(group, other)
        return self.network.gateway(other, group) if switch == gateway else gateway

    def virtual_class(self, switch, following, destination):
        return int(switch[0] == destination[0])
