"""Next hop of a packet past the failed links of a switch, in plain integers. The number of classes is not limited here."""

from dsnswitch.net.routing.detour.header import NO_DETOUR, Detour
from dsnswitch.net.routing.detour.local_hop import local_hop
from dsnswitch.net.routing.detour.options import options
from dsnswitch.net.routing.detour.turn_classes import goes_up
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["Decisions"]


class Decisions:
    """The choices of the switches of a DSN with detours.

    Attributes
    ----------
    up : list of list
        By id and port: whether the link leads to a higher id; None for a port without a link.
    """

    def __init__(self, dsn: Dsn):
        self._dsn = dsn
        self._locals = len(dsn.supernode.port_names)
        self._port = {(port.kind, port.direction): port.index for port in dsn.ports}
        self.up = [[self._goes_up(own, port.index) for port in dsn.ports] for own in range(dsn.m)]

    def _goes_up(self, own, port):
        there = self._dsn.neighbour((0,) * len(self._dsn.sizes) + (own,), port)
        return None if there is None else goes_up(self._dsn, own, port)

    def turns(self, own, entry, port):
        """1 if a hop through ``port`` of id ``own`` goes up after a hop down, which ended at port ``entry``; else 0.

        At the source of a packet, ``entry`` is None.
        """
        return int(entry is not None and self.up[own][entry] and self.up[own][port])

    def next(self, switch, entry, detour, destination, is_up):
        """Port and header bits of the next hop to another switch, or None if no option has a link that is up.

        Parameters
        ----------
        switch, destination : tuple of int
            Switches of the network.
        entry : int or None
            Port on which the packet came; None at its source.
        detour : Detour
            Header bits.
        is_up : callable
            Whether the link on a port of this switch is up.
        """
        own = switch[-1]
        back = entry if entry is not None and entry < self._locals else None
        distances = tuple((d - s) % n for s, d, n in zip(switch, destination, self._dsn.sizes))
        if not any(distances):
            return self._local(own, destination[-1], detour, back, is_up)
        for index, option in enumerate(options(self._dsn, distances, detour.mode, detour.y_first)):
            port = self._port[self._dsn.dimensions[option.axis], option.direction]
            if option.leaves != own:
                # A packet that gives up a shortcut may go back to the port on which it came, and forgets the failed local link.
                heading = Detour(option.mode, not index and detour.alternative, option.y_first)
                return self._local(own, option.leaves, heading, None if index else back, is_up)
            if is_up(port):
                return port, NO_DETOUR._replace(y_first=option.y_first)
        return None

    def _local(self, own, target, detour, back, is_up):
        """Port and header bits of the next local hop, or None."""
        found = local_hop(self._dsn.supernode, own, target, detour.alternative, back, is_up)
        return found and (found[0], detour._replace(alternative=found[1]))
