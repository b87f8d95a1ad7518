"""Monte Carlo simulation of the SECDED code: random data and errors through the golden encoder and decoder."""

import math
from dataclasses import dataclass

import numpy as np

from dsnswitch.sim.golden.fec.secded import decode, encode

__all__ = ["Z95", "Measured", "interval", "simulate"]

#: Words that are simulated at once, which limits the memory. Another value changes the random sequence of a seed.
BATCH = 20_000

#: Half-width of a two-sided 95 % confidence interval in standard deviations.
Z95 = 1.959964


@dataclass(frozen=True)
class Measured:
    """Results of a simulation of ``words`` words at bit error rate ``ber``.

    Attributes
    ----------
    after, after_sigma : float
        Share of wrong bits among all n bits of the delivered words, and its standard deviation, estimated over the words.
    flagged : int
        Words flagged uncorrectable.
    unflagged : int
        Words that are wrong but not flagged.
    """

    ber: float
    words: int
    after: float
    after_sigma: float
    flagged: int
    unflagged: int


def simulate(code, ber, words, seed):
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


def interval(hits, trials):
    """95 % confidence interval of a share by Wilson's method (1927), which is valid for few hits, too."""
    share, z2 = hits / trials, Z95**2 / trials
    centre = (share + z2 / 2) / (1 + z2)
    half = Z95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials)) / (1 + z2)
    # The interval of no hits begins at exactly 0, that of all hits ends at exactly 1. Rounding must not exclude the share.
    return max(min(centre - half, share), 0.0), min(max(centre + half, share), 1.0)
