"""Minimal routing as a relation: the port by the rules of the switch's id, the class by the turns of the path so far."""

from collections import namedtuple
from functools import cached_property

from dsnswitch.net.routing.dsn.relation import ByIdRelation
from dsnswitch.net.topology.dsn import Dsn

#: Channel on which a packet arrived, as :class:`Arrival`, and the choice of its source (:class:`Digits`).
DigitArrival = namedtuple("DigitArrival", "port virtual_class choice")


class TurnRelation(ByIdRelation):
    """A routing of a DSN whose virtual channel classes count turns.

    A hop goes *up* if it leads to a switch of higher id, else *down*; a packet's path rises and falls in turn. It begins on
    class 0, and its class rises by one whenever a hop up follows a hop down. Along a route the channels' class, then
    direction (up before down), then id at the start (rising up, falling down) therefore rise strictly: no packets can wait
    for each other in a cycle, whichever path they take.
    """

    def class_after(self, switch, arrival, port):
        """Class of the hop by ``port`` of a packet that came as ``arrival`` says."""
        if arrival is None:
            return 0
        return arrival.virtual_class + int(self.came_down(switch, arrival) and self.goes_up(switch, port))

    def goes_up(self, switch, port):
        """Whether a port leads to a switch of higher id; a port without a link does not."""
        end = self.network.neighbour(switch, port)
        return end is not None and end[0][-1] > switch[-1]

    def came_down(self, switch, arrival):
        """Whether a packet came from a switch of higher id."""
        return self.goes_up(switch, arrival.port)

    # The automaton of the deadlock search. Supernodes are alike: the switch is moved to supernode 0 after every hop.

    def states(self):
        for source in self.network.representatives():
            for destination in self.network.switches():
                if source != destination:
                    yield source, None, destination

    def advance(self, state):
        switch, arrival, destination = state
        found = []
        for port, virtual_class, *more in self.steps(switch, arrival, destination):
            there, entry = self.network.neighbour(switch, port)
            moved, target = self.network.canonical(there, destination)
            following = None if moved == target else (moved, self.arrival_type(entry, virtual_class, *more), target)
            found.append(((switch[-1], port, virtual_class), following))
        return found


class MinimalRelation(TurnRelation):
    """Shortest paths of a :class:`Dsn` whose supernodes have at least 2 switches, decided hop by hop.

    Raises :class:`ValueError` if the network is too large (:data:`MOST_INPUTS`).
    """

    def __init__(self, dsn: Dsn):
        # numpy takes a quarter of the time of a command; only this routing and long analyses need it.
        from dsnswitch.net.routing.minimal.decisions import decisions

        super().__init__(dsn)
        self.decisions = decisions(dsn)

    @property
    def bound(self):
        """The diameter."""
        return int(self.decisions.distances.hops.max())

    @cached_property
    def classes(self):
        """One more than the most turns that a packet has taken on any port of a kind."""
        import numpy as np

        found = dict.fromkeys((port.kind for port in self.network.ports), 1)
        kinds = np.array([port.kind for port in self.network.ports])
        for step in self.decisions.turns.steps(self.decisions.ports):
            for kind in found:
                here = step.turns[kinds[step.port] == kind]
                found[kind] = max(found[kind], int(here.max(initial=0)) + 1)
        return found

    def hops(self, switch, arrival, destination):
        distances = tuple((d - s) % n for s, d, n in zip(switch, destination, self.network.sizes))
        port = int(self.decisions.ports[(switch[-1], destination[-1], *distances)])
        if port < 0:
            return ()
        return ((port, self.class_after(switch, arrival, port)),)


class AdaptiveRelation(MinimalRelation):
    """Minimal routing with a choice: a second port on a shortest path, where there is one (:class:`Alternatives`).

    The hop of minimal routing is the preferred one. The classes count turns as before, and no choice makes a route turn too
    often. So every choice is safe, and no escape channel is needed.
    """

    def __init__(self, dsn: Dsn):
        from dsnswitch.net.routing.minimal.alternatives import alternatives

        super().__init__(dsn)
        self.alternatives = alternatives(dsn)

    @property
    def classes(self):
        """One more than the most turns that a packet has taken on any port of a kind, whatever it chooses."""
        return self.alternatives.classes

    def hops(self, switch, arrival, destination):
        distances = tuple((d - s) % n for s, d, n in zip(switch, destination, self.network.sizes))
        other = int(self.alternatives.ports[(switch[-1], destination[-1], *distances)])
        first = super().hops(switch, arrival, destination)
        return first if not first or first[0][0] == other else (*first, (other, self.class_after(switch, arrival, other)))


class DigitRelation(TurnRelation):
    """Minimal routing with digits: the source chooses the signs of the shortest shortcuts, and each hop is one of two on a
    shortest path with these signs (:class:`Digits`).

    The classes count turns as before. The source chooses only signs with which no route turns more often than there are classes.
    So every choice is safe, and no escape channel is needed.
    """

    arrival_type = DigitArrival

    def __init__(self, dsn: Dsn):
        from dsnswitch.net.routing.minimal.digits import digits

        super().__init__(dsn)
        self.digits = digits(dsn)

    @property
    def classes(self):
        return self.digits.alternatives.classes

    @property
    def digit_bits(self):
        """Bits of the header for the digits."""
        return sum(self.digits.distances.widths[:-1])

    @property
    def bound(self):
        distances = self.digits.distances
        return int(distances.hops[distances.starts].max())

    def steps(self, switch, arrival, destination):
        """``(port, class, choice)`` of every hop that a packet may take, that of packets that stay in order first.

        ``arrival`` is a :class:`DigitArrival`; None at the source.
        """
        if switch == destination:
            return ()
        digits = self.digits
        distances = tuple((d - s) % n for s, d, n in zip(switch, destination, self.network.sizes))
        ids = switch[-1], destination[-1]
        choices = digits.written(*ids, distances) if arrival is None else [arrival.choice]
        found = {}
        for choice in choices:
            state = (*ids, *digits.state(distances, choice))
            for ports in (digits.decisions.ports, digits.alternatives.ports):
                port = int(ports[state])
                found[port, self.class_after(switch, arrival, port), choice] = None
        return tuple(found)

    def hops(self, switch, arrival, destination):
        return tuple(dict.fromkeys(step[:2] for step in self.steps(switch, arrival, destination)))
