"""How long a search for the boundary takes, and how often it is wrong, as a function of the bit error rate. No Amaranth.

A search (:class:`CodewordLock`) tests position after position. Any wrong position but some of the light format is left after the
first codeword or group. :class:`Walk` has the probabilities of a position's score.

Wrong bits are independent. Random symbols pass as a codeword of RS(528,514) with probability :data:`RANDOM_PASSES`.
"""

from dataclasses import dataclass
from math import comb

from dsnswitch.hdl.line.rates import BEATS, CODE, CODEWORDS, WORDS

#: Of the lock of the light format (:class:`LightDecode`): errors of a bad group; errors of a hopeless group, a power of two;
#: clean groups that make a lock; bad groups that a search allows beside; bad groups that lose the lock.
LIMIT, HOPELESS, MAKE, TRUST, LOSE = 4, 8, 4, 2, 6

#: Bits of a header of the light format.
_HEADER = 4

#: Probability with which random symbols are a codeword with up to t wrong symbols.
RANDOM_PASSES = sum(
    comb(BEATS.code.n, wrong) * (2**BEATS.code.field.m - 1) ** wrong for wrong in range(BEATS.code.t + 1)
) / 2 ** (BEATS.code.field.m * (BEATS.code.n - BEATS.code.k))


@dataclass(frozen=True)
class Walk:
    """The score of a position: probabilities that a codeword is clean, bad, or hopeless; the rest leaves the score."""

    clean: float
    bad: float
    hopeless: float = 0

    def outcome(self, make, trust):
        """``(probability that the position makes the lock, mean number of codewords until then or until a slip)``."""
        # One equation per score: a value is that of the neighbours, with their probabilities. Solved from the lowest score on.
        moves = self.clean + self.bad + self.hopeless
        factors, locks, times = [0.0], [0.0], [0.0]
        for score in range(make + trust):
            pivot = moves - self.bad * factors[-1]
            top = score == make + trust - 1
            locks.append((self.bad * locks[-1] + (self.clean if top else 0)) / pivot)
            times.append((self.bad * times[-1] + 1) / pivot)
            factors.append(0 if top else self.clean / pivot)
        lock, time = 0.0, 0.0
        for score in range(make + trust, trust, -1):
            lock, time = locks[score] + factors[score] * lock, times[score] + factors[score] * time
        return lock, time


def _some(n, k, p):
    """Probability of ``k`` of ``n`` events of probability ``p``."""
    return comb(n, k) * p**k * (1 - p) ** (n - k)


def undecodable(ber):
    """Share of the codewords of the strict format with more wrong symbols than the code corrects."""
    symbol = 1 - (1 - ber) ** BEATS.code.field.m
    return 1 - sum(_some(BEATS.code.n, wrong, symbol) for wrong in range(BEATS.code.t + 1))


def strict_walk(ber):
    """Codewords at the right boundary of the strict format."""
    wrong = undecodable(ber)
    return Walk(1 - wrong, wrong)


def _errors(ber, hidden):
    """Probability of an error in a codeword of the light format, and in the first one of a group; ``hidden``: in the inverse."""
    n, one = CODE.n, _some(CODE.n, 1, ber)
    # About half of the sums of three columns are columns, and so are their complements.
    three = _some(n, 3, ber) * n / 2 ** (CODE.r - 1)
    other = 1 - _some(n, 0, ber) - one - three + one * _HEADER / n
    inverse = 2**CODE.r - 1
    pairs = sum(column ^ inverse in CODE.columns for column in CODE.columns)
    return other, 1 - one * pairs / n - three if hidden else other


def light_walk(ber, *, right=True):
    """Groups of the light format at the right boundary, or at one that takes another codeword for the first of a group."""
    other, first = _errors(ber, not right)
    # Errors of the other codewords: at a wrong boundary, the true first one is among them.
    rest = {}
    for errors in range(CODEWORDS - 1):
        for more, probability in ((0, 1 - first), (1, first)):
            rest[errors + more] = rest.get(errors + more, 0) + probability * _some(CODEWORDS - 2, errors, other)
    part = {
        (wrong, errors): probability * (first if wrong else 1 - first) for errors, probability in rest.items() for wrong in (0, 1)
    }
    gone = sum(probability for (wrong, errors), probability in part.items() if wrong + errors >= HOPELESS)
    good = [probability for (wrong, errors), probability in part.items() if not wrong and 0 < errors < LIMIT]
    clean = part[0, 0]
    return Walk(clean, 1 - clean - sum(good) - gone, gone)


@dataclass(frozen=True)
class Search:
    """A search for the boundary of one format.

    Parameters
    ----------
    positions : int
        Positions of the boundary.
    slip : int
        Words per position that is left after its first codeword.
    codeword : int
        Words per codeword or group.
    finds, codewords : float
        Probability that the right position makes the lock; mean number of its codewords until then or until a slip.
    wrong : float
        Probability that a visit of every other position makes a wrong lock. In the light format, such a lock takes another
        codeword for the first of a group, and is soon lost.
    """

    positions: int
    slip: int
    codeword: int
    finds: float
    codewords: float
    wrong: float

    @property
    def round(self):
        """Words of a visit of every position."""
        return self.positions * self.slip

    @property
    def longest(self):
        """Mean number of words of a search that begins one bit after the boundary."""
        return self.round / self.finds + self.codeword * self.codewords


#: Words per slip without a pipeline before the decoder: a wrong codeword is known when two later ones have begun; a hopeless
#: group before its end.
SLIPS = {"strict": 3 * BEATS.count, "light": WORDS}


def searches(ber):
    """A :class:`Search` per format."""
    strict, light = BEATS.count * BEATS.bits, WORDS * BEATS.bits
    passes, _ = Walk(RANDOM_PASSES, 1 - RANDOM_PASSES).outcome(2, 0)
    resembles, _ = light_walk(ber, right=False).outcome(MAKE, TRUST)
    found = {"strict": strict_walk(ber).outcome(2, 0), "light": light_walk(ber).outcome(MAKE, TRUST)}
    return {
        "strict": Search(strict, SLIPS["strict"], BEATS.count, *found["strict"], (strict - 1) * passes),
        "light": Search(light, SLIPS["light"], WORDS, *found["light"], (CODEWORDS - 1) * resembles),
    }
