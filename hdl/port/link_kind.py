"""Kinds of lines of a fabric link, and the numbers that follow from their latency. No Amaranth here."""

from dataclasses import dataclass
from fractions import Fraction

from dsnswitch.hdl.line import light_fec
from dsnswitch.hdl.line.light_fec import CODE
from dsnswitch.hdl.line.strict_fec import BEATS, BLOCKS, BLOCKS_PER_CYCLE, decode_latency

__all__ = ["KINDS", "LinkKind"]

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
        LinkKind("selected", BEATS.bits, BLOCKS_PER_CYCLE, 3, _STRICT + 2, 2, BLOCKS, light_fec.BLOCKS_PER_CYCLE),
    )
}
