"""Routing as a relation in plain integers: (switch, incoming channel, destination) -> outputs, each with a class.

A relation decides one hop at a time from the information that a switch has. Tables, the deadlock search, the commands
``route`` and ``check``, exports and pictures use it. The golden model checks it, and the gateware is compared with it pair
by pair.

A *channel* is a link in one direction on one virtual channel class.
"""

from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Mapping
from types import MappingProxyType

#: Channel on which a packet arrived at a switch: input port ``port``, class ``virtual_class``. None is injection by a host.
Arrival = namedtuple("Arrival", "port virtual_class")

#: A virtual channel: output port ``port`` of ``switch``, class ``virtual_class``.
Channel = namedtuple("Channel", "switch port virtual_class")

#: One hop of a route.
Hop = namedtuple("Hop", "source port virtual_class target")


class RoutingError(ValueError):
    """A route does not end at its destination."""


class Relation(ABC):
    """Routing of one network, hop by hop. Subclasses define :attr:`bound` and :meth:`hops`, and :attr:`classes`.

    Attributes
    ----------
    network : Network
        The network that is routed.
    """

    #: What a switch knows of the arrival of a packet: port and class, and what else the packet carries.
    arrival_type: type = Arrival

    #: Whether the class of a packet follows from its turns (:mod:`~dsnswitch.net.routing.turns`); then ``ports_up`` states them.
    by_turns = False

    #: Of each output port in a ring that keeps a flit free (*bubble*): the input port of packets that go on in the ring. They may
    #: wait for each other, so a ring counts as one channel; packets that enter it wait for more space.
    rings: Mapping = MappingProxyType({})

    #: What people should know of the routes: ``(title, text)`` of each line.
    notes: tuple = ()

    def __init__(self, network):
        self.network = network

    @property
    def classes(self):
        """Number of virtual channel classes of each kind of port: ``{kind: number}``. By default one."""
        return {port.kind: 1 for port in self.network.ports}

    @property
    @abstractmethod
    def bound(self):
        """Upper bound of the number of hops of a route."""

    @property
    def paper_bound(self):
        """Upper bound that the topology's paper states; :attr:`bound` if it states none."""
        return self.bound

    @abstractmethod
    def hops(self, switch, arrival, destination):
        """Outputs that the switch may choose from, the preferred one first: a tuple of ``(port, class)``, empty at the
        destination.

        ``arrival`` is the :class:`Arrival` of the packet, seen from this switch; None at its source.
        """

    def steps(self, switch, arrival, destination):
        """The outputs of :meth:`hops`, each with what the packet carries besides if :attr:`arrival_type` has more fields."""
        return self.hops(switch, arrival, destination)

    def route(self, source, destination):
        """The preferred route as a list of :class:`Hop`.

        Raises :class:`RoutingError` if the route takes a port without a link, has more hops than :attr:`bound`, or ends
        elsewhere.
        """
        hops, switch, arrival = [], source, None
        while steps := self.steps(switch, arrival, destination):
            port, virtual_class, *more = steps[0]
            end = self.network.neighbour(switch, port)
            spell = self.network.spell_switch
            if end is None:
                raise RoutingError(f"{spell(source)} to {spell(destination)}: {spell(switch)} has no link on port {port}")
            hops.append(Hop(switch, port, virtual_class, end[0]))
            if len(hops) > self.bound:
                raise RoutingError(f"{spell(source)} to {spell(destination)} takes more than {self.bound} hops")
            switch, arrival = end[0], self.arrival_type(end[1], virtual_class, *more)
        if switch != destination:
            raise RoutingError(f"{spell(source)} to {spell(destination)} ends at {spell(switch)}")
        return hops

    def many_walks(self):
        """Walks of many packets at once through the network with failed links, as arrays.

        By default a packet ends at a failed link: :class:`~dsnswitch.net.routing.fixed_walks.FixedWalks`.
        """
        from dsnswitch.net.routing.fixed_walks import FixedWalks

        return FixedWalks(self)

    def field_hop(self, switch, axis, target):
        """``(port, remark)`` of a packet whose first address field that differs from the destination's is ``axis``.

        ``target`` is the forward distance in this field, or the destination's value if it is the last field. Only relations
        whose port depends on nothing else define this method; :attr:`Network.table` needs it.
        """
        raise NotImplementedError

    def states(self):
        """Initial states of the automaton of :meth:`advance`: by default every pair of switches with hosts, at the source.

        A relation of a symmetric network overrides the three methods ``states``, ``advance`` and ``label`` with a smaller
        automaton. It must have the same dependencies as the default one once channels are replaced by their labels.
        """
        for source in self.network.terminals():
            for destination in self.network.terminals():
                if source != destination:
                    yield source, None, destination

    def advance(self, state):
        """``[(label of the channel taken, next state)]`` for every choice; the next state is None if the route ends."""
        switch, arrival, destination = state
        steps = []
        for port, virtual_class in self.hops(switch, arrival, destination):
            there, entry = self.network.neighbour(switch, port)
            label = self.label(Channel(switch, port, virtual_class))
            following = None if there == destination else (there, Arrival(entry, virtual_class), destination)
            steps.append((label, following))
        return steps

    def label(self, channel):
        """The representative of a channel under the symmetry of :meth:`states`; by default the channel itself.

        Equal labels must mean that a symmetry of network and routing maps one channel to the other.
        """
        return channel

    def is_escape(self, label):
        """Whether the channels with this label are escape channels. By default all are: no choice may close a cycle."""
        return True

    @property
    def ring_kinds(self):
        """Kinds of ports of :attr:`rings`."""
        return list(dict.fromkeys(self.network.ports[port].kind for port in self.rings))

    def is_ring(self, label):
        """Whether the channels with this label are rings of :attr:`rings`, so that a packet may wait for one in which it is."""
        return False

    def spell_label(self, label):
        """A label in words, for the report of a cycle."""
        return self._spell(self.network.spell_switch(label[0]), *label[1:])

    def _spell(self, switch, port, virtual_class):
        return f"{switch} {self.network.ports[port].name} class {virtual_class}"

    def channels(self):
        """Every virtual channel of the network."""
        for switch in self.network.switches():
            for port, _ in self.network.links_of(switch):
                for virtual_class in range(self.classes[port.kind]):
                    yield Channel(switch, port.index, virtual_class)
