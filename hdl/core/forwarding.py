"""Forwarding: the output port of a packet by route logic or by a table, which work in parallel."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import decode
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.contract import DESTINATION, OWN, AddressSignature, Answer, Question, RouteComponent
from dsnswitch.hdl.routing.gateware import route_logic
from dsnswitch.hdl.stream.stage import delayed
from dsnswitch.hdl.table.direct import DIRECT
from dsnswitch.hdl.table.shape import TableShape
from dsnswitch.hdl.table.ternary import TernaryTable
from dsnswitch.net.checks import integer
from dsnswitch.net.files.options import TableOptions
from dsnswitch.net.topology.addresses import KEYS
from dsnswitch.net.topology.network import Network


class RouteSelector(wiring.Component):
    """Selects between the answers of route logic and table. Combinational, one packet per cycle.

    The table decides if the switch or the packet asks for it, or if the route logic's port is dead. Exactly one bit of
    ``out_port``, ``arrived``, ``invalid`` and ``no_route`` is 1. The answer of the table gives ``no_route`` if it is a
    miss, an action that names no port, or a dead port.

    A destination that does not exist is ``invalid``, whatever the table answers. The table cannot detect it: the relative
    or folded key of such a destination is also the key of one that exists, and a packet that followed it would circle for
    ever. The range check of the route logic is ready before the table's answer and masks the ports together with ``dead``,
    so that it adds no gate to the path from the table to the outputs.

    A packet that is routed by a table must be routed by tables from then on, or a later switch would send it back.
    ``by_table`` is the header bit ``packet_table`` with which it leaves.

    Parameters
    ----------
    ports : int
        Output ports of the switch.
    adaptive : bool
        The table gives a second port.

    Members
    -------
    - mode: Route every packet by the table.
    - packet_table: Route this packet by the table.
    - dead: Ports that are reported dead.
    - route_port, route_arrived, route_invalid: Answer of the route logic.
    - action (In(ceil(log2(ports + 1)))): Answer of the table: the index of a port, or ``ports`` for *arrived*.
    - hit: The table has an answer.
    - out_port: One-hot output port.
    - arrived: The destination is this switch.
    - invalid: The destination does not exist.
    - no_route: The destination exists and the table decides, but it gives no live port.
    - by_table: The table decides.
    - other (In(ceil(log2(ports + 1)))), other_port (Out(ports)): With ``adaptive``: the second port of the table; the same
      one-hot, or 0 on a miss, if it is dead or is no port, and for a destination that does not exist.
    """

    latency = 0

    def __init__(self, ports, adaptive=False):
        self._adaptive = adaptive
        self._ports = integer("Selector ports", ports, 1, 256)
        super().__init__(
            {
                "mode": In(1),
                "packet_table": In(1),
                "dead": In(ports),
                "route_port": In(ports),
                "route_arrived": In(1),
                "route_invalid": In(1),
                "action": In(range(ports + 1)),
                "hit": In(1),
                "out_port": Out(ports),
                "arrived": Out(1),
                "invalid": Out(1),
                "no_route": Out(1),
                "by_table": Out(1),
                **({"other": In(range(ports + 1)), "other_port": Out(ports)} if adaptive else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        exists = Signal()
        usable = Signal(self._ports)
        table_port = Signal(self._ports)
        table_arrived = Signal()
        m.d.comb += [
            exists.eq(~self.route_invalid),
            usable.eq(Mux(exists, ~self.dead, 0)),
            table_port.eq(Mux(self.hit, decode(self.action, self._ports) & usable, 0)),
            table_arrived.eq(self.hit & (self.action == self._ports) & exists),
            self.by_table.eq(self.mode | self.packet_table | (self.route_port & self.dead).any()),
            self.out_port.eq(Mux(self.by_table, table_port, self.route_port)),
            self.arrived.eq(Mux(self.by_table, table_arrived, self.route_arrived)),
            self.invalid.eq(self.route_invalid),
            self.no_route.eq(self.by_table & exists & ~(table_port.any() | table_arrived)),
        ]
        if self._adaptive:
            m.d.comb += self.other_port.eq(Mux(self.hit, decode(self.other, self._ports) & usable, 0))
        return m


class TableKey(wiring.Component):
    """Computes the table key of a destination: its address, or its distance from the switch (D Fig. 4.12). Combinational.

    The first field of an address is in the most significant bits.

    Parameters
    ----------
    network : Network
        The network.
    keys : str
        One of ``network.keys``, as :meth:`Network.key_rule` explains them for each field.

    Members
    -------
    - own.FIELD: Own coordinates that the key needs; only with relative and folded keys.
    - dst.FIELD: Address of the destination. A field with one possible value has no port.
    - key: The key.
    """

    latency = 0

    def __init__(self, network: Network, keys):
        if keys not in network.keys:
            raise ValueError(f"Keys must be one of {', '.join(network.keys)}, not {keys!r}")
        self._fields = [field for field in network.fields if field.width]
        self._rules = {field.name: network.key_rule(field, keys) for field in self._fields}
        moving = [field for field in self._fields if self._rules[field.name] != KEYS[0]]
        own, dst = AddressSignature(moving, OWN), AddressSignature(self._fields, DESTINATION)
        super().__init__({"own": In(own), "dst": In(dst), "key": Out(sum(width for _, width in network.key_fields(keys)))})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.key.eq(Cat(reversed([self._coordinate(m, field) for field in self._fields])))
        return m

    def _coordinate(self, m, field):
        name, n, levels = field.name, field.size, field.width
        dst = getattr(self.dst, name)
        rule = self._rules[name]
        if rule == KEYS[0]:
            return dst
        own = getattr(self.own, name)
        ahead = Signal(levels, name=f"ahead_{name}")
        m.d.comb += ahead.eq(self._minus(dst, own, n))
        if rule == "relative":
            return ahead
        if rule == "padded":
            return Cat(ahead, 0)
        behind = Signal(levels, name=f"behind_{name}")
        back = Signal(name=f"back_{name}")
        # The forward distance is more than half the ring if the backward distance is less than the forward distance.
        m.d.comb += [behind.eq(self._minus(own, dst, n)), back.eq(behind < ahead)]
        return Cat(Mux(back, behind[::-1], ahead), back)

    @staticmethod
    def _minus(a, b, n):
        """``(a - b) mod n``."""
        return a - b if n & (n - 1) == 0 else Mux(a < b, a - b + n, a - b)


class AddressCheck(RouteComponent):
    """Stands for the route logic where every packet follows tables: it only says whether the addresses exist. Combinational.

    Members
    -------
    - own, dst, invalid: As for :class:`RouteComponent`. The other outputs are 0.
    """

    def elaborate(self, platform):
        m = Module()
        self._answer(m, invalid=self._outside(m))
        return m


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
    layers : int or None
        Every packet follows the table, in the class of its layer, and the network needs no algorithm. None for the mode on an
        input.
    turns : int
        Turn classes, if there is one layer.
    adaptive : bool
        With ``layers``: an action is two ports, the second one in its upper half, which a waiting packet may take. Without a
        choice it is the first one again.
    **table
        Fields of :class:`~dsnswitch.net.files.options.TableOptions`. A ternary table has absolute, relative or folded keys, a
        direct one a word for every absolute key.

    Members
    -------
    - own, dst, in_port, in_class, in_state, layer (In): As in :class:`Question`.
    - packet_table (In(1)): Route this packet by the table.
    - dead (In(ports)): Ports that are reported dead. Read in the cycle of the answer.
    - up (In(ports)): With turn classes: ports to switches of higher rank. A packet from one of them rises to the next class when
      it takes another, and in the last class such ports count as dead for it. It may return by the port on which it came.
    - mode (In(1)): Route every packet by the table; only without ``layers``.
    - write, write_.. (In): Write port of the table; with ``loaded`` for a direct table.
    - out_port, out_class, by_table, returns, arrived, invalid (Out): As in :class:`Answer`, but a turn class is one-hot. Without
      ``layers`` a packet ``returns`` where it begins to follow tables.
    - no_route (Out(1)): The destination exists and the table decides, but it gives no live port.
    """

    def __init__(self, network: Network, node=None, *, layers=None, turns=1, adaptive=False, **table):
        options = TableOptions(**table)
        self._network, self._node = network, node
        count = len(network.ports)
        self._route = route_logic(network, node) if layers is None else AddressCheck(network, node)
        self._key = TableKey(network, options.keys)
        width, action = len(self._key.key), count.bit_length() << adaptive
        if options.kind == "ternary":
            self._store = TernaryTable(TableShape(options.entries, width, action), stages=options.stages)
        else:
            self._store = DIRECT[options.memory](1 << width, action)
        self._select = RouteSelector(count, adaptive)
        self._layers, self._turns, self._adaptive = layers, turns, adaptive
        bits = {name: len(getattr(self._route, name)) for name in ("in_port", "in_class", "out_class")}
        if layers is not None:
            bits |= {"layer": (layers - 1).bit_length(), "out_class": (layers - 1).bit_length()}
        if turns > 1:
            # One-hot, so that channels wait for the port only.
            bits |= {"in_class": (turns - 1).bit_length(), "out_class": turns, "in_port": count, "up": count}
        if adaptive:
            bits |= {"other_port": count, "other_class": bits["out_class"]}
        free = int(layers is None)
        asked = Question(network.fields, universal=node is None, packet_table=1, dead=count, **bits)
        answer = Answer(count, by_table=1, returns=int(free or turns > 1), **bits)
        super().__init__(
            {
                **asked.flip().members,
                "mode": In(free),
                **self._store.write_port.flip().members,
                **answer.members,
                "no_route": Out(1),
            }
        )

    #: As in :class:`RouteComponent`.
    bounded = True

    #: The block has a clock at every latency, as its table is registers or RAM.
    clocked = True

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
        connect_ports(m, self, route, ["own", "dst", "in_port", "in_class"])
        connect_ports(m, self, key, ["dst"])
        self._connect_own(m, key.own)
        m.d.comb += [store.key.eq(key.key), choice.action.eq(store.action[: len(choice.action)]), choice.hit.eq(store.hit)]
        if self._adaptive:
            m.d.comb += [choice.other.eq(store.action[len(choice.action) :]), self.other_port.eq(choice.other_port)]
        connect_ports(m, self, store, store.write_port.members)
        for name, value in (
            ("mode", self.mode if self._layers is None else Const(1, 1)),
            ("packet_table", self.packet_table),
            ("route_port", route.out_port),
            ("route_arrived", route.arrived),
            ("route_invalid", route.invalid),
        ):
            m.d.comb += getattr(choice, name).eq(self._later(m, name, value))
        connect_ports(m, choice, self, ("out_port", "arrived", "invalid", "no_route", "by_table"))
        if self._turns > 1:
            self._turn(m, choice)
            return m
        virtual_class = route.out_class if self._layers is None else self.layer
        m.d.comb += [
            choice.dead.eq(self.dead),
            self.out_class.eq(self._later(m, "route_class", virtual_class)),
            self.returns.eq(choice.by_table & ~choice.packet_table),
        ]
        return m

    def _turn(self, m, choice):
        """The class of a packet by turns, and the ports that it cannot take."""
        fell = Signal()
        ends = Signal()
        current = Signal.like(self.in_class, name="current_class")
        higher = Signal.like(self.in_class, name="higher_class")
        rising = Signal.like(self.up)
        m.d.comb += [
            fell.eq(self._later(m, "fell", (self.in_port & self.up).any())),
            current.eq(self._later(m, "in_class", self.in_class)),
            higher.eq(current + 1),
            ends.eq(fell & (current == self._turns - 1)),
            choice.dead.eq(self.dead | Mux(ends, self.up, 0)),
            rising.eq(Mux(fell, self.up, 0)),
            self.returns.eq(1),
        ]
        # The port of the packet is late, the class on each port is not.
        classes = [Mux(bit, decode(higher, self._turns), decode(current, self._turns)) for bit in rising]
        m.d.comb += self.out_class.eq(self._on(self.out_port, classes))
        if self._adaptive:
            m.d.comb += self.other_class.eq(self._on(self.other_port, classes))

    @staticmethod
    def _on(port, values):
        """The one of ``values`` that belongs to the one-hot ``port``, or 0."""
        return reduce(or_, (Mux(bit, value, 0) for bit, value in zip(port, values)))

    def _later(self, m, name, value):
        """``value`` delayed by the latency of the table. Before the first packet, the route logic's answer is ``invalid``."""
        return delayed(m, name, value, self.latency, init=int(name == "route_invalid"))

    def _connect_own(self, m, own):
        """Drive ``own`` with the switch's address: from the input, or constant."""
        values = None if self._node is None else dict(zip((field.name for field in self._network.fields), self._node))
        for name in own.signature.members:
            m.d.comb += getattr(own, name).eq(values[name] if values else getattr(self.own, name))
