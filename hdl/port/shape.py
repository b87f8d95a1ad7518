"""Parameters of one end of a fabric link, and the widths that follow from them. No Amaranth here."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dsnswitch.hdl.core.shape import CorePort, CoreShape
from dsnswitch.hdl.line.rates import BEATS, BLOCKS, BLOCKS_PER_CYCLE, CODE, LIGHT_BLOCKS_PER_CYCLE, decode_latency

#: Cycles that both ends need to answer, in addition to the latencies of their lines.
ANSWER = 10

#: Cycles on cables that are covered if nothing else is stated: by the round trip, and by the wait after a start.
CABLE, LONGEST_CABLE = 50, 242

#: Flits of the greatest replay buffer: half of the numbers that a link word can have.
MOST_REPLAY = 256


@dataclass(frozen=True)
class LinkKind:
    """One kind of line.

    Parameters
    ----------
    name : str
    word : int
        Bits of a word of the line.
    rate : Fraction
        Blocks per cycle while the line carries a word per cycle.
    tx_latency : int
        Cycles from a flit to the word with the first bit of its block.
    rx_latency : int
        Cycles from the first word of a codeword to the flit of its first block.
    spread : int
        Cycles by which other blocks take longer, because they end in a later word or are not due.
    codeword : int
        Blocks in a codeword.
    light_rate : Fraction or None
        Blocks per cycle in the other format, if the line has one, which is slower.
    """

    name: str
    word: int
    rate: Fraction
    tx_latency: int
    rx_latency: int
    spread: int
    codeword: int
    light_rate: Fraction | None = None

    @property
    def results_per_cycle(self):
        """Flits per cycle that the line carries in each of its formats."""
        return self.light_rate or self.rate

    @property
    def ends(self):
        """Cycles of a round trip without cables."""
        return ANSWER + 2 * (self.tx_latency + self.rx_latency + self.spread)

    @property
    def burst(self):
        """Cycles that the blocks take which a bad codeword destroys: its own, and the one after it."""
        return -((self.codeword + 1) * self.rate.denominator // -self.rate.numerator)

    @property
    def wait(self):
        """Blocks for which received words are ignored after a start: those on the way to the other end and back."""
        return LONGEST_CABLE + self.blocks(self.ends)

    @property
    def patience(self):
        """Blocks without a link word after which the link starts again."""
        return 16 * self.wait

    @property
    def round_trip(self):
        """Cycles of a round trip with cables, if nothing else is stated."""
        return self.ends + CABLE

    @property
    def round_trips(self):
        """Round trips, in cycles, that retransmission can cover."""
        return range(8 if self.rate == 1 else self.ends, int(MOST_REPLAY * 3 / 4 / self.rate) + 1)

    def replay(self, round_trip):
        """Flits of the replay buffer: those of a round trip, and those sent between two reports. A power of two."""
        return 1 << (-(-4 * self.blocks(round_trip) // 3) - 1).bit_length()

    def blocks(self, cycles):
        """Blocks that the line carries in some cycles, rounded up."""
        return -(-cycles * self.rate.numerator // self.rate.denominator)


_STRICT = 1 + decode_latency()

#: ``{name: LinkKind}``. A selected link has the latencies and the rate of its strict format, which are the greater ones.
KINDS = {
    kind.name: kind
    for kind in (
        LinkKind("light", CODE.n, Fraction(1), 1, 1, 0, 1),
        LinkKind("strict", BEATS.bits, BLOCKS_PER_CYCLE, 3, _STRICT, 2, BLOCKS),
        LinkKind("selected", BEATS.bits, BLOCKS_PER_CYCLE, 3, _STRICT + 2, 2, BLOCKS, LIGHT_BLOCKS_PER_CYCLE),
    )
}


#: Version of the line format, which both ends compare, and the bit of it that says that there are several virtual networks.
VERSION, SEVERAL = 4, 0x80

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
    detect : bool
        With retransmission on a light link: each codeword with a wrong bit is sent again, and none is corrected.
    """

    core: CoreShape
    port: CorePort
    round_trip: int = 0
    link: str = "light"
    detect: bool = False

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
        if self.detect and not self.round_trip:
            raise ValueError("A fabric port that corrects no wrong bits needs retransmission")
        if self.detect and self.link != "light":
            raise ValueError(f"Link of a fabric port that corrects no wrong bits must be light, not {self.link!r}")
        if self.speculates and self.link != "light":
            raise ValueError(f"Speculation needs a light link, whose code decides in the cycle of the block, not {self.link!r}")
        if "host" in dict(core.pool):
            raise ValueError(f"Pool of hosts of a switch must be 0, not {dict(core.pool)['host']}")
        if core.flit > 256:
            raise ValueError(f"Flit width of a fabric port must be at most 256, not {core.flit}")
        if port.channels > MAX_CHANNELS:
            raise ValueError(f"Virtual channels of a fabric port must be at most {MAX_CHANNELS}, not {port.channels}")

    @property
    def kind(self):
        """The :class:`LinkKind`."""
        return KINDS[self.link]

    @property
    def speculates(self):
        """Whether flits are offered to the core in the cycle of their block, before they are corrected."""
        return self.core.speculates(self.port)

    @property
    def rx_latency(self):
        """Cycles from the first word of a codeword to the flit of its first block."""
        return self.kind.rx_latency - self.speculates

    @property
    def channels(self):
        """Virtual channels of the link."""
        return self.port.channels

    @cached_property
    def networks(self):
        """``(channels, depth)`` of each virtual network: most flits of one of its channels that the receiver's buffer holds."""
        return tuple((share.channels, self.core.most(self.port, n)) for n, share in enumerate(self.port.shares))

    @cached_property
    def depths(self):
        """Most flits of each channel that the receiver's buffer holds."""
        return tuple(depth for channels, depth in self.networks for _ in range(channels))

    @property
    def depth(self):
        """The greatest of them."""
        return max(self.depths)

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


def alike(core, port):
    """The first port of a core whose fabric port is equal to that of ``port``."""

    def sizes(one):
        numbers = range(core.virtual_networks)
        return [(one.shares[n].channels, core.most(one, n), core.pool_of(one, n)) for n in numbers]

    return next(first for first in core.ports if not first.is_host and sizes(first) == sizes(port))
