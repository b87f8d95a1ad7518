"""Routing with detours: the decision of a switch, and the routing relation with its proof for any set of failed links."""

from collections import namedtuple
from typing import Any

from dsnswitch.net.routing.detour.decisions import NO_DETOUR, Decisions
from dsnswitch.net.routing.detour.single_failures import detour_classes
from dsnswitch.net.routing.dsn.relation import ByIdRelation, DsnRelation
from dsnswitch.net.routing.relation import Arrival
from dsnswitch.net.topology.dsn import Dsn
from dsnswitch.net.topology.supernode import RingSupernode

#: The next hop of a packet: output port, virtual channel class, and the header bits after this hop (:class:`Detour`).
Decision = namedtuple("Decision", "port virtual_class detour")

_Leaving = namedtuple("_Leaving", "port virtual_class following")

#: Decisions that end a route.
ARRIVED, UNDELIVERABLE = "arrived", "undeliverable"


def without_detours(dsn) -> str | None:
    """Why there are no detours in a DSN, as a sentence; None if there are."""
    if dsn.directions != "both":
        return "Routing detour is for a DSN that is routed in both directions, not forward only"
    if isinstance(dsn.supernode, RingSupernode) and dsn.m < 3:
        return f"Routing detour is for supernodes of at least 3 switches, not {dsn.supernode.name}"
    if len(dsn.supernode.starts) > 1:
        return f"Routing detour is for supernodes with one set of shortcuts, not {dsn.supernode.name}"
    return None


class DetourRelation(ByIdRelation):
    """The base routing of a DSN, with detours at switches whose own links have failed.

    As a relation, it describes the network without failures; :meth:`decide` takes link states. The dependency graph of
    :meth:`advance` contains every hop that is possible with any link states, so the proof holds for any set of failed links.

    Every port has ``classes`` virtual channel classes, by default as many as suffice for any single failed link. A packet that
    would need more is undeliverable. Raises :class:`ValueError` if supernodes are too small for detours inside them or have two
    sets of shortcuts, or the DSN is routed forward only.
    """

    def __init__(self, dsn: Dsn, classes=None):
        if reason := without_detours(dsn):
            raise ValueError(reason)
        super().__init__(dsn)
        self._number = detour_classes(dsn) if classes is None else classes
        self._decisions = Decisions(dsn)

    @property
    def classes(self) -> dict[str, int]:
        return {port.kind: self._number for port in self.network.ports}

    @property
    def bound(self) -> int | None:
        # In each class, ids can rise m - 1 times and then fall m - 1 times.
        return 2 * (self.network.m - 1) * self._number

    @property
    def paper_bound(self) -> int | None:
        """The bound of the base routing. Without failures, all routes are those of the base routing."""
        return DsnRelation(self.network).paper_bound

    def decide(self, switch, arrival, detour, destination, is_up):
        """The :class:`Decision` of one switch about one packet; :data:`ARRIVED` at the destination, :data:`UNDELIVERABLE` if no
        detour or no class is left.

        ``arrival`` is the channel on which the packet came, None at its source, and ``detour`` its header bits. ``is_up(port)``
        says whether the link on a port of this switch is up.
        """
        if switch == destination:
            return ARRIVED
        found = self._decisions.next(switch, arrival and arrival.port, detour, destination, is_up)
        if found is None:
            return UNDELIVERABLE
        port, bits = found
        virtual_class = self.next_class(switch[-1], arrival, port)
        return Decision(port, virtual_class, bits) if virtual_class < self._number else UNDELIVERABLE

    def next_class(self, own, arrival, port):
        """Class of a hop through ``port`` of id ``own``. It may exceed the classes of the network."""
        if arrival is None:
            return 0
        return arrival.virtual_class + self._decisions.turns(own, arrival.port, port)

    def hops(self, switch: tuple[int, ...], arrival, destination: tuple[int, ...]) -> Any:
        found = self.decide(switch, arrival, NO_DETOUR, destination, lambda port: True)
        return () if isinstance(found, str) else (found[:2],)

    def many_walks(self) -> Any:
        from dsnswitch.net.routing.detour.many_walks import ManyWalks

        return ManyWalks(self)

    # The automaton of the deadlock search. Its states have no destination: a packet may take any link of any switch.

    def states(self) -> Any:
        for own in range(self.network.m):
            yield own, None

    def advance(self, state) -> list:
        return [
            ((state[0], hop.port, hop.virtual_class), hop.following if self._leaving(*hop.following) else None)
            for hop in self._leaving(*state)
        ]

    def _leaving(self, own, arrival):
        """Every hop out of a state for which there is a class, and the state after this hop."""
        found = []
        for port, up in enumerate(self._decisions.up[own]):
            virtual_class = self._number if up is None else self.next_class(own, arrival, port)
            if virtual_class < self._number:
                there, entry = self.network.neighbour((0,) * len(self.network.sizes) + (own,), port)
                found.append(_Leaving(port, virtual_class, (there[-1], Arrival(entry, virtual_class))))
        return found
