"""The line of each kind of fabric link, for benches: bits of a word, boundaries of codewords, wrong bits."""

import random
from collections import deque, namedtuple
from math import exp

import numpy as np

from dsnswitch.sim.bench.drivers.given import code_of
from dsnswitch.sim.golden.fec import secded


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


class Verdict(namedtuple("Verdict", "corrected uncorrectable left")):
    """Expected result of the decoder for one codeword: its flags, and a mask of the wrong bits among its 260 bits of data."""

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
    return dict(zip(errors, map(Verdict, corrected.tolist(), uncorrectable.tolist(), secded.numbers(fixed))))


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


#: Bits of a word of the line; words of a codeword of the strict format.
WIDTHS = {"light": 270, "strict": 160, "selected": 160}
CODEWORD = 33
#: Words for which wrong bits are drawn.
WORDS = 1 << 18


def codes_of(manifest):
    """``{is strict: code}`` of a strict or a selected link, as the golden models take them; None of a light link."""
    link = manifest["fabric"]["link"]
    if link == "light":
        return None
    light = {False: code_of(manifest["light_code"])} if link == "selected" else {}
    return {True: code_of(manifest["code"]), **light}


def wrong_bits(link, seed, parameters):
    """``{number of a word: its wrong bits}``.

    ``ber``: each bit is wrong with this probability. ``most``: words with more wrong bits than this are left out; a word of the
    light link is a codeword. ``burst``, only with ``ber``: ``[words, bits]``, one burst of ``bits`` random bits in each
    group of ``words`` words.
    """
    width, ber = WIDTHS[link], parameters.get("ber", 0)
    errors = random_errors(seed, WORDS, width, ber) if ber else {}
    most = parameters.get("most")
    errors = {number: error for number, error in errors.items() if not most or error.bit_count() <= most}
    if ber and "burst" in parameters:
        every, bits = parameters["burst"]
        rng = random.Random(seed)
        for first in range(0, WORDS, every):
            number, place = divmod(rng.randrange(first * width, (first + every) * width - bits), width)
            error = rng.getrandbits(bits) << place
            while error:
                errors[number] = errors.get(number, 0) ^ error & (1 << width) - 1
                number, error = number + 1, error >> width
    return errors


def missed(manifest, errors, strict=False):
    """Greatest number of codewords with wrong bits that no flag shows; ``strict``: a selected link is in the strict format.

    In the strict format there are none: of the codewords that cannot be corrected, one in 560,000 is taken for another.
    """
    link = manifest["fabric"]["link"]
    if manifest["parameters"]["detect"] and errors:
        code = code_of(manifest["code"])
        return int(secded.accepted(code, secded.words(list(errors.values()), code.n)).sum())
    if link == "light":
        return sum(verdict.missed for verdict in verdicts(code_of(manifest["code"]), errors).values())
    if link == "strict" or strict:
        return 0
    # A codeword of the light format is in up to three words.
    near = (sum(errors.get(number + more, 0).bit_count() for more in range(3)) for number in errors)
    return sum(bits > 2 for bits in near)


class Cable:
    """Words from one port to the other, ``delay`` cycles later.

    If a receiver without lock asks for another boundary, the cable drops words up to the next codeword, or, next to a selected
    link, one word. A real receiver moves by one bit at a time, which takes longer than a simulation.

    Attributes
    ----------
    - sent: All words sent, without errors.
    - wrong: ``{number of a word to be sent: its wrong bits}``.
    - errors: ``{number of a sent word: its wrong bits}``.
    - cut: ``cut()`` is the word that arrives while the cable does not lead to the other end.
    """

    def __init__(self, wrong, delay, link, other=None):
        self.sent, self._way, self.wrong = [], deque([None] * delay), wrong
        self.errors, self.cut = {}, None
        self._group = 1 if link == "light" else CODEWORD
        # Words of the codeword that the sender has sent, and that the receiver has got; whether the cable drops words.
        self._sending = self._getting = 0
        self._drops, self._by_codeword = False, "selected" not in (link, other)
        self._into, self._out, self._bits, self._fill = WIDTHS[link], WIDTHS[other or link], 0, 0

    def step(self, word):
        """The word that arrives while ``word`` is sent. Either may be None."""
        place = None
        if word is not None:
            error = self.wrong.get(len(self.sent), 0) if self.cut is None else 0
            if error:
                self.errors[len(self.sent)] = error
            self.sent.append(word)
            word ^= error
            place, self._sending = self._sending, (self._sending + 1) % self._group
        self._way.append((word, place))
        arrives, place = self._way.popleft() or (None, None)
        arrives = self._convert(arrives) if self.cut is None else self.cut()
        if self.cut is None and place is not None and self._drops:
            self._drops = self._by_codeword and place != self._getting
            if self._drops or not self._by_codeword:
                return None
        self._getting = (self._getting + (arrives is not None)) % self._group
        return arrives

    def _convert(self, word):
        """A word of the receiver's width, if the ends have different widths."""
        if self._into == self._out:
            return word
        if word is not None:
            self._bits, self._fill = self._bits | word << self._fill, self._fill + self._into
        if self._fill < self._out:
            return None
        word = self._bits & (1 << self._out) - 1
        self._bits, self._fill = self._bits >> self._out, self._fill - self._out
        return word

    def slip(self):
        """The receiver asks for another boundary."""
        self._drops = self._into == self._out

    def restart_sender(self):
        """The sender was reset: its next word begins a codeword."""
        self._sending = 0

    def restart_receiver(self):
        """The receiver was reset: the next word that it gets begins a codeword."""
        self._getting = 0
