"""End-to-end check of packets: a CRC-32C that the switch of the source writes and the switch of the destination tests."""

from dataclasses import dataclass
from functools import cached_property

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.core.packet import FlitLink, Header, flit_layout, host_address
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.fec.crc32c import BITS, WordCrc
from dsnswitch.hdl.logic.gates import selected, xor_gates
from dsnswitch.hdl.port.shape import HEAD_BITS

#: Fields of the header that no switch changes, and that are covered.
COVERED = ("destination", "source", "layer", "virtual_network", "flags.notice", "flags.ordered", "length")


@dataclass(frozen=True)
class CheckFormat:
    """Where the check of a packet is, and what it covers.

    The check is the CRC-32C of all flits, bit 0 of the head first, without the highest 32 bits of the last flit, which contain
    the check. Bits of the head that a line does not carry are 0, and header fields that change on the way count as 0: those that
    are not in :data:`COVERED`. In a packet of one flit the check is in the highest bits that a line carries, which count as 0,
    too. If they do not fit beside the header, packets of one flit have no check.
    """

    shape: CoreShape

    @property
    def head(self):
        """Bits of a head flit that a line carries."""
        return min(self.shape.flit, HEAD_BITS)

    @property
    def last(self):
        """First bit of the check in the last of several flits."""
        return self.shape.flit - BITS

    @cached_property
    def single(self):
        """First bit of the check in a packet of one flit; None without a check."""
        fields = Header(self.shape).fields
        notice = ("destination", "length") if self.shape.has_detours else ()
        used = Header(self.shape).width + data.StructLayout({name: fields[name] for name in notice}).size
        return self.head - BITS if used + BITS <= self.head else None

    @cached_property
    def uncovered(self):
        """``{name: bits}``, ranges of the bits of the header's fields that count as 0."""
        layout, places = Header(self.shape).layout, {}
        for name, field in layout:
            inner = field.shape if name == "flags" else {}
            for flag, one in inner:
                deep = one.shape if isinstance(one.shape, data.StructLayout) else ()
                parts = [(f".{part}", one.offset + small.offset, small.width) for part, small in deep]
                for part, low, width in parts or [("", one.offset, one.width)]:
                    places[f"flags.{flag}{part}"] = field.offset + low, width
            places |= {} if inner else {name: (field.offset, field.width)}
        return {name: range(low, low + width) for name, (low, width) in places.items() if name not in COVERED}

    @property
    def fits(self):
        """Whether packets have space for a check."""
        return self.shape.flit >= BITS and (self.shape.packet > 1 or self.single is not None)

    def check(self):
        """Raise a ValueError if no packet has space for a check."""
        if self.shape.flit < BITS:
            raise ValueError(f"Flits with an end-to-end check must have at least {BITS} bits, not {self.shape.flit}")
        if not self.fits:
            raise ValueError(
                f"Packets of one flit have no space for an end-to-end check of {BITS} bits beside the header: flit width must "
                f"be greater than {self.shape.flit}, or packets longer"
            )


