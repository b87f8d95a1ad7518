"""Forwarding: the output port of a packet by route logic or by a table, which work in parallel."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.route_selector import RouteSelector
from dsnswitch.hdl.core.table_key import TableKey
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.gateware import route_logic
from dsnswitch.hdl.table.direct import DirectTable
from dsnswitch.hdl.table.shape import TableShape
from dsnswitch.hdl.table.ternary import TernaryTable
from dsnswitch.net.checks import Parameter
from dsnswitch.net.topology.network import Network

__all__ = ["KINDS", "Forwarding"]

#: Kinds of table.
KINDS = ("ternary", "direct")


class Forwarding(wiring.Component):
    """Table-free routing with a table as fallback. One packet per cycle; the latency is that of the table, 0 to 2 cycles.

    A destination or an own address that does not exist raises ``invalid``, whether the table is used or not, and whatever it
    holds. ``invalid`` is also 1 in the cycles after a reset in which the outputs do not yet belong to a packet.

    Parameters
    ----------
    network : Network
        The network.
    node : tuple of int or None
        Own address as a constant; None for straps.
    kind : str
        Kind of table: ``ternary``, or ``direct`` with a word for every absolute key.
    keys : str
        Kind of keys of a ternary table, as in :class:`TableKey`.
    entries, stages : int
        Entries and register stages of a ternary table.

    Members
    -------
    own, dst : In(AddressSignature)
        Own address (static straps; only without ``node``) and address of the destination, as in the route
        logic (:func:`route_logic`), with its inputs for the channel of arrival.
    mode, packet_table : In(1)
        Route every packet by the table; route this packet by the table.
    dead : In(ports)
        Ports that are reported dead. Read in the cycle of the answer.
    write, write_.. : In
        Write port of the table; with ``loaded`` for a direct table.
    out_port, arrived, invalid, no_route, by_table : Out
        Outputs of :class:`RouteSelector`.
    out_class : Out
        Virtual channel class of a packet that the route logic routes, if the route logic has this output. Packets that the
        table routes (``by_table``) use separate virtual channels.
    """

    network = Parameter("The network.")
    node = Parameter("Own address as a constant, or None.")
    kind = Parameter("Kind of the table.")
    keys = Parameter("Kind of the table's keys.")

    def __init__(self, network: Network, node=None, *, kind="ternary", keys="absolute", entries=16, stages=0):
        if kind not in KINDS:
            raise ValueError(f"Kind of table must be one of {', '.join(KINDS)}, not {kind!r}")
        self._network, self._node, self._kind, self._keys = network, node, kind, keys
        count = len(network.ports)
        width, action = network.key_width(keys), count.bit_length()
        self._route = route_logic(network, node)
        self._key = TableKey(network, keys)
        if kind == "ternary":
            self._store = TernaryTable(TableShape(entries, width, action), stages=stages)
        else:
            self._store = DirectTable(1 << width, action)
        self._select = RouteSelector(count)
        requests = ("mode", "packet_table", "dead")
        answers = ("out_port", "arrived", "invalid", "no_route", "by_table")
        members = self._route.signature.members
        self._has_class = "out_class" in members
        super().__init__(
            {
                **{name: member for name, member in members.items() if member.flow == In},
                **{name: In(self._select.signature.members[name].shape) for name in requests},
                **self._store.write_port.flip().members,
                **{name: Out(self._select.signature.members[name].shape) for name in answers},
                **({"out_class": Out(members["out_class"].shape)} if self._has_class else {}),
            }
        )

    @property
    def clocked(self):
        """The block has a clock at every latency, as its table is registers or RAM."""
        return True

    @property
    def latency(self):
        """Cycles from the destination to the outputs."""
        return self._store.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.route_logic = route = self._route
        m.submodules.make_key = key = self._key
        m.submodules.store = store = self._store
        m.submodules.choice = choice = self._select
        connect_ports(m, self, route, [name for name, member in route.signature.members.items() if member.flow == In])
        connect_ports(m, self, key, ["dst"])
        self._connect_own(m, key.own)
        m.d.comb += [store.key.eq(key.key), choice.action.eq(store.action), choice.hit.eq(store.hit)]
        connect_ports(m, self, store, store.write_port.members)
        m.d.comb += choice.dead.eq(self.dead)
        for name, value in (
            ("mode", self.mode),
            ("packet_table", self.packet_table),
            ("route_port", route.out_port),
            ("route_arrived", route.arrived),
            ("route_invalid", route.invalid),
        ):
            m.d.comb += getattr(choice, name).eq(self._later(m, name, value))
        connect_ports(m, choice, self, ("out_port", "arrived", "invalid", "no_route", "by_table"))
        if self._has_class:
            m.d.comb += self.out_class.eq(self._later(m, "route_class", route.out_class))
        return m

    def _later(self, m, name, value):
        """``value`` delayed by the latency of the table. Before the first packet, the route logic's answer is ``invalid``."""
        for cycle in range(self.latency):
            held = Signal.like(value, name=f"{name}_{cycle + 1}", init=int(name == "route_invalid"))
            m.d.sync += held.eq(value)
            value = held
        return value

    def _connect_own(self, m, own):
        """Drive ``own`` with the switch's address: from the input, or constant."""
        values = None if self.node is None else dict(zip((field.name for field in self.network.fields), self.node))
        for name in own.signature.members:
            m.d.comb += getattr(own, name).eq(values[name] if values else getattr(self.own, name))
