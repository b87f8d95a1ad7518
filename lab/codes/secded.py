"""Exact output probabilities of a SECDED decoder, from the number of codewords of each weight.

D Eq. 5.6 assumes that a word with more than one error keeps exactly these errors. The decoder of the code either flags a word and
leaves it as received, or corrects it to the nearest codeword. This codeword may be wrong if at least three bits were wrong. The
decoder flags a word if and only if no codeword lies within distance 1. This module counts the words that are not flagged.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from dsnswitch.sim.golden.fec.secded import decode, encode


@cache
def weight_counts(code):
    """Number of codewords of each weight 0..n as exact integers, by MacWilliams' identity from the 2^r words of the dual code."""
    n, dual = code.n, [0] * (code.n + 1)
    columns = np.array(code.columns)
    for mask in range(1 << code.r):
        dual[int((np.bitwise_count(columns & mask) & 1).sum())] += 1
    counts = [0] * (n + 1)
    for j, many in enumerate(dual):
        if not many:
            continue
        # Krawtchouk polynomials K_w(j) by their recurrence in w; all values are integers.
        last, this = 0, 1
        for w in range(n + 1):
            counts[w] += many * this
            last, this = this, ((n - 2 * j) * this - (n - w + 1) * last) // (w + 1)
    return tuple(count >> code.r for count in counts)


@cache
def flagged_counts(code):
    """Number of error patterns of each weight that the decoder flags: those without a codeword within distance 1."""
    n, words = code.n, (0, *weight_counts(code), 0)
    return tuple(math.comb(n, j) - words[j + 1] - (j + 1) * words[j + 2] - (n - j + 1) * words[j] for j in range(n + 1))


@dataclass(frozen=True)
class Delivered:
    """Probabilities of the decoder's outputs, over all n bits of a word."""

    #: Probability of the word that was sent.
    correct: float
    #: ``flagged[j]``: probability of a word that is flagged uncorrectable, left as received, with j wrong bits.
    flagged: np.ndarray
    #: ``unflagged[j]``: probability of another codeword at distance j from the one that was sent, without a flag.
    unflagged: np.ndarray

    @property
    def wrong(self):
        """Probability of j wrong bits for j from 1 up, flagged or not; 0 at j = 0."""
        return self.flagged + self.unflagged

    @property
    def ber(self) -> float:
        """Share of wrong bits."""
        n = len(self.flagged) - 1
        return math.fsum(np.arange(n + 1) * self.wrong) / n


def delivered(code, ber) -> Delivered:
    """:class:`Delivered` at bit error rate ``ber``, 0 to 0.5, with independent wrong bits; relative error below 1e-10.

    Raises :class:`ValueError` if ``ber`` is out of range.
    """
    if not 0 <= ber <= 0.5:
        raise ValueError(f"BER must be in 0..0.5, not {ber!r}")
    n = code.n
    if ber == 0:
        return Delivered(1.0, np.zeros(n + 1), np.zeros(n + 1))
    bits, odds = np.arange(n + 1), ber / (1 - ber)
    pattern = bits * math.log(ber) + (n - bits) * math.log1p(-ber)
    # The decoder returns a codeword of weight w for itself, for w patterns of weight w - 1, and for n - w of weight w + 1.
    reached = pattern + np.log(1 + bits / odds + (n - bits) * odds)
    codewords = np.exp(_logs(weight_counts(code)) + reached)
    flagged = np.exp(_logs(flagged_counts(code)) + pattern)
    correct, codewords[0] = float(codewords[0]), 0
    return Delivered(correct, flagged, codewords)


def undetected(code, ber, corrects=True) -> float:
    """Probability that a word is accepted although it is not the one that was sent.

    A decoder that ``corrects`` accepts each word with a codeword within distance 1, one that only detects errors accepts
    codewords.
    """
    if corrects:
        return math.fsum(delivered(code, ber).unflagged)
    counts = weight_counts(code)
    return math.fsum(
        math.exp(math.log(counts[w]) + w * math.log(ber) + (code.n - w) * math.log1p(-ber))
        for w in range(1, code.n + 1)
        if counts[w]
    )


def rejected(code, ber, corrects=True) -> float:
    """Probability that a word is not accepted."""
    if corrects:
        return math.fsum(delivered(code, ber).flagged)
    return -math.expm1(code.n * math.log1p(-ber)) - undetected(code, ber, corrects=False)


def _logs(counts):
    return np.array([math.log(count) if count else -math.inf for count in counts])


# Monte Carlo simulation of the SECDED code: random data and errors through the golden encoder and decoder.

#: Words that are simulated at once, which limits the memory. Another value changes the random sequence of a seed.
BATCH = 20_000

#: Half-width of a two-sided 95 % confidence interval in standard deviations.
Z95 = 1.959964


@dataclass(frozen=True)
class Measured:
    """Results of a simulation of ``words`` words at bit error rate ``ber``."""

    ber: float
    words: int
    #: Share of wrong bits among all n bits of the delivered words, and its standard deviation, estimated over the words.
    after: float
    after_sigma: float
    #: Words flagged uncorrectable, and words that are wrong but not flagged.
    flagged: int
    unflagged: int


def simulate(code, ber, words, seed) -> Measured:
    """Simulate ``words`` words on a channel that flips each bit with probability ``ber``; returns a :class:`Measured`."""
    rng = np.random.default_rng(seed)
    wrong_bits = squares = flagged = unflagged = 0
    for start in range(0, words, BATCH):
        count = min(BATCH, words - start)
        sent = encode(code, rng.integers(0, 2, (count, code.k), dtype=np.uint8))
        received = sent ^ (rng.random((count, code.n), dtype=np.float32) < np.float32(ber)).astype(np.uint8)
        _, corrected, uncorrectable, position = decode(code, received)
        rows = np.flatnonzero(corrected)
        received[rows, position[rows]] ^= 1
        wrong = (received ^ sent).sum(axis=1, dtype=np.int64)
        wrong_bits += int(wrong.sum())
        squares += int((wrong * wrong).sum())
        flagged += int(uncorrectable.sum())
        unflagged += int(((wrong > 0) & ~uncorrectable).sum())
    mean = wrong_bits / words
    sigma = math.sqrt(max(squares / words - mean**2, 0) / words)
    return Measured(ber, words, mean / code.n, sigma / code.n, flagged, unflagged)


def interval(hits, trials) -> tuple[float, float]:
    """95 % confidence interval of a share by Wilson's method (1927), which is valid for few hits, too."""
    share, z2 = hits / trials, Z95**2 / trials
    centre = (share + z2 / 2) / (1 + z2)
    half = Z95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials)) / (1 + z2)
    # The interval of no hits begins at exactly 0, that of all hits ends at exactly 1. Rounding must not exclude the share.
    return max(min(centre - half, share), 0.0), min(max(centre + half, share), 1.0)
