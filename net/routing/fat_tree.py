"""Routing of the fat tree: up to a switch that the destination determines, then down."""

from typing import Any

from dsnswitch.net.routing.next_switch import NextSwitch


class FatTreeRelation(NextSwitch):
    """Up until a switch is above the destination, then down. No packet goes up after it went down, so one class is enough.

    The switch at the top follows from the destination, edge switch i of pod j. With two levels, it is spine ``i mod up``. With
    three, it is reached over aggregation switch ``(j k / 2 + i) mod up`` of every pod, and over core ``(j + i // up) mod k / 2``
    of this switch. So the packets for one switch come down one way, and the ways of different switches are spread over all cores.
    """

    @property
    def bound(self) -> int | None:
        return 2 * (self.network.levels - 1)

    def following(self, switch, destination) -> Any:
        net, (own,), (to,) = self.network, switch, destination
        half, leaves, ups = net.half, net.leaves, net.ups
        if net.levels == 2:
            return (leaves + to % ups,) if own < leaves else destination
        (pod, index), cores = divmod(to, half), leaves + net.k * ups
        if own < leaves:
            return (leaves + own // half * ups + to % ups,)
        if own < cores:
            here, above = divmod(own - leaves, ups)
            return destination if here == pod else (cores + above * half + (pod + index // ups) % half,)
        return (leaves + pod * ups + (own - cores) // half,)
