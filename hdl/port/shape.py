"""Parameters of one end of a fabric link, and the widths that follow from them. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from dsnswitch.hdl.core.shape import CorePort, CoreShape
from dsnswitch.hdl.port.link_kind import KINDS

__all__ = ["HEAD_BITS", "VERSION", "FabricShape"]

#: Version of the line format, which both ends compare.
VERSION = 4

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
    round_trip : int
        With retransmission: cycles from a block to the answer to it, cables and both ends included. 0 without retransmission.
    link : str
        Name of a :class:`LinkKind`: the code of the line.
    """

    core: CoreShape
    port: CorePort
    round_trip: int = 0
    link: str = "light"

    def __post_init__(self):
        core, port = self.core, self.port
        if self.link not in KINDS:
            raise ValueError(f"Link of a fabric port must be one of {', '.join(KINDS)}, not {self.link!r}")
        trips = self.kind.round_trips
        if self.round_trip and self.round_trip not in trips:
            # Both ends tell apart numbers that differ by a replay buffer either way.
            raise ValueError(
                f"Round trip of a {self.link} link must be in {trips[0]}..{trips[-1]} cycles, or 0, not {self.round_trip}"
            )
        if core.switching != "vct":
            # The end of a packet that a link has broken needs an entry in a buffer, which only cut-through reserves.
            raise ValueError(f"A fabric port needs virtual cut-through (vct), not {core.switching}")
        if core.flit > 256:
            raise ValueError(f"Flit width of a fabric port must be at most 256, not {core.flit}")
        if port.channels > MAX_CHANNELS:
            raise ValueError(f"Virtual channels of a fabric port must be at most {MAX_CHANNELS}, not {port.channels}")

    @property
    def kind(self):
        """The :class:`LinkKind`."""
        return KINDS[self.link]

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
        """Flits of the replay buffer, 0 without retransmission."""
        return self.kind.replay(self.round_trip) if self.round_trip else 0

    @property
    def full_rate_depth(self):
        """Flits of a channel's buffer with which the channel alone fills the line, without cables.

        They are those of a round trip, those that are freed between two reports, and those of a packet: the core begins one if
        there is space for all of it.
        """
        return -(-4 * self.kind.blocks(self.kind.ends) // 3) + self.core.packet

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
