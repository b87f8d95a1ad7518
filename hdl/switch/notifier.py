"""Notifier: turns undeliverable packets into notices, between the core and host 0 of a switch with detours."""

from dataclasses import dataclass
from functools import cached_property

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.core.input_channel import ChannelBuffer
from dsnswitch.hdl.core.packet import FlitLink, Header, flit_layout, host_address
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.fec.crc32c import BITS
from dsnswitch.hdl.logic.numbers import Counter
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.port.shape import HEAD_BITS

#: Counters of notices in a switch, in the order of the registers.
NOTICE_COUNTERS = ("notices", "unreported_packets", "lost_notices")

#: Most bits of a packet's payload that a notice repeats.
MOST_PAYLOAD = 64


def notice_counts():
    """Counts of notices: a saturating counter of 32 bits for each of :data:`NOTICE_COUNTERS`."""
    return data.StructLayout(dict.fromkeys(NOTICE_COUNTERS, 32))


@dataclass(frozen=True)
class NoticeFormat:
    """Layout of the content of a notice, which follows the header in the notice's only flit.

    ``destination``: the address that the packet could not reach; ``length``: flits of the packet; ``payload``: the bits that
    followed the header in the packet's first flit, as many as fit, up to 64. The 32 bits of the end-to-end check stay free if
    the flit has them.
    """

    shape: CoreShape

    @cached_property
    def layout(self):
        """The content, from the first bit after the header."""
        header = Header(self.shape)
        fields = {name: header.fields[name] for name in ("destination", "length")}
        space = min(self.shape.flit, HEAD_BITS) - header.width - data.StructLayout(fields).size
        payload = min(max(space - BITS if space >= BITS else space, 0), MOST_PAYLOAD)
        return data.StructLayout(fields | ({"payload": payload} if payload else {}))

    @property
    def width(self):
        """Bits of the notice: header and content."""
        return Header(self.shape).width + self.layout.size

    def check(self):
        """Raise a ValueError if a notice does not fit a flit."""
        if self.width > self.shape.flit:
            raise ValueError(f"Flit width must be at least that of a notice, {self.width} bits, not {self.shape.flit}")


class CreditReturn(wiring.Component):
    """Returns credits of two sources one by one, and delays them while ``hold`` is 1. Latency 1 cycle, one credit per cycle.

    Parameters
    ----------
    depth : int
        Credits of the channel: no more are returned at a time.

    Members
    -------
    - earned: A bit per source: the source gives back a credit.
    - hold: Return no credit.
    - credit: A credit returns.
    """

    def __init__(self, depth):
        self._depth = depth
        #: Credits that have not returned.
        self.owed = Signal(range(depth + 1))
        super().__init__({"earned": In(2), "hold": In(1), "credit": Out(1)})

    def elaborate(self, platform):
        m = Module()
        all_owed = Signal(range(self._depth + 1))
        returned = Signal()
        m.d.comb += [
            all_owed.eq(self.owed + self.earned[0] + self.earned[1]),
            returned.eq(~self.hold & (self.earned.any() | self.owed.any())),
        ]
        m.d.sync += [self.credit.eq(returned), self.owed.eq(all_owed - returned)]
        return m


