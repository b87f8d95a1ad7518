"""Arrival of flits at a port: checks of header and length, routing, and the update of the header."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import Header, flit_layout, tagged_layout
from dsnswitch.hdl.core.route_unit import RouteUnit
from dsnswitch.hdl.core.shape import CorePort, CoreShape
from dsnswitch.hdl.logic.gates import equals
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.stream.stage import delayed

#: Why flits are dropped or a packet is marked bad; one-bit outputs. The first five count packets.
EVENTS = ("bad_header", "invalid", "no_route", "expired", "u_turn", "bad_length", "stray")


class Arrival(wiring.Component):
    """Turns the flits of one port into tagged flits. Latency that of the routing; one flit per cycle.

    Whatever flits arrive, those that are not to be dropped form packets: each begins with a head whose check bits are right,
    has at most the length that its header states, and ends with a tail. A packet that is longer or shorter than its header
    states, or that is cut off by another head, ends with a tail that is marked bad. The flits of a packet that is refused,
    and flits that belong to none, are marked to be dropped.

    Members
    -------
    - own, ..: Own address and other inputs of the routing logic that no packet brings.
    - in_port: As of :class:`RouteUnit`.
    - valid: A flit arrives on this channel; one-hot or 0.
    - confirmed (In(1)): At a port that speculates: the flit counts. Late, so only registers wait for it. A flit that does
      not count changes nothing.
    - flit: In(flit_layout)
    - load: At a host with digits, as of :class:`SourceRoute`.
    - into: ``entry`` goes to the buffer of this channel, if it is confirmed; one-hot or 0.
    - entry: The flit. Of a head, the hop count is one more and the check bits are updated.
    - begins, continues (Out(channels)): Ready before ``entry``: on this channel, the flit would begin a packet unless its header
      is wrong; it would continue one.
    - single, tail: Ready before ``entry``, too: a packet that begins has one flit; the flit is known to end its packet.
    - bad_header: A head is dropped: its check bits are wrong, its length is 0 or over the limit, or it names another virtual
      network than that of its channel.
    - invalid: A head is dropped: its destination does not exist.
    - no_route: A head is dropped: no port leads to its destination.
    - expired: A head is dropped: its hop count is at its greatest value.
    - u_turn: A head is dropped: it would leave by the port on which it came, and may not (:class:`RouteUnit`).
    - bad_length: A packet is marked bad: its length is not what its header states.
    - stray: A flit is dropped that belongs to no packet, or to one after its forced end.
    """

    def __init__(self, shape: CoreShape, port: CorePort):
        # Not the port: ports with equally many channels are equal.
        self._shape, self._speculates = shape, shape.speculates(port)
        self._header = Header(shape)
        self._header.check()
        self._virtual_networks = [list(share.range) for share in port.shares]
        self._routing = RouteUnit(shape, port)
        self.inputs = self._routing.inputs
        super().__init__(
            self.inputs
            | self._routing.place
            | {
                "valid": In(port.channels),
                **({"confirmed": In(1)} if self._speculates else {}),
                "flit": In(flit_layout(shape)),
                **{name: member for name, member in self._routing.more.items() if name == "load"},
                "into": Out(port.channels),
                "entry": Out(tagged_layout(shape)),
                "begins": Out(port.channels),
                "continues": Out(port.channels),
                "single": Out(1),
                "tail": Out(1),
                **{name: Out(1) for name in EVENTS},
            }
        )

    @property
    def latency(self):
        """Cycles from a flit to its tagged flit."""
        return self._routing.latency

    def elaborate(self, platform):
        m = Module()
        layout, channels = self._header.layout, len(self.valid)
        m.submodules.routing = routing = self._routing
        connect_ports(m, self, routing, self.inputs | self._routing.place)
        if self._routing.more:
            m.d.comb += routing.asks.eq(self.valid.any() & self.flit.head)
            connect_ports(m, self, routing, [name for name in self._routing.more if name == "load"])
        first = data.View(layout, self.flit.data[: layout.size])
        m.d.comb += [routing.asked.eq(first), routing.channel.eq(self.valid)]
        # The flit whose tag the routing gives now; after a register it is confirmed.
        confirmed = self.confirmed if self._speculates else Const(1, 1)
        arrives = self.valid
        if self.latency and self._speculates:
            arrives, confirmed = self.valid & confirmed.replicate(channels), Const(1, 1)
        valid = delayed(m, "valid", arrives, self.latency)
        flit = delayed(m, "flit", self.flit, self.latency)
        header = data.View(layout, flit.data[: layout.size])
        m.d.comb += routing.header.eq(header)

        left = [Signal(range(self._shape.packet), name=f"left_{v}") for v in range(channels)]
        skips = Signal(channels)
        expected = Signal(range(self._shape.packet))
        skipping = Signal()
        m.d.comb += [expected.eq(self._of(valid, left)), skipping.eq((skips & valid).any())]
        ongoing = Signal()
        syndrome = Signal(self._header.code.r)
        sane = Signal()
        old = Signal()
        refused = Signal()
        starts = Signal()
        accepted = Signal()
        last = Signal()
        cut = Signal()
        is_right = ~syndrome.any() & header.length.any() & self._fits(header.length)
        m.d.comb += [
            ongoing.eq(expected.any()),
            syndrome.eq(self._header.syndrome(header)),
            sane.eq(is_right if len(self._virtual_networks) == 1 else is_right & self._names(header, valid)),
            old.eq(header.hops.all()),
            refused.eq(~sane | old | routing.invalid | routing.no_route | routing.u_turn),
            self.continues.eq(Cat(flits.any() for flits in left)),
            self.begins.eq(~self.continues & flit.head.replicate(channels)),
            # The mark of a tail is late at a port that speculates.
            self.single.eq(equals(header.length, 1) if self._speculates else flit.tail),
            self.tail.eq(equals(expected, 1) if self._speculates else flit.tail),
            starts.eq(~ongoing & flit.head),
            accepted.eq(starts & ~refused),
            last.eq(Mux(ongoing, equals(expected, 1), equals(header.length, 1))),
            cut.eq(ongoing & flit.head),
            self.into.eq(valid),
            self.entry.tag.eq(routing.tag),
            self.entry.drop.eq(~ongoing & ~accepted),
            self.entry.flit.head.eq(accepted),
            self.entry.flit.tail.eq(flit.tail | last | cut),
            self.entry.flit.bad.eq(flit.bad | cut | (self.entry.flit.tail & ~(flit.tail & last))),
            self.entry.flit.data.eq(flit.data),
        ]
        # Of a head that is refused, too: it is dropped, and its header's check is late.
        with m.If(starts):
            m.d.comb += self.entry.flit.data[: layout.size].eq(self._updated(m, header, routing))
        arrived = Signal(channels)
        m.d.comb += arrived.eq(valid & confirmed.replicate(channels))
        self._events(m, arrived.any(), flit, starts, ongoing, skipping, sane, old, routing)
        after = Signal(range(self._shape.packet))
        going_on = (ongoing | accepted) & ~self.entry.flit.tail
        m.d.comb += after.eq(Mux(going_on, Mux(ongoing, expected, header.length) - 1, 0))
        for v in range(channels):
            with m.If(arrived[v]):
                m.d.sync += [left[v].eq(after), skips[v].eq(~flit.tail & (self.entry.drop | self.entry.flit.tail))]
        return m

    def _events(self, m, arrived, flit, starts, ongoing, skipping, sane, old, routing):
        arrives = Signal()
        head = Signal()
        kept = self.entry.flit.tail & (ongoing | self.entry.flit.head)
        m.d.comb += [
            arrives.eq(arrived),
            head.eq(arrives & starts),
            self.bad_header.eq(head & ~sane),
            self.expired.eq(head & sane & old),
            self.invalid.eq(head & sane & ~old & routing.invalid),
            self.no_route.eq(head & sane & ~old & routing.no_route),
            self.u_turn.eq(head & sane & ~old & routing.u_turn),
            self.bad_length.eq(arrives & kept & self.entry.flit.bad & ~flit.bad),
            self.stray.eq(arrives & ~ongoing & ~flit.head & ~skipping),
        ]

    @staticmethod
    def _of(valid, values):
        """The one of ``values`` that the one-hot ``valid`` points to, or 0."""
        result = Const(0, len(values[0]))
        for bit, value in zip(valid, values):
            result |= Mux(bit, value, 0)
        return result

    def _fits(self, length):
        """Whether a packet of ``length`` flits is within the limit; a field of all ones may be the limit itself."""
        most = self._shape.packet
        return length <= most if most < (1 << len(length)) - 1 else Const(1, 1)

    def _names(self, header, valid):
        """Whether a header names the virtual network of its channel. So a packet never changes it."""
        own = (Cat(valid[v] for v in channels).any() for channels in self._virtual_networks)
        return Cat(one & equals(header.virtual_network, number) for number, one in enumerate(own)).any()

    def _updated(self, m, header, routing):
        """The header with one hop more; its check bits change by those of the change."""
        new = Signal(self._header.layout, name="updated")
        change = Signal(self._header.code.k)
        flags = self._flags(routing)
        m.d.comb += [
            new.eq(header),
            new.hops.eq((header.hops + 1)[: len(header.hops)]),
            *(new.flags[name].eq(value) for name, value in flags.items()),
            new.check.eq(header.check ^ self._header.sums(self._changes(change, flags))),
            change.eq(new.as_value()[: len(change)] ^ header.as_value()[: len(change)]),
        ]
        return new

    def _flags(self, routing):
        """Flags that routing writes, and their values."""
        flags = {"by_table": routing.by_table, self._header.state: routing.state}
        flags |= {"undeliverable": routing.undeliverable}
        return {name: value for name, value in flags.items() if len(value)}

    def _changes(self, change, flags):
        """Bits of ``change`` that can be 1: of the hop count, and of flags that routing writes."""
        layout = self._header.layout
        hops = layout["hops"]
        places = set(range(hops.offset, hops.offset + hops.width))
        for name in flags:
            flag = layout["flags"].shape[name]
            places |= set(range(layout["flags"].offset + flag.offset, layout["flags"].offset + flag.offset + flag.width))
        return [bit if place in places else None for place, bit in enumerate(change)]
