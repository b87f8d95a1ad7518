"""What a SECDED decoder delivers, exactly: from the numbers of codewords of each weight.

D Eq. 5.6 lets a word with more than one error keep just its errors. The decoder of the code flags a word and keeps it as
received, or corrects it to the nearest codeword, a wrong one if three or more bits were wrong. Which of the two depends only on
whether a codeword lies within distance 1, and these are counted.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

__all__ = ["Delivered", "delivered", "flagged_counts", "weight_counts"]


@cache
def weight_counts(code):
    """Codewords of each weight 0..n, exact integers, by MacWilliams' identity from the 2^r words of the dual code."""
    n, dual = code.n, [0] * (code.n + 1)
    columns = np.array(code.columns)
    for mask in range(1 << code.r):
        dual[int((np.bitwise_count(columns & mask) & 1).sum())] += 1
    counts = [0] * (n + 1)
    for j, many in enumerate(dual):
        if not many:
            continue
        # Krawtchouk polynomials K_w(j) by their recurrence in w, all integers.
        last, this = 0, 1
        for w in range(n + 1):
            counts[w] += many * this
            last, this = this, ((n - 2 * j) * this - (n - w + 1) * last) // (w + 1)
    return tuple(count >> code.r for count in counts)


@cache
def flagged_counts(code):
    """Error patterns of each weight that are flagged uncorrectable: no codeword is within distance 1."""
    n, words = code.n, (0, *weight_counts(code), 0)
    return tuple(math.comb(n, j) - words[j + 1] - (j + 1) * words[j + 2] - (n - j + 1) * words[j] for j in range(n + 1))


@dataclass(frozen=True)
class Delivered:
    """Probabilities of what comes out of the decoder, over all n bits of a word.

    Attributes
    ----------
    correct : float
        The word sent.
    flagged : ndarray
        ``flagged[j]``: flagged uncorrectable and j bits wrong, as received.
    unflagged : ndarray
        ``unflagged[j]``: another codeword, j bits away from the one sent, and no flag.
    """

    correct: float
    flagged: np.ndarray
    unflagged: np.ndarray

    @property
    def wrong(self):
        """Probability of j wrong bits, j from 1 on, flagged or not; 0 at j = 0."""
        return self.flagged + self.unflagged

    @property
    def ber(self):
        """Share of wrong bits."""
        n = len(self.flagged) - 1
        return math.fsum(np.arange(n + 1) * self.wrong) / n


def delivered(code, ber):
    """:class:`Delivered` at bit error rate ``ber``, 0 to 0.5, wrong bits independent; relative error below 1e-10.

    Raises
    ------
    ValueError
        If ``ber`` is out of range.
    """
    if not 0 <= ber <= 0.5:
        raise ValueError(f"BER must be in 0..0.5, not {ber!r}")
    n = code.n
    if ber == 0:
        return Delivered(1.0, np.zeros(n + 1), np.zeros(n + 1))
    bits, odds = np.arange(n + 1), ber / (1 - ber)
    pattern = bits * math.log(ber) + (n - bits) * math.log1p(-ber)
    # A codeword of weight w is what the decoder makes of itself, of w patterns lighter by one bit and n - w heavier.
    reached = pattern + np.log(1 + bits / odds + (n - bits) * odds)
    codewords = np.exp(_logs(weight_counts(code)) + reached)
    flagged = np.exp(_logs(flagged_counts(code)) + pattern)
    correct, codewords[0] = float(codewords[0]), 0
    return Delivered(correct, flagged, codewords)


def _logs(counts):
    return np.array([math.log(count) if count else -math.inf for count in counts])
