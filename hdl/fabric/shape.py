"""Parameters of one end of a fabric link, and the widths that follow from them. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from ..switch.shape import CorePort, CoreShape

__all__ = ["HEAD_BITS", "NUMBER_BITS", "ROUND_TRIPS", "VERSION", "FabricShape"]

#: Version of the line format, which both ends compare.
VERSION = 2

#: Bits of a head flit that a start block carries; the other bits of the block are the link word and 256b/260b fields.
HEAD_BITS = 184

#: Information bits of the details in a control block, without their check bits.
DETAILS_BITS = 135

#: Bits of the number that a link word has, of packets or of flits.
NUMBER_BITS = 9

#: Round trips, in cycles, that retransmission can cover. Both ends tell apart numbers that differ by a replay buffer either way.
ROUND_TRIPS = range(8, 193)

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
    round_trip : int
        With retransmission: cycles from a block to the answer to it, cables and both ends included. 0 without retransmission.
    """

    core: CoreShape
    port: CorePort
    round_trip: int = 0

    def __post_init__(self):
        core, port = self.core, self.port
        if self.round_trip and self.round_trip not in ROUND_TRIPS:
            raise ValueError(
                f"Round trip must be in {ROUND_TRIPS[0]}..{ROUND_TRIPS[-1]} cycles, or 0, not {self.round_trip}"
            )
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
    def replay(self):
        """Flits of the replay buffer, 0 without retransmission: those of a round trip, and those sent between two reports."""
        return 1 << (4 * self.round_trip // 3 - 1).bit_length() if self.round_trip else 0

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