class NoticeInjector(wiring.Component):
    """Inserts notices between the packets of a host, on channel 0. Latency 1 cycle for flits and for credits.

    The host has a credit for each entry of the core's buffer, so no entry is reserved for notices. A notice therefore takes an
    entry of channel 0 only while one is free, and keeps the next credit of this channel. A host that sends in the meantime has
    one flit more than fits: one at most, as there is one such notice at a time. This flit waits in a register, ``waiting``. While
    a notice and a flit wait, credits are held back, so that a host that sends in every cycle pauses and the register empties.

    Parameters
    ----------
    shape : CoreShape
        With detours.
    port : CorePort
        Host 0.

    Members
    -------
    - flits: Flits of the host.
    - pending, notice, taken: A notice waits; the lowest bits of its flit; it goes to the register ``o``.
    - o: Flits to the core.
    """

    def __init__(self, shape, port):
        self._shape, self._first_network = shape, port.shares[0].range
        #: Free buffer entries of channel 0 in the core.
        self.left = Signal(range(shape.depth + 1), init=shape.depth)
        #: A notice has taken an entry, and no credit has been kept for it yet.
        self.owes = Signal()
        #: Channel of the flit that waits, one-hot; 0 without one.
        self.waiting = Signal(port.channels)
        #: A packet of the host is open on channel 0.
        self.in_packet = Signal()
        #: The flit of the host cannot go on in this cycle; the flit that waits goes on.
        self.stays = Signal()
        self.resumes = Signal()
        #: Channel of the flit that goes to the register ``o``, one-hot; 0 without one.
        self.sent = Signal(port.channels)
        #: Credits of each channel on their way to the host.
        self.returns = [CreditReturn(shape.depth) for _ in range(port.channels)]
        super().__init__(
            {
                "flits": In(FlitLink(shape, port)),
                "pending": In(1),
                "notice": In(NoticeFormat(shape).width),
                "taken": Out(1),
                "o": Out(FlitLink(shape, port)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        came, sent, credit = self.flits.valid, self.sent, self.o.credit
        full = Signal()
        waits = Signal()
        stays, resumes = self.stays, self.resumes
        m.d.comb += [
            full.eq(~self.left.any()),
            waits.eq(self.waiting.any()),
            resumes.eq(waits & ~(self.waiting[0] & full)),
            self.taken.eq(self.pending & ~waits & ~full & ~self.owes & ~self.in_packet),
            stays.eq(came.any() & (resumes | self.taken | came[0] & full)),
            sent.eq(Mux(resumes, self.waiting, Mux(self.taken, 1, Mux(stays, 0, came)))),
        ]
        chosen = self._chosen(m)
        m.d.sync += [self.o.valid.eq(sent), self.o.flit.eq(chosen)]
        with m.If(stays):
            m.d.sync += self.waiting.eq(came)
        with m.Elif(resumes):
            m.d.sync += self.waiting.eq(0)
        with m.If(sent[0]):
            m.d.sync += self.in_packet.eq(~chosen.tail)
        with m.If(self.taken | credit[0]):
            m.d.sync += self.owes.eq(self.taken)
        m.d.sync += self.left.eq(self.left - sent[0] + credit[0])
        for v, credits in enumerate(self.returns):
            m.submodules[f"return_{v}"] = credits
            m.d.comb += [
                credits.earned.eq(credit[v] & ~self.owes if v == 0 else credit[v]),
                # A flit that waits for virtual network 0 holds no credits of others back.
                credits.hold.eq(self.pending & (waits if v in self._first_network else resumes)),
                self.flits.credit[v].eq(credits.credit),
            ]
        return m

    def _chosen(self, m):
        """The flit that goes to the core. The flit that waits is in ``kept``."""
        flit = Signal(flit_layout(self._shape))
        kept = Signal(flit_layout(self._shape), reset_less=True)
        chosen = Signal(flit_layout(self._shape))
        m.d.comb += [
            flit.data.eq(self.notice),
            Cat(flit.head, flit.tail).eq(3),
            chosen.eq(Mux(self.resumes, kept, Mux(self.taken, flit, self.flits.flit))),
        ]
        with m.If(self.stays):
            m.d.sync += kept.eq(self.flits.flit)
        return chosen


class NoticeWriter(wiring.Component):
    """Consumes packets that cannot be delivered, and writes a notice for each. Flits pass with latency 0, credits with latency 1.

    A packet with the header bit ``flags.undeliverable`` is consumed if there is ``space`` for its notice, and its credits return
    by themselves. Without space, the packet passes to the host as it is. A notice that cannot be delivered is consumed without
    another notice. So no flit ever waits here.

    Parameters
    ----------
    shape : CoreShape
        With detours.
    port : CorePort
        Host 0.

    Members
    -------
    - own_address: Address of the switch, as in :class:`Injector`.
    - flits: Flits from the core.
    - o: Flits to the host.
    - space: A notice can be stored.
    - written, notice: A notice: the lowest bits of its flit.
    - unreported, lost: Events: a packet that cannot be delivered passes to the host; a notice is consumed.
    """

    def __init__(self, shape, port):
        self._shape, self._port = shape, port
        #: Channel of a flit that is consumed, one-hot; 0 without one.
        self.consumed = Signal(port.channels)
        #: Credits of each channel on their way to the core.
        self.returns = [CreditReturn(shape.depth) for _ in range(port.channels)]
        super().__init__(
            {
                "own_address": In(sum(field.width for field in shape.network.fields)),
                "flits": In(FlitLink(shape, port)),
                "o": Out(FlitLink(shape, port)),
                "space": In(1),
                "written": Out(1),
                "notice": Out(NoticeFormat(shape).width),
                "unreported": Out(1),
                "lost": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        flit, valid = self.flits.flit, self.flits.valid
        header = data.View(Header(self._shape).layout, flit.data[: Header(self._shape).width])
        fails = Signal()
        again = Signal()
        consumed = self.consumed
        dropping = Signal(len(valid))
        m.d.comb += [
            fails.eq(valid.any() & flit.head & header.flags.undeliverable),
            again.eq(header.flags.notice),
            self.written.eq(fails & ~again & self.space),
            self.unreported.eq(fails & ~again & ~self.space),
            self.lost.eq(fails & again),
            self.notice.eq(self._notice(m, header)),
            consumed.eq(valid & Mux(flit.head, (self.written | self.lost).replicate(len(valid)), dropping)),
            self.o.valid.eq(valid & ~consumed),
            self.o.flit.eq(flit),
        ]
        for v, credits in enumerate(self.returns):
            with m.If(valid[v]):
                m.d.sync += dropping[v].eq(consumed[v] & ~flit.tail)
            m.submodules[f"return_{v}"] = credits
            m.d.comb += [credits.earned.eq(Cat(self.o.credit[v], consumed[v])), self.flits.credit[v].eq(credits.credit)]
        return m

    def _notice(self, m, header):
        """The notice for the packet with ``header``."""
        content = Signal(NoticeFormat(self._shape).layout)
        m.d.comb += [content.destination.eq(header.destination), content.length.eq(header.length)]
        if "payload" in dict(content.shape()):
            m.d.comb += content.payload.eq(self.flits.flit.data[Header(self._shape).width :])
        flags = Header(self._shape).fields["flags"].const({"notice": 1})
        source = host_address(self._shape, self.own_address, self._port.index)
        return Cat(Header(self._shape).written(m, destination=header.source, source=source, flags=flags, length=1), content)


#: Notices that can wait for the core.
SPACE = 8


class Notifier(wiring.Component):
    """Sends a notice to the source of each undeliverable packet.

    Flits to the host pass with latency 0, flits to the core and credits with latency 1.

    A packet for which no detour is left leaves the core at host 0 with the header bit ``flags.undeliverable``. The notifier
    consumes it and sends a notice of one flit to its source (:class:`NoticeFormat`), between the packets of host 0.
    Packets from the core never wait for notices: if the queue of notices is full, the packet passes to the host, marked, and is
    counted. A notice that cannot be delivered causes no other notice; it is consumed and counted.

    Parameters
    ----------
    shape : CoreShape
        With detours.
    port : CorePort
        Host 0.
    space : int
        Notices that can wait, at least 2.

    Members
    -------
    - own_address: Address of the switch, as in :class:`Injector`.
    - clear: Sets the counters to 0.
    - host (Out(rx, tx, stall)): As the core's port, for the host.
    - core (In(rx, tx, stall)): The core's port.
    - counts: Counters of notices, of packets that passed to the host although they cannot be delivered, and of consumed
      notices.
    """

    #: The component has registers.
    clocked = True

    #: Cycles from the host to the core.
    latency = 1

    def __init__(self, shape, port, space=SPACE):
        #: The parts.
        self.writer, self.injector = NoticeWriter(shape, port), NoticeInjector(shape, port)
        # Notices wait as the lowest bits of their flits, without a tag.
        flit = data.StructLayout({"data": NoticeFormat(shape).width, "head": 1})
        self.queue = ChannelBuffer(data.StructLayout({"flit": flit, "tag": 0, "drop": 0}), space)
        self._space = space
        #: Notices that have not gone to the core.
        self.pending = Signal(range(space + 1))
        link = FlitLink(shape, port)
        end = wiring.Signature({"rx": In(link), "tx": Out(link), "stall": In(1)})
        super().__init__(
            {
                "own_address": self.writer.signature.members["own_address"],
                "clear": In(1),
                "host": Out(end),
                "core": In(end),
                "counts": Out(notice_counts()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.writer = writer = self.writer
        m.submodules.injector = injector = self.injector
        m.submodules.queue = queue = self.queue
        connect_ports(m, self, writer, ("own_address",))
        connect(m, flipped(self.core.tx), writer.flits)
        connect(m, writer.o, flipped(self.host.tx))
        connect(m, flipped(self.host.rx), injector.flits)
        connect(m, injector.o, flipped(self.core.rx))
        gone = Signal()
        m.d.sync += [gone.eq(injector.taken), self.pending.eq(self.pending + writer.written - gone)]
        m.d.comb += [
            self.core.stall.eq(self.host.stall),
            writer.space.eq(self.pending != self._space),
            queue.valid.eq(writer.written),
            queue.entry.flit.data.eq(writer.notice),
            queue.entry.flit.head.eq(1),
            queue.pop.eq(injector.taken),
            injector.pending.eq(queue.front_valid),
            injector.notice.eq(queue.front.flit.data),
        ]
        events = {"notices": writer.written, "unreported_packets": writer.unreported, "lost_notices": writer.lost}
        for name, event in events.items():
            m.submodules[f"{name}_counter"] = counter = Counter()
            m.d.comb += [counter.add.eq(event), counter.clear.eq(self.clear), self.counts[name].eq(counter.count)]
        return m
