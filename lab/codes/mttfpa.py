"""Mean time to false packet acceptance (MTTFPA) of a PCS format after error correction: D Eq. 5.1 to 5.3.

A *field* of a block makes a false MAC frame if at least a certain number of its bits are wrong. D 5.2.1 describes only 256b/260b
in full; the fields of the other formats follow in the same manner (docs/link-analysis.md). This module assumes that wrong bits
are independent, also after correction, except in :func:`clustered`.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dsnswitch.lab.codes.ber import spread, tail

#: D 5.2.1: bits of a MAC frame of 1518 bytes; time of a bit at 100 Gb/s in seconds; share of damaged frames whose CRC-32 is
#: correct.
FRAME_BITS = 8 * 1518
BIT_TIME = 1e-11
CRC_PASSES = 2.0**-32

#: CRC-32 detects every error of up to three bits in such a frame.
CRC_DETECTS = 3

#: Seconds in a year, and in the "lifetime of the universe" (D 5.2.1), 13.8 billion years.
YEAR = 365.25 * 86400
UNIVERSE = 13.8e9 * YEAR


@dataclass(frozen=True)
class Field:
    """``count`` fields of ``bits`` bits each. A field is false if at least ``errors`` of its bits are wrong."""

    name: str
    bits: int
    errors: int
    count: int = 1

    def chance(self, ber) -> float:
        """Probability that one of the fields is false, if wrong bits are independent."""
        return self.count * tail(self.bits, ber, self.errors)


@dataclass(frozen=True)
class Pcs:
    """A PCS format, described by its fields. Called with a post-FEC BER, it returns p_frame, which is D's ``p_sync + p_btf``."""

    name: str
    fields: tuple[Field, ...]

    def __call__(self, ber):
        return sum(field.chance(ber) for field in self.fields)

    def given(self, n):
        """p_frame for each number 0..n of wrong bits in an n-bit word that contains the fields.

        Every position of the wrong bits in the word is equally likely.
        """
        return sum(field.count * spread(n, field.bits)[:, field.errors :].sum(axis=1) for field in self.fields)


def _types(count):
    # Block type fields of 8 bits are words of an [8,4,4] code; D counts three wrong bits as a false frame.
    return Field("type", 8, 3, count)


#: Formats with the fields that D counts. 66b: two errors turn the header 01 into 10, or the reverse. 257b: the header is one bit.
#: 257b and 260b have up to three complete type fields, because that of the first control block is shortened.
PAPER = {
    "66b": Pcs("66b", (Field("sync", 2, 2), _types(1))),
    "257b": Pcs("257b", (Field("sync", 1, 1), _types(3))),
    "260b": Pcs("260b", (Field("sync", 4, 3), _types(3))),
}

#: The same formats with the four position flags and the type nibble of a group with control blocks. No distance protects these
#: fields, and D does not count them.
_BARE = (Field("flags", 4, 1), Field("nibble", 4, 1))
UNCOUNTED = {f"{name}, flags counted": Pcs(f"{name}, flags counted", (*PAPER[name].fields, *_BARE)) for name in ("257b", "260b")}


def p_crc(ber) -> float:
    """D Eq. 5.2: probability that a MAC frame has more wrong bits than CRC-32 is certain to detect, per bit of the frame."""
    return tail(FRAME_BITS, ber, CRC_DETECTS + 1) / FRAME_BITS


def mttfpa(p_frame, p_crc) -> float:
    """D Eq. 5.1: MTTFPA in seconds; infinite if both probabilities are 0.

    The formula is used as printed: ``p_crc`` is a rate per bit; ``p_frame`` is a probability per block, but D counts it once per
    bit time.
    """
    chance = (p_frame + p_crc) * CRC_PASSES
    return BIT_TIME / chance if chance else float("inf")


def independent(p_frame, ber) -> Any:
    """MTTFPA in seconds at a post-FEC BER with independent wrong bits; ``p_frame(ber)`` is a :class:`Pcs` or any function."""
    return mttfpa(p_frame(ber), p_crc(ber))


# MTTFPA after a SECDED decoder, without the assumption that wrong bits remain independent after correction.

#: MAC bits per codeword: the payload of a 256b/257b or 256b/260b block, which is consecutive bits of the frame.
PAYLOAD = 256

#: CRC-32 detects every error of up to five bits among 256 consecutive bits (``tests/lab/codes/test_link_mttfpa.py``). The
#: descrambler does not change that: it multiplies the error by 1 + x^39 + x^58, which has no factor in common with the CRC.
CRC_DETECTS_IN_WORD = 5


def clustered(word, given, drop_flagged, in_word=CRC_DETECTS_IN_WORD, frame_bits=FRAME_BITS):
    """Return ``(p_frame, p_crc)``, the probabilities that D Eq. 5.1 needs.

    ``word`` has the probabilities of the decoder's outputs (:class:`Delivered`), and ``given`` the probability that the format's
    control bits make a false MAC frame, for each number 0..n of wrong bits in a word. With ``drop_flagged``, a frame with a
    flagged word is dropped; otherwise the flag is ignored. If all wrong bits of a frame are in one word, the CRC detects up to
    ``in_word`` of them; D uses CRC_DETECTS.
    """
    wrong = word.unflagged if drop_flagged else word.wrong
    missed = _missed(word.correct, wrong, in_word, math.ceil(frame_bits / PAYLOAD))
    return float(wrong @ given), missed / frame_bits


def _missed(correct, wrong, in_word, words):
    """Probability that a frame has more wrong bits than the CRC is certain to detect.

    It is the sum of two cases: all wrong bits are in one word, or in several words.
    """
    hits = wrong @ spread(len(wrong) - 1, PAYLOAD)
    hits[0] += correct
    alone = words * hits[0] ** (words - 1) * hits[in_word + 1 :].sum()
    # chance[m, i]: probability of m wrong words (2: at least two) and i wrong bits (the last i: more than CRC_DETECTS) so far.
    # All terms are positive, so small sums remain exact.
    many = CRC_DETECTS + 1
    step = [*hits[:many], hits[many:].sum()]
    chance = np.zeros((3, many + 1))
    chance[0, 0] = 1
    for _ in range(words):
        after = np.zeros_like(chance)
        for (m, i), value in np.ndenumerate(chance):
            for j, hit in enumerate(step):
                after[min(m + (j > 0), 2), min(i + j, many)] += value * hit
        chance = after
    return float(chance[2, many] + alone)
