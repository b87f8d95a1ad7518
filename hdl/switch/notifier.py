"""Notifier: turns undeliverable packets into notices, between the core and host 0 of a switch with detours."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.core.buffer import ChannelBuffer
from dsnswitch.hdl.core.packet import FlitLink
from dsnswitch.hdl.logic.counter import Counter
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.switch.notice import NoticeFormat, notice_counts
from dsnswitch.hdl.switch.notice_injector import NoticeInjector
from dsnswitch.hdl.switch.notice_writer import NoticeWriter

__all__ = ["Notifier"]

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
    own_address : In
        Address of the switch, as in :class:`Injector`.
    clear : In(1)
        Sets the counters to 0.
    host : Out(rx, tx, stall)
        As the core's port, for the host.
    core : In(rx, tx, stall)
        The core's port.
    counts : Out(notice_counts)
        Counters of notices, of packets that passed to the host although they cannot be delivered, and of consumed notices.

    Attributes
    ----------
    writer, injector, queue
        The parts.
    pending : Signal
        Notices that have not gone to the core.
    """

    #: The component has registers.
    clocked = True

    #: Cycles from the host to the core.
    latency = 1

    def __init__(self, shape, port, space=SPACE):
        self.writer, self.injector = NoticeWriter(shape, port), NoticeInjector(shape, port)
        # Notices wait as the lowest bits of their flits, without a tag.
        flit = data.StructLayout({"data": NoticeFormat(shape).width, "head": 1})
        self.queue = ChannelBuffer(data.StructLayout({"flit": flit, "tag": 0, "drop": 0}), space)
        self._space = space
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
