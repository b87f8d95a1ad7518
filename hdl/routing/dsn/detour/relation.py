"""Routing with detours: the decision of a switch, and the routing relation with its proof for any set of failed links."""

from collections import namedtuple

from ....topology import Dsn, RingSupernode
from ...relation import Arrival, Relation
from ..relation import DsnRelation
from .header import NO_DETOUR, Detour
from .local_hop import local_hop
from .options import options
from .turn_classes import detour_classes, goes_up, hop_bound

__all__ = ["ARRIVED", "UNDELIVERABLE", "Decision", "DetourRelation"]

#: The next hop of a packet: output port, virtual channel class, and the header bits after this hop (:class:`~.header.Detour`).
Decision = namedtuple("Decision", "port virtual_class detour")

_Leaving = namedtuple("_Leaving", "port virtual_class following")

#: Decisions that end a route.
ARRIVED, UNDELIVERABLE = "arrived", "undeliverable"


class DetourRelation(Relation):
    """The base routing of a DSN, with detours at switches whose own links have failed.

    As a relation, it describes the network without failures; :meth:`decide` takes link states. The dependency graph of
    :meth:`advance` contains every hop that is possible with any link states, so the proof holds for any set of failed links.

    Parameters
    ----------
    dsn : Dsn
        The network.
    classes : int or None
        Virtual channel classes of every port. None means the number that suffices for any single failed link. A packet that
        would need more classes is undeliverable.

    Raises
    ------
    ValueError
        If supernodes are too small for detours inside them, or the DSN is routed forward only.
    """

    def __init__(self, dsn: Dsn, classes=None):
        if dsn.directions != "both":
            raise ValueError("Routing detour is for a DSN that is routed in both directions, not forward only")
        if isinstance(dsn.supernode, RingSupernode) and dsn.m < 3:
            raise ValueError(f"Routing detour is for supernodes of at least 3 switches, not {dsn.supernode.name}")
        super().__init__(dsn)
        self._number = detour_classes(dsn) if classes is None else classes
        self._locals = len(dsn.supernode.port_names)
        self._port = {(port.kind, port.direction): port.index for port in dsn.ports}
        ids = range(dsn.m)
        self._up = [[self._goes_up(own, port.index) for port in dsn.ports] for own in ids]

    def _goes_up(self, own, port):
        """As :func:`~.turn_classes.goes_up`, but None for a port without a link."""
        there = self.network.neighbour((0,) * len(self.network.sizes) + (own,), port)
        return None if there is None else goes_up(self.network, own, port)

    @property
    def classes(self):
        return {port.kind: self._number for port in self.network.ports}

    @property
    def bound(self):
        return hop_bound(self.network, self._number)

    @property
    def paper_bound(self):
        """The bound of the base routing. Without failures, all routes are those of the base routing."""
        return DsnRelation(self.network).paper_bound

    def decide(self, switch, arrival, detour, destination, is_up):
        """The decision of one switch about one packet.

        Parameters
        ----------
        switch, destination : tuple of int
            Switches of the network.
        arrival : Arrival or None
            The channel on which the packet came; None at its source.
        detour : Detour
            Header bits.
        is_up : callable
            Whether the link on a port of this switch is up.

        Returns
        -------
        Decision or str
            :data:`ARRIVED` at the destination, :data:`UNDELIVERABLE` if no detour or no class is left.
        """
        if switch == destination:
            return ARRIVED
        found = self._next(switch, arrival, detour, destination, is_up)
        if found is None:
            return UNDELIVERABLE
        port, bits = found
        virtual_class = self.next_class(switch[-1], arrival, port)
        return Decision(port, virtual_class, bits) if virtual_class < self._number else UNDELIVERABLE

    def next_class(self, own, arrival, port):
        """Class of a hop through ``port`` of id ``own``. It may exceed the classes of the network."""
        if arrival is None:
            return 0
        return arrival.virtual_class + int(self._up[own][arrival.port] and self._up[own][port])

    def _next(self, switch, arrival, detour, destination, is_up):
        """Port and header bits of the next hop, or None."""
        own = switch[-1]
        back = arrival.port if arrival is not None and arrival.port < self._locals else None
        distances = tuple((d - s) % n for s, d, n in zip(switch, destination, self.network.sizes))
        if not any(distances):
            return self._local(own, destination[-1], detour, back, is_up)
        for index, option in enumerate(options(self.network, distances, detour.mode, detour.y_first)):
            port = self._port[self.network.dimensions[option.axis], option.direction]
            if option.leaves != own:
                # A packet that gives up a shortcut may go back to the port on which it came, and forgets the failed local link.
                heading = Detour(option.mode, not index and detour.alternative, option.y_first)
                return self._local(own, option.leaves, heading, None if index else back, is_up)
            if is_up(port):
                return port, NO_DETOUR._replace(y_first=option.y_first)
        return None

    def _local(self, own, target, detour, back, is_up):
        """Port and header bits of the next local hop, or None."""
        found = local_hop(self.network.supernode, own, target, detour.alternative, back, is_up)
        return found and (found[0], detour._replace(alternative=found[1]))

    def hops(self, switch, arrival, destination):
        found = self.decide(switch, arrival, NO_DETOUR, destination, lambda port: True)
        return () if isinstance(found, str) else (found[:2],)

    # The automaton of the deadlock search. Its states have no destination: a packet may take any link of any switch.

    def states(self):
        for own in range(self.network.m):
            yield own, None

    def advance(self, state):
        return [
            ((state[0], hop.port, hop.virtual_class), hop.following if self._leaving(*hop.following) else None)
            for hop in self._leaving(*state)
        ]

    def _leaving(self, own, arrival):
        """Every hop out of a state for which there is a class, and the state after this hop."""
        found = []
        for port, up in enumerate(self._up[own]):
            virtual_class = self._number if up is None else self.next_class(own, arrival, port)
            if virtual_class < self._number:
                there, entry = self.network.neighbour((0,) * len(self.network.sizes) + (own,), port)
                found.append(_Leaving(port, virtual_class, (there[-1], Arrival(entry, virtual_class))))
        return found

    def label(self, channel):
        return channel.switch[-1], channel.port, channel.virtual_class

    def spell_label(self, label):
        return self._spell(f"id {label[0]}", *label[1:])
