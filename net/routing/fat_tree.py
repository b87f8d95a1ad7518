"""Routing of the fat tree: up to a switch that the destination determines, then down."""

from dsnswitch.net.routing.next_switch import NextSwitch


class FatTreeRelation(NextSwitch):
    """Up until a switch is above the destination, then down. No packet goes up after it went down, so one class is enough.

    The switch at the top follows from the destination: edge switch i of pod j is reached over aggregation switch i of every pod,
    and of its cores over number ``j mod k / 2``; with two levels, edge switch i is reached over spine ``i mod k / 2``. So the
    packets for one switch come down one way, and the ways of different switches are spread over all cores.
    """

    @property
    def bound(self):
        return 2 * (self.network.levels - 1)

    def following(self, switch, destination):
        net, (own,), (to,) = self.network, switch, destination
        half, leaves = net.half, net.leaves
        if net.levels == 2:
            return (leaves + to % half,) if own < leaves else destination
        pod, index = divmod(to, half)
        if own < leaves:
            return (leaves + own // half * half + index,)
        if own < 2 * leaves:
            here, above = divmod(own - leaves, half)
            return destination if here == pod else (2 * leaves + above * half + pod % half,)
        return (leaves + pod * half + (own - 2 * leaves) // half,)
