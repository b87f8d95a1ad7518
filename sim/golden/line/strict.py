"""Model of the strict link, one codeword at a time: 20 blocks of 257 bits, RS(528,514), 33 words of 160 bits."""

import numpy as np

from dsnswitch.sim.golden.fec import reed_solomon
from dsnswitch.sim.golden.line.gearbox import regroup
from dsnswitch.sim.golden.pcs import pcs257
from dsnswitch.sim.golden.pcs.mii import IDLES

#: Blocks and words per codeword; bits of a word, of a block, of a symbol.
BLOCKS, WORDS, WORD, BLOCK, _SYMBOL = 20, 33, 160, 257, 10


def words_of(symbols):
    """The 33 words of a codeword's 528 symbols."""
    return regroup([int(symbol) for symbol in symbols], _SYMBOL, WORD)


def codeword_of(words):
    """The 528 symbols of 33 words."""
    return np.array(regroup(words, WORD, _SYMBOL), dtype=np.int32)


class Transmitter:
    """Converts groups of four words of the MII to words of the line."""

    def __init__(self, code, carry=None):
        self._code, self._pcs = code, pcs257.Transmitter(carry)

    def codeword(self, groups):
        """33 words for 20 groups of four words."""
        data = regroup([self._pcs.step(group) for group in groups], BLOCK, _SYMBOL)
        return words_of(reed_solomon.encode(self._code, np.array([data]))[0])

    def send(self, groups):
        """Words of the line for any number of groups; idles fill the last codeword."""
        groups = [*groups, *[[IDLES] * 4] * (-len(groups) % BLOCKS)]
        return [word for start in range(0, len(groups), BLOCKS) for word in self.codeword(groups[start : start + BLOCKS])]


class Lock:
    """Codeword lock. Without lock, a codeword changes the score of the position, which begins with ``trust``.

    The lock is made ``make`` above, and lost after ``lose`` bad codewords in a row. After a loss, ``stay`` bad codewords make no
    slip. Then one at score 0 does.
    """

    def __init__(self, make=2, lose=3, locked=False, stay=64, trust=0):
        self.locked, self._make, self._lose, self._stay, self._trust = locked, make, lose, stay, trust
        self._row, self._score, self._left = 0, trust, stay if locked else 0

    @property
    def stays(self):
        """The old boundary is tested."""
        return not self.locked and self._left > 0

    def test(self, clean, bad=None, weight=1):
        """Update the lock with one codeword. Returns whether it makes a slip.

        A codeword that is neither ``clean`` nor ``bad`` says nothing; without ``bad``, each is one of the two. With lock, a
        bad codeword counts as ``weight`` codewords.
        """
        bad = not clean if bad is None else bad
        if self.locked:
            self._row = self._row + weight if bad else 0
            if self._row >= self._lose:
                self.locked, self._score = False, self._trust
            return False
        slips = bad and not self.stays and self._score == 0
        if slips:
            self._score = self._trust
        elif bad and self.stays:
            self._left, self._score = self._left - 1, self._trust
        else:
            self._score += clean - bad
        if self._score == self._trust + self._make:
            self.locked, self._row, self._left = True, 0, self._stay
        return slips


class Monitor:
    """Symbol-error monitor: a window with more wrong symbols than ``limit`` sets ``high`` for ``keep`` windows after it."""

    def __init__(self, window, limit, keep):
        self._window, self._limit, self._keep = window, limit, keep
        self.high, self._seen, self._wrong, self._left = False, 0, 0, 0

    def test(self, wrong):
        """Update the monitor with one codeword of ``wrong`` wrong symbols."""
        self._seen, self._wrong = self._seen + 1, self._wrong + wrong
        too_many = self._wrong > self._limit
        if too_many:
            self.high, self._left = True, self._keep
        if self._seen == self._window:
            if self.high and not too_many:
                self._left -= 1
                self.high = self._left > 0
            self._seen = self._wrong = 0


class Receiver:
    """Converts codewords to words of the MII, with counters.

    Parameters
    ----------
    detect : bool
        Detect errors without correction (``bypass_correction``).
    direct : bool
        Do not mark uncorrectable codewords (``bypass_indication``). The wrong corrections of such a codeword are not
        modelled: :meth:`codeword` uses it as received.
    """

    def __init__(self, code, detect=False, direct=False, window=8192, limit=417, keep=160, carry=None):
        self._code, self._detect, self._direct = code, detect, direct
        self.pcs, self.lock, self.monitor = pcs257.Receiver(carry), Lock(), Monitor(window, limit, keep)
        self.codewords = self.corrected = self.uncorrectable = self.symbol_errors = 0
        self.corrected_bits = [0] * 4

    def decode(self, words):
        """Decode many codewords of 33 words each; returns a list of arguments of :meth:`codeword`."""
        received = np.array([codeword_of(words[start : start + WORDS]) for start in range(0, len(words), WORDS)])
        fixed, wrong, bad = reed_solomon.decode(self._code, received)
        if self._detect:
            fixed, bad, wrong = received, bad | (wrong > 0), wrong * 0
        return [(r, f, int(w), bool(b)) for r, f, w, b in zip(received, fixed, wrong, bad)]

    def codeword(self, decoded):
        """20 groups of four words for one codeword, an item of the list of :meth:`decode`."""
        received, fixed, wrong, uncorrectable = decoded
        self._count(received ^ fixed, wrong, uncorrectable)
        bad, fault = self.monitor.high, not self.lock.locked
        if self.lock.locked:
            self.monitor.test((self._code.n - self._code.k) // 2 + 1 if uncorrectable else wrong)
        self.lock.test(not uncorrectable)
        if not self._direct:
            bad, fault = uncorrectable, not self.lock.locked
        data = regroup([int(symbol) for symbol in fixed[: self._code.k]], _SYMBOL, BLOCK)
        return [self.pcs.step(block, bad, fault) for block in data]

    def _count(self, changed, wrong, uncorrectable):
        self.codewords += 1
        self.corrected += wrong > 0
        self.uncorrectable += uncorrectable
        self.symbol_errors += wrong
        for symbol in np.flatnonzero(changed):
            self.corrected_bits[symbol % 4] += int(changed[symbol]).bit_count()
