"""Choice of a waiting packet between its two hops, with adaptive routing."""

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import tag_layout
from dsnswitch.hdl.core.shape import CoreShape


class HopChoice(wiring.Component):
    """Takes the other hop if its channel is free and that of the first hop is not. Combinational.

    Parameters
    ----------
    shape : CoreShape

    Members
    -------
    - tag (In(tag_layout)): Of a head.
    - free (In(outputs)): Free channels of each output to a switch, as of :class:`Allocator`, by the order of ``shape.ports``.
    - other (Out(1)): The packet asks for its other hop.
    """

    def __init__(self, shape: CoreShape):
        self._shape = shape
        super().__init__({"tag": In(tag_layout(shape)), "free": In(free_width(shape)), "other": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.other.eq(self._is_free(self.tag.other) & ~self._is_free(self.tag))
        return m

    def _is_free(self, hop):
        """Whether the channel of a hop to a switch is free. A host counts as free: there is no other hop."""
        place, found = 0, []
        for number, port in enumerate(self._shape.ports):
            if port.is_host:
                found.append(hop.route[number])
                continue
            here = self.free[place : place + port.channels]
            place += port.channels
            if port.channels > 1:
                begin = self._shape.selections[port.classes, port.spread]
                here = here & hop.channel[begin : begin + port.channels]
            found.append(hop.route[number] & here.any())
        return Cat(found).any()


def free_width(shape):
    """Channels of all outputs to switches."""
    return sum(port.channels for port in shape.ports if not port.is_host)


def chosen(tag, other):
    """Output and channels of a tag whose packet takes its other hop if ``other`` is 1."""
    return Mux(other, tag.other.route, tag.route), Mux(other, tag.other.channel, tag.channel)
