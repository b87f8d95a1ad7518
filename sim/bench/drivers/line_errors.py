"""Random wrong bits on a line, the decoder's expected result for them, and bounds for the number of missed errors."""

from math import exp

import numpy as np

from dsnswitch.sim.bench.drivers.bits import numbers
from dsnswitch.sim.golden.fec import secded

__all__ = ["Verdict", "most", "random_errors", "verdicts"]


def random_errors(seed, count, width, ber):
    """Random errors ``{word: error}`` in ``count`` words of ``width`` bits: each bit is wrong with probability ``ber``.

    The dictionary has only words with a wrong bit. The distances between wrong bits are drawn, so that a low rate takes no
    time.
    """
    rng, errors, position = np.random.default_rng(seed), {}, -1
    while True:
        for distance in rng.geometric(ber, 1000).tolist():
            position += distance
            if position >= count * width:
                return errors
            word, bit = divmod(position, width)
            errors[word] = errors.get(word, 0) | 1 << bit


class Verdict:
    """Expected result of the decoder for one codeword.

    Attributes
    ----------
    corrected, uncorrectable : bool
        Flags of the decoder.
    left : int
        Mask of the wrong bits among the 260 bits after the decoder.
    """

    def __init__(self, corrected, uncorrectable, left):
        self.corrected, self.uncorrectable, self.left = bool(corrected), bool(uncorrectable), left

    @property
    def missed(self):
        """Wrong and not flagged."""
        return bool(self.left) and not self.uncorrectable


def verdicts(code, errors, enable=True):
    """``{word: Verdict}`` for ``{word: error}``. The code is linear, so decoding the error alone gives the result."""
    mask = (1 << code.k) - 1
    if not enable:
        return {word: Verdict(False, False, error & mask) for word, error in errors.items()}
    if not errors:
        return {}
    fixed, corrected, uncorrectable, _ = secded.decode(code, secded.words(list(errors.values()), code.n))
    return dict(zip(errors, map(Verdict, corrected, uncorrectable, numbers(fixed))))


def most(mean):
    """Upper bound of a Poisson variable with this mean, which 1 run in 31,574 exceeds (4 sigma, one side).

    For a mean above 100 the normal approximation is used.
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
