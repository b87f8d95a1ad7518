"""Notice: a packet that tells a source that one of its packets could not be delivered. Layout and counters."""

from dataclasses import dataclass
from functools import cached_property

from amaranth.lib import data

from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.port.shape import HEAD_BITS

__all__ = ["NOTICE_COUNTERS", "NoticeFormat", "notice_counts"]

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
    followed the header in the packet's first flit, as many as fit, up to 64.
    """

    shape: CoreShape

    @cached_property
    def layout(self):
        """The content, from the first bit after the header."""
        header = Header(self.shape)
        fields = {name: header.fields[name] for name in ("destination", "length")}
        space = min(self.shape.flit, HEAD_BITS) - header.width - data.StructLayout(fields).size
        payload = min(max(space, 0), MOST_PAYLOAD)
        return data.StructLayout(fields | ({"payload": payload} if payload else {}))

    @property
    def width(self):
        """Bits of the notice: header and content."""
        return Header(self.shape).width + self.layout.size

    def check(self):
        """Raise a ValueError if a notice does not fit a flit."""
        if self.width > self.shape.flit:
            raise ValueError(f"Flit width must be at least that of a notice, {self.width} bits, not {self.shape.flit}")
