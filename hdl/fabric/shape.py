"""Parameters of one end of a fabric link, and the widths that follow from them. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from ..switch.shape import CorePort, CoreShape

__all__ = ["HEAD_BITS", "VERSION", "FabricShape"]

#: Version of the line format, which both ends compare.
VERSION = 1

#: Bits of a head flit that a start block carries; the other bits of the block are the link word and 256b/260b fields.
HEAD_BITS = 184

#: Information bits of the details in a control block, without their check bits.
DETAILS_BITS = 135

#: Most channels and bits of an address that the fields of the line format can hold.
MAX_CHANNELS, MAX_ADDRESS = 32, 64


@dataclass(frozen=True)
class FabricShape:
    """One port of a switch, as its fabric link sees it.

    Parameters
    ----------
    core : CoreShape
        The switch.
    port : CorePort
        The port of the switch.
    """

    core: CoreShape
    port: CorePort

    def __post_init__(self):
        core, port = self.core, self.port
        if core.switching != "vct":
            # The end of a packet that a link has broken needs an entry in a buffer, which only cut-through reserves.
            raise ValueError(f"A fabric port needs virtual cut-through (vct), not {core.switching}")
        if core.flit > 256:
            raise ValueError(f"Flit width of a fabric port must be at most 256, not {core.flit}")
        if port.channels > MAX_CHANNELS:
            raise ValueError(f"Virtual channels of a fabric port must be at most {MAX_CHANNELS}, not {port.channels}")

    @property
    def channels(self):
        """Virtual channels of the link."""
        return self.port.channels

    @property
    def depth(self):
        """Flits that the receiver's buffer of one channel holds."""
        return self.core.depth

    @property
    def count_width(self):
        """Bits of a count of flits on the line: counts that differ by up to ``depth`` either way are told apart."""
        return (2 * self.depth).bit_length()

    @cached_property
    def per_block(self):
        """Channels whose two counts fit in the details of one block."""
        return min(DETAILS_BITS // (2 * self.count_width), self.channels)

    @cached_property
    def groups(self):
        """First channel of the details of each group of channels; the groups are sent in turn."""
        return tuple(range(0, self.channels, self.per_block))
