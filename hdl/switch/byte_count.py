"""TKEEP of hosts on AXI4-Stream: a count in the last flit of a packet says how many bytes of this flit the host sent."""

from dataclasses import dataclass
from functools import cached_property

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.switch.end_to_end import CheckFormat
from dsnswitch.hdl.switch.notifier import NoticeFormat

#: Bits of the count. It takes a whole byte, because TKEEP counts bytes.
BITS = 8


@dataclass(frozen=True)
class ByteCountFormat:
    """Where the count is: in the byte before the end-to-end check of a packet, which covers it.

    Without a check, the count is in the highest byte of the last flit, or of those that a line carries of a head. The bytes of
    the last flit before the count are the host's, so the count is 1 to :meth:`most`; 0 means that TKEEP was wrong.
    """

    shape: CoreShape
    checked: bool

    @property
    def last(self):
        """First bit of the count in the last of several flits."""
        return (CheckFormat(self.shape).last if self.checked else self.shape.flit) - BITS

    @cached_property
    def single(self):
        """First bit of the count in a packet of one flit."""
        check = CheckFormat(self.shape)
        return (check.single if self.checked and check.single is not None else check.head) - BITS

    @property
    def lanes(self):
        """Bytes of a flit."""
        return self.shape.flit // 8

    @property
    def notice(self):
        """Bytes of a notice, which has no count."""
        return -(-NoticeFormat(self.shape).width // 8)

    def check(self):
        """Raise a ValueError if a packet has no space for a count."""
        header = Header(self.shape).width
        if self.single < header:
            raise ValueError(
                f"Packets of one flit have no space for the {BITS} bits of tkeep between the header, {header} bits, and bit "
                f"{self.single + BITS}: flit width must be greater than {self.shape.flit}"
            )
        if self.last < 8:
            raise ValueError(
                f"The last flit of a packet has no space for a byte of data and the {BITS} bits of tkeep below bit "
                f"{self.last + BITS}: flit width must be greater than {self.shape.flit}"
            )


def _first(m, moves, last):
    """Whether the beat is the first of its packet."""
    first = Signal(init=1)
    with m.If(moves):
        m.d.sync += first.eq(last)
    return first


class ByteCountWriter(wiring.Component):
    """Writes the count into the last beat of a packet from a host. Latency 0.

    TKEEP must be 1 for all bytes of each beat but the last. In the last one it is 1 for the lowest bytes, at least one, and 0
    from the byte of the count on. A packet with another TKEEP is ``wrong``, and its count 0.

    Parameters
    ----------
    form : ByteCountFormat

    Members
    -------
    - moves: A beat is transferred.
    - data, keep, last: TDATA, TKEEP and TLAST of the beat.
    - o: Data of the beat with the count.
    - wrong: Of the last beat: TKEEP was wrong in this packet.
    """

    #: The component has registers.
    clocked = True

    def __init__(self, form):
        self._form, flit = form, form.shape.flit
        super().__init__(
            {**{"moves": In(1), "data": In(flit), "keep": In(form.lanes), "last": In(1)}, **{"o": Out(flit), "wrong": Out(1)}}
        )

    def elaborate(self, platform):
        m = Module()
        form, keep = self._form, self.keep
        first = _first(m, self.moves, self.last)
        earlier = Signal()
        ends = Signal(form.lanes)
        count = Signal(BITS)
        free = Mux(first, ~keep[form.single // 8], ~keep[form.last // 8])
        m.d.comb += [
            # The highest byte of a TKEEP without gaps.
            ends.eq(keep & ~keep[1:]),
            count.eq(Cat(Cat(end for byte, end in enumerate(ends) if byte + 1 >> bit & 1).any() for bit in range(BITS))),
            self.wrong.eq(earlier | ~keep[0] | (keep[1:] & ~keep[:-1]).any() | ~free),
            self.o.eq(self.data),
        ]
        for low, here in ((form.single, first), (form.last, ~first)):
            with m.If(self.last & here):
                m.d.comb += self.o[low : low + BITS].eq(Mux(self.wrong, 0, count))
        with m.If(self.moves):
            m.d.sync += earlier.eq(~self.last & (earlier | ~keep.all()))
        return m


class ByteCountReader(wiring.Component):
    """Makes TKEEP of the count of a packet to a host. Latency 0.

    A last beat with an impossible count is ``wrong``, and has all bytes. A notice has the bytes of its header and content.

    Parameters
    ----------
    form : ByteCountFormat

    Members
    -------
    - moves: A beat is transferred.
    - data, last: TDATA and TLAST of the beat.
    - notice: The packet is a notice.
    - keep: TKEEP of the beat.
    - wrong: The beat is the last one and has an impossible count.
    """

    #: The component has registers.
    clocked = True

    def __init__(self, form):
        self._form = form
        super().__init__(
            {
                **{"moves": In(1), "data": In(form.shape.flit), "last": In(1), "notice": In(1)},
                **{"keep": Out(form.lanes), "wrong": Out(1)},
            }
        )

    def elaborate(self, platform):
        m = Module()
        form, keep = self._form, self.keep
        first = _first(m, self.moves, self.last)
        count = Signal(BITS)
        most = Signal(range(form.lanes))
        for low, here in ((form.single, first), (form.last, ~first)):
            with m.If(here):
                m.d.comb += [count.eq(self.data[low : low + BITS]), most.eq(low // 8)]
        possible = Signal()
        m.d.comb += [possible.eq((count != 0) & (count <= most)), keep.eq(-1)]
        with m.If(self.last & self.notice):
            m.d.comb += keep.eq((1 << form.notice) - 1)
        with m.Elif(self.last & possible):
            m.d.comb += keep.eq(Cat(count > byte for byte in range(form.lanes)))
        m.d.comb += self.wrong.eq(self.last & ~self.notice & ~possible)
        return m
