"""Mean time to false packet acceptance (MTTFPA) of a PCS format behind error correction: D Eq. 5.1 to 5.3.

A *field* of a block makes a false MAC frame if at least some number of its bits are wrong. D 5.2.1 spells out 256b/260b
only; the fields of the others follow from their formats in the same manner (docs/link-analysis.md). All of it assumes wrong
bits that are independent, also after correction; :mod:`.clusters` does not.
"""

from dataclasses import dataclass

from .binomial import spread, tail

__all__ = [
    "BIT_TIME",
    "CRC_PASSES",
    "FRAME_BITS",
    "PAPER",
    "UNCOUNTED",
    "UNIVERSE",
    "YEAR",
    "Field",
    "Pcs",
    "independent",
    "mttfpa",
    "p_crc",
]

#: D 5.2.1: MAC frame of 1518 bytes; time of a bit at 100 Gb/s, s; share of damaged frames whose CRC-32 is right.
FRAME_BITS = 8 * 1518
BIT_TIME = 1e-11
CRC_PASSES = 2.0**-32

#: CRC-32 detects every error of up to three bits in such a frame.
CRC_DETECTS = 3

#: Seconds in a year; "lifetime of the universe" (D 5.2.1), 13.8 billion years, in seconds.
YEAR = 365.25 * 86400
UNIVERSE = 13.8e9 * YEAR


@dataclass(frozen=True)
class Field:
    """``count`` fields of ``bits`` bits, each false from ``errors`` wrong bits on."""

    name: str
    bits: int
    errors: int
    count: int = 1

    def chance(self, ber):
        """Probability that it is false, wrong bits being independent."""
        return self.count * tail(self.bits, ber, self.errors)


@dataclass(frozen=True)
class Pcs:
    """A format: its fields. Called with a post-FEC BER it gives p_frame, D's ``p_sync + p_btf``."""

    name: str
    fields: tuple[Field, ...]

    def __call__(self, ber):
        return sum(field.chance(ber) for field in self.fields)

    def given(self, n):
        """p_frame by the number of wrong bits, 0..n, in an n-bit word that holds the fields, the bits being any of the word."""
        return sum(field.count * spread(n, field.bits)[:, field.errors :].sum(axis=1) for field in self.fields)


def _types(count):
    # 8-bit block type fields are words of an [8,4,4] code; D counts three wrong bits as fatal.
    return Field("type", 8, 3, count)


#: Formats as D counts them. 66b: the header 01 or 10 turns into the other by two errors. 257b: the header is one bit. Both
#: 257b and 260b hold up to three whole type fields; the first control block's is cut.
PAPER = {
    "66b": Pcs("66b", (Field("sync", 2, 2), _types(1))),
    "257b": Pcs("257b", (Field("sync", 1, 1), _types(3))),
    "260b": Pcs("260b", (Field("sync", 4, 3), _types(3))),
}

#: The same with the four position flags and the type nibble of a group with control blocks, which no distance protects and D
#: does not count.
_BARE = (Field("flags", 4, 1), Field("nibble", 4, 1))
UNCOUNTED = {
    f"{name}, flags counted": Pcs(f"{name}, flags counted", (*PAPER[name].fields, *_BARE)) for name in ("257b", "260b")
}


def p_crc(ber, frame_bits=FRAME_BITS):
    """D Eq. 5.2: more wrong bits in a MAC frame than CRC-32 is sure to detect, per bit of the frame."""
    return tail(frame_bits, ber, CRC_DETECTS + 1) / frame_bits


def mttfpa(p_frame, p_crc, bit_time=BIT_TIME):
    """D Eq. 5.1, in seconds; infinite if nothing can be wrong.

    As printed: ``p_crc`` is a rate per bit, ``p_frame`` is the probability per block and still counted once a bit time.
    """
    chance = (p_frame + p_crc) * CRC_PASSES
    return bit_time / chance if chance else float("inf")


def independent(p_frame, ber, frame_bits=FRAME_BITS, bit_time=BIT_TIME):
    """MTTFPA in seconds at a post-FEC BER; ``p_frame(ber)`` is a :class:`Pcs` or any other function."""
    return mttfpa(p_frame(ber), p_crc(ber, frame_bits), bit_time)
