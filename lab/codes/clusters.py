"""MTTFPA after a SECDED decoder, without the assumption that wrong bits remain independent after correction.

After correction there are no single wrong bits: a flagged word has at least two, an unflagged wrong word at least four. Four
wrong bits in a MAC frame are therefore far more likely than D Eq. 5.2 states for the same post-FEC BER. On the other hand, CRC-32
detects more than three wrong bits if they are close together. The factor 2^-32 of D Eq. 5.1 stays as it is.

Assumptions: wrong words are independent, and every position of the wrong bits in a word is equally likely, given their number.
(For particular positions of a field of eight bits, the probability that it is false is up to 1.8 times as high:
``tests/net/analysis/test_link_mttfpa.py``.)
"""

import math

import numpy as np

from dsnswitch.lab.codes.binomial import spread
from dsnswitch.lab.codes.mttfpa import CRC_DETECTS, FRAME_BITS

__all__ = ["CRC_DETECTS_IN_WORD", "PAYLOAD", "clustered"]

#: MAC bits per codeword: the payload of a 256b/257b or 256b/260b block, which is consecutive bits of the frame.
PAYLOAD = 256

#: CRC-32 detects every error of up to five bits among 256 consecutive bits (``tests/net/analysis/test_link_mttfpa.py``). The
#: descrambler does not change that: it multiplies the error by 1 + x^39 + x^58, which has no factor in common with the CRC.
CRC_DETECTS_IN_WORD = 5


def clustered(word, given, drop_flagged, in_word=CRC_DETECTS_IN_WORD, frame_bits=FRAME_BITS):
    """Return ``(p_frame, p_crc)``, the probabilities that D Eq. 5.1 needs.

    Parameters
    ----------
    word : Delivered
        Probabilities of the decoder's outputs.
    given : ndarray
        Probability that the format's control bits make a false MAC frame, for each number 0..n of wrong bits in a word.
    drop_flagged : bool
        True: a frame with a flagged word is dropped. False: the flag is ignored.
    in_word : int
        The CRC detects up to this number of wrong bits if all wrong bits of a frame are in one word; D uses CRC_DETECTS.
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
