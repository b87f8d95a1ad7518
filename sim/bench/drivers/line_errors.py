"""Wrong bits on a line, what the code is to make of them, and how many it is to miss."""

from math import exp

import numpy as np

from ...golden.fec import secded
from .parameters import numbers

__all__ = ["Verdict", "most", "random_errors", "verdicts"]


def random_errors(seed, count, width, ber):
    """``{word: error}`` for ``count`` words of ``width`` bits, each bit wrong with probability ``ber``.

    Words without a wrong bit are left out. Drawn as distances between wrong bits, so that a low rate costs nothing.
    """
    rng, errors, place = np.random.default_rng(seed), {}, -1
    while True:
        for distance in rng.geometric(ber, 1000).tolist():
            place += distance
            if place >= count * width:
                return errors
            word, bit = divmod(place, width)
            errors[word] = errors.get(word, 0) | 1 << bit


class Verdict:
    """What becomes of a codeword.

    Attributes
    ----------
    corrected, uncorrectable : bool
        Flags of the decoder.
    left : int
        Wrong bits of the 260 behind it.
    """

    def __init__(self, corrected, uncorrectable, left):
        self.corrected, self.uncorrectable, self.left = bool(corrected), bool(uncorrectable), left

    @property
    def missed(self):
        """Wrong and not flagged."""
        return bool(self.left) and not self.uncorrectable


def verdicts(code, errors, enable=True):
    """``{word: Verdict}`` for ``{word: error}``. The code is linear: what is decoded is the error alone."""
    mask = (1 << code.k) - 1
    if not enable:
        return {place: Verdict(False, False, error & mask) for place, error in errors.items()}
    if not errors:
        return {}
    fixed, corrected, uncorrectable, _ = secded.decode(code, secded.words(list(errors.values()), code.n))
    return dict(zip(errors, map(Verdict, corrected, uncorrectable, numbers(fixed))))


def most(mean):
    """So many events come at most, but for 1 run in 31,574 (4 sigma, one side), if they are Poisson with this mean.

    A mean above 100 passes for a normal distribution's.
    """
    if mean > 100:
        return int(mean + 4 * mean**0.5) + 1
    count, term = 0, exp(-mean)
    total = term
    while 1 - total > 3.167e-5:
        count += 1
        term *= mean / count
        total += term
    return count