class PacketCheck(wiring.Component):
    """Computes the check of the packets that pass, one flit per cycle. The flits of several channels may alternate. Latency 0.

    The sum of all bits of a flit is corrected by the sums of the bits that do not count, so that no bit waits for ``head``.

    Parameters
    ----------
    shape : CoreShape
    channels : int

    Members
    -------
    - valid: Channel of the flit, one-hot; 0 without a flit.
    - flit (In(flit_layout)): The flit. Bits of a head that a line does not carry are 0.
    - change: Of a head: bits in which the destination that counts differs from that of the flit.
    - given: A check to compare with, or 0.
    - difference: Bits in which the check of a packet that ends with this flit differs from ``given``.
    """

    #: The component has registers.
    clocked = True

    def __init__(self, shape, channels):
        self._shape, self._format, self._crc = shape, CheckFormat(shape), WordCrc(shape.flit)
        super().__init__(
            {
                "valid": In(channels),
                "flit": In(flit_layout(shape)),
                "change": In(Header(shape).address.size),
                "given": In(BITS),
                "difference": Out(BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        flit, crc, last = self.flit, self._crc, self._format.last
        kept = [Signal(BITS, name=f"kept_{v}") for v in range(len(self.valid))]
        register = Signal(BITS)
        m.d.comb += register.eq(kept[0] if len(kept) == 1 else selected(self.valid, kept))
        past = xor_gates(m, crc.register, register, "past")
        wrong = self._changes(m)
        low = [place for place in wrong if place < last]
        changed = Signal(BITS)
        m.d.comb += changed.eq(xor_gates(m, crc.part(low), Cat(wrong[place] for place in low), "change"))
        fresh = Signal(BITS)
        earlier = Signal(BITS)
        m.d.comb += [
            # The sum of the flits before is the latest operand, because each bit of the register has many readers.
            fresh.eq(xor_gates(m, crc.part(range(last)), flit.data[:last], "part") ^ (changed ^ self._own(m) ^ ~self.given)),
            earlier.eq(Mux(flit.head, crc.start, past)),
            self.difference.eq(fresh ^ earlier),
        ]
        top = Cat(flit.data[place] ^ wrong.get(place, 0) for place in range(last, self._shape.flit))
        for v, old in enumerate(kept):
            with m.If(self.valid[v]):
                m.d.sync += old.eq(~self.difference ^ self.given ^ top)
        return m

    def _changes(self, m):
        """``{bit of the flit: whether it counts inverted}``."""
        flit, places = self.flit, [place for bits in self._format.uncovered.values() for place in bits]
        skipped = Signal(len(places))
        m.d.comb += skipped.eq(Mux(flit.head, Cat(flit.data[place] for place in places), 0))
        return dict(enumerate(self.change)) | dict(zip(places, skipped))

    def _own(self, m):
        """Part of the sum that the check itself has, in a packet of one flit whose check is not in the last bits of the flit."""
        flit, first = self.flit, self._format.single
        places = [] if first is None else range(first, min(first + BITS, self._format.last))
        if not places:
            return Const(0, BITS)
        own = Signal(BITS, name="own_sum")
        sums = xor_gates(m, self._crc.part(places), flit.data[places[0] : places[-1] + 1], "own")
        m.d.comb += own.eq(Mux(flit.head & flit.tail, sums, 0))
        return own


class EndToEnd(wiring.Component):
    """Writes the check of packets from a host, and tests that of packets to it. Latency 0 in each direction.

    A packet whose check is wrong leaves to the host with ``bad`` at its last flit. The test takes the address of this host in
    place of the packet's destination, so that a packet for another host fails as well, unless it is marked ``undeliverable``.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The host port.

    Members
    -------
    - own_address: Address of the switch, as in :class:`Injector`.
    - core (In(rx, tx, stall)): The core's port.
    - host (Out(rx, tx, stall)): As the core's port, for the host.
    - bad_check: The last flit of a packet passes that fails the test and was not marked ``bad`` before.
    """

    #: The component has registers.
    clocked = True

    def __init__(self, shape, port):
        self._shape, self._port, self._format = shape, port, CheckFormat(shape)
        link = FlitLink(shape, port)
        end = wiring.Signature({"rx": In(link), "tx": Out(link), "stall": In(1)})
        address = In(sum(field.width for field in shape.network.fields))
        super().__init__({"own_address": address, "core": In(end), "host": Out(end), "bad_check": Out(1)})

    def elaborate(self, platform):
        m = Module()
        channels = self._port.channels
        m.submodules.writer = writer = PacketCheck(self._shape, channels)
        m.submodules.tester = tester = PacketCheck(self._shape, channels)
        connect(m, flipped(self.core.tx), flipped(self.host.tx))
        m.d.comb += [
            self.core.stall.eq(self.host.stall),
            self.core.rx.valid.eq(self.host.rx.valid),
            self.host.rx.credit.eq(self.core.rx.credit),
        ]
        self._write(m, writer)
        self._test(m, tester)
        return m

    def _write(self, m, writer):
        """The check replaces bits of the last flit, and bits of a head that a line does not carry are 0."""
        sent, flit, head = self.host.rx, self.core.rx.flit, self._format.head
        carried = Signal.like(sent.flit)
        m.d.comb += [carried.eq(sent.flit), writer.valid.eq(sent.valid), writer.flit.eq(carried), flit.eq(carried)]
        with m.If(sent.flit.head):
            m.d.comb += carried.data[head:].eq(0)
        for low, ends in self._places(sent.flit):
            with m.If(ends):
                m.d.comb += flit.data[low : low + BITS].eq(writer.difference)

    def _test(self, m, tester):
        """Compare the check with that of the packet as it arrived, for this host."""
        came, flit = self.core.tx, self.core.tx.flit
        own = host_address(self._shape, self.own_address, self._port.index)
        header = data.View(Header(self._shape).layout, flit.data[: Header(self._shape).width])
        mine = flit.head & ~header.flags.undeliverable if self._shape.has_detours else flit.head
        places = self._places(flit)
        fails = Signal()
        m.d.comb += [
            tester.valid.eq(came.valid),
            tester.flit.eq(flit),
            tester.change.eq(Mux(mine, own ^ flit.data[: len(own)], 0)),
            tester.given.eq(flit.data[self._format.last :]),
            fails.eq(Cat(ends for _, ends in places).any() & tester.difference.any()),
            self.bad_check.eq(came.valid.any() & fails & ~flit.bad),
        ]
        for low, ends in places[1:]:
            with m.If(ends):
                m.d.comb += tester.given.eq(flit.data[low : low + BITS])
        with m.If(fails):
            m.d.comb += self.host.tx.flit.bad.eq(1)

    def _places(self, flit):
        """``(first bit of the check, whether the packet ends with this flit)`` for packets of several flits and of one."""
        several = [(self._format.last, flit.tail & ~flit.head)]
        return several + ([] if self._format.single is None else [(self._format.single, flit.tail & flit.head)])
