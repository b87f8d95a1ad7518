"""Where a packet leaves: algorithm and table side by side, and the choice between them."""

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..logic import connect_ports
from ..routing.gateware import route_logic
from ..table import DirectTable, TableShape, TernaryTable
from ..topology import Network
from .route_selector import RouteSelector
from .table_key import TableKey

__all__ = ["KINDS", "Forwarding"]

#: Kinds of table.
KINDS = ("ternary", "direct")


class Forwarding(wiring.Component):
    """Table-free routing with a table to fall back on. One packet a cycle; latency is the table's, 0 to 2 cycles.

    A destination that does not exist gives ``invalid``, whether the table is asked or not, and whatever it holds. With a
    latency, so do the cycles after a reset in which no answer can be there yet.

    Parameters
    ----------
    network : Network
        The network.
    node : tuple of int or None
        Own address as a constant; None for straps.
    kind : str
        ``ternary``, or ``direct`` with a word for every absolute key.
    keys : str
        Of a ternary table: see :class:`~dsnswitch.hdl.table.TableKey`.
    entries, stages : int
        Of a ternary table.

    Members
    -------
    own_FIELD, dst_FIELD : In
        Own address (static straps, which must be valid; not with ``node``) and destination, as for the route logic
        (:func:`~dsnswitch.hdl.routing.gateware.route_logic`), with its inputs that describe the arrival.
    mode, packet_table : In(1)
        Go by the table: every packet, this packet.
    dead : In(ports)
        Ports that are reported dead, as they are when the answer comes out.
    write, write_.. : In
        The table's write port; ``loaded`` of a direct table.
    out_port, arrived, invalid, no_route, by_table : Out
        As of :class:`~.route_selector.RouteSelector`.
    out_class : Out
        Virtual channel class of a packet that goes by the algorithm, where the route logic has this output. Packets that go by
        the table (``by_table``) use virtual channels of their own.
    """

    def __init__(self, network: Network, node=None, *, kind="ternary", keys="absolute", entries=16, stages=0):
        if kind not in KINDS:
            raise ValueError(f"Kind of table must be one of {', '.join(KINDS)}, not {kind!r}")
        self.network, self.node, self.keys = network, node, keys
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
        write_port = [name for name in self._store.signature.members if name not in ("key", "action", "hit")]
        super().__init__(
            {
                **{name: member for name, member in members.items() if member.flow == In},
                **{name: In(self._select.signature.members[name].shape) for name in requests},
                **{name: In(self._store.signature.members[name].shape) for name in write_port},
                **{name: Out(self._select.signature.members[name].shape) for name in answers},
                **({"out_class": Out(members["out_class"].shape)} if self._has_class else {}),
            }
        )
        self._write_port = write_port

    @property
    def clocked(self):
        """The table is registers or RAM, whatever the latency."""
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
        for name, member in key.signature.members.items():
            if member.flow == In:
                m.d.comb += getattr(key, name).eq(self._field(name))
        m.d.comb += [store.key.eq(key.key), choice.action.eq(store.action), choice.hit.eq(store.hit)]
        connect_ports(m, self, store, self._write_port)
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
        """``value`` when the table answers. Before the first packet the algorithm's answer is ``invalid``."""
        for cycle in range(self.latency):
            held = Signal.like(value, name=f"{name}_{cycle + 1}", init=int(name == "route_invalid"))
            m.d.sync += held.eq(value)
            value = held
        return value

    def _field(self, name):
        """Field of an address: a port, or of the own one a constant."""
        if name.startswith("dst_") or self.node is None:
            return getattr(self, name)
        [place] = [place for place, field in enumerate(self.network.fields) if name == f"own_{field.name}"]
        return Const(self.node[place], self.network.fields[place].width)
