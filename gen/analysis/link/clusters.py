"""MTTFPA behind a SECDED decoder without the assumption that wrong bits stay independent after correction.

After correction there are no single wrong bits: they come in words, two or more in a flagged word and four or more in an
unflagged one. Four of them in a MAC frame is then far more likely than D Eq. 5.2 has it from the same post-FEC BER. On the
other hand CRC-32 detects more than three wrong bits if they are close together. Of the 2^-32 of D Eq. 5.1 nothing changes.

Assumed: wrong words are independent; which bits of one are wrong is uniform, given their number. (By its place in the word a
field of eight bits may be false up to 1.8 times as often: ``tests/gen/analysis/test_link_mttfpa.py``.)
"""

import math

import numpy as np

from .binomial import spread
from .mttfpa import CRC_DETECTS, FRAME_BITS

__all__ = ["CRC_DETECTS_IN_WORD", "PAYLOAD", "clustered"]

#: MAC bits in a codeword: the payload of a 256b/257b or 256b/260b block, consecutive bits of the frame.
PAYLOAD = 256

#: CRC-32 detects every error of up to five bits among 256 consecutive ones (``tests/gen/analysis/test_link_mttfpa.py``), and the
#: descrambler does not change that: it multiplies the error by 1 + x^39 + x^58, which has no factor in common with the CRC.
CRC_DETECTS_IN_WORD = 5


def clustered(word, given, drop_flagged, in_word=CRC_DETECTS_IN_WORD, frame_bits=FRAME_BITS):
    """``(p_frame, p_crc)`` to put into D Eq. 5.1.

    Parameters
    ----------
    word : Delivered
        What the decoder delivers.
    given : ndarray
        Probability of a false MAC frame by the format's control bits, by the number of wrong bits in a word, 0..n.
    drop_flagged : bool
        Whether a frame is given up where a word of it is flagged; otherwise the flag is ignored.
    in_word : int
        Wrong bits that the CRC is sure to detect if all of a frame's are in one word; D counts CRC_DETECTS.
    """
    wrong = word.unflagged if drop_flagged else word.wrong
    missed = _missed(word.correct, wrong, in_word, math.ceil(frame_bits / PAYLOAD))
    return float(wrong @ given), missed / frame_bits


def _missed(correct, wrong, in_word, words):
    """Probability that a frame has more wrong bits than the CRC is sure to detect."""
    hits = wrong @ spread(len(wrong) - 1, PAYLOAD)
    hits[0] += correct
    alone = words * hits[0] ** (words - 1) * hits[in_word + 1 :].sum()
    # chance[m, i]: m wrong words so far (2 for more) and i wrong bits (one more than CRC_DETECTS for more). Positive terms only.
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
