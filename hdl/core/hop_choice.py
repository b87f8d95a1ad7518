"""Choice of a waiting packet between its two hops, with adaptive routing, and among the channels of its class."""

from amaranth.hdl import Cat, Const, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import tag_layout
from dsnswitch.hdl.core.shape import CoreShape


class HopChoice(wiring.Component):
    """Takes the other hop if a channel of its class is free and none of the first hop's class is. Combinational.

    Of a class, the packet takes the channel of its flow if that is free, else the next free one. A packet without another hop
    (``tag.other.route`` is 0) keeps its hop and its channel; it is marked to stay in order, or goes to a host.

    Parameters
    ----------
    shape : CoreShape
    virtual_network : int
        That of the packet.

    Members
    -------
    - tag (In(tag_layout)): Of a head.
    - free (In(outputs)): Free channels of each output to a switch in the virtual network, as of :class:`Allocator`, by the order
      of ``shape.ports``.
    - other (Out(1)): The packet asks for its other hop.
    - shift (Out(shift_width)): It asks for the channel of this number from that of its flow: the number's bits flip those of
      the channel's number within the class.
    """

    def __init__(self, shape: CoreShape, virtual_network=0):
        self._shape, self._virtual_network = shape, virtual_network
        members = {"tag": In(tag_layout(shape)), "free": In(free_width(shape, virtual_network))}
        super().__init__(members | {"other": Out(1), "shift": Out(shift_width(shape))})

    def elaborate(self, platform):
        m = Module()
        shifts = range(1 << len(self.shift))
        may = self.tag.other.route.any()
        first, other = ([self._is_free(hop, shift) for shift in shifts] for hop in (self.tag, self.tag.other))
        m.d.comb += self.other.eq(may & ~Cat(first).any() & Cat(other).any())
        if len(self.shift):
            lowest = Const(0, len(self.shift))
            for shift in reversed(shifts):
                lowest = Mux(Mux(Cat(first).any(), first[shift], other[shift]), shift, lowest)
            m.d.comb += self.shift.eq(Mux(may, lowest, 0))
        return m

    def _is_free(self, hop, shift):
        """Whether the channel of a hop to a switch is free. A host counts as free: there is no other hop."""
        channel, place, found = shifted(self._shape, hop.channel, shift), 0, []
        for number, port in enumerate(self._shape.ports):
            if port.is_host:
                found.append(hop.route[number])
                continue
            share = port.shares[self._virtual_network]
            here = self.free[place : place + share.channels]
            place += share.channels
            if share.channels > 1:
                begin = self._shape.selections[share.classes, share.spread]
                here = here & channel[begin : begin + share.channels]
            found.append(hop.route[number] & here.any())
        return Cat(found).any()


def free_width(shape, virtual_network=0):
    """Channels of all outputs to switches in a virtual network."""
    return sum(port.shares[virtual_network].channels for port in shape.ports if not port.is_host)


def shift_width(shape):
    """Bits of the number by which a packet changes its channel within the class."""
    return max((spread - 1).bit_length() for port in shape.ports if not port.is_host for spread in port.spreads)


def shifted(shape, channel, shift):
    """A tag's choices of channel, each moved to the channel within its class whose number differs in the bits of ``shift``."""
    return Cat(
        channel[begin + (number ^ (shift & (spread - 1)))]
        for (classes, spread), begin in shape.selections.items()
        for number in range(classes * spread)
    )


def chosen(shape, tag, other, shift):
    """Output and channels of a tag whose packet takes its other hop if ``other`` is 1, and a channel by ``shift``."""
    channel = Mux(other, tag.other.channel, tag.channel)
    for bit in range(len(shift)):
        channel = Mux(shift[bit], shifted(shape, channel, 1 << bit), channel)
    return Mux(other, tag.other.route, tag.route), channel
