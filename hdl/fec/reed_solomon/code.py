"""Parameters of a Reed-Solomon code. No Amaranth."""

from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import NamedTuple

from dsnswitch.hdl.gf import field as matrix
from dsnswitch.hdl.gf.field import Field
from dsnswitch.net.checks import integer


@dataclass(frozen=True)
class ReedSolomonCode:
    """Reed-Solomon code with codewords of ``n`` symbols, ``k`` of them data. It corrects up to ``(n - k) // 2`` wrong symbols.

    The generator is ``(x - alpha**b) (x - alpha**(b+1)) ...`` with n - k factors; b is the first root. A word is a sequence
    of n symbols in the order of transmission: data first, then parity. Symbol i is the coefficient of ``x**(n - 1 - i)``.
    With n below 2**m - 1 the code is shortened: the symbols that are not sent are 0.

    Raises TypeError or ValueError if a number is not an integer, or is out of range.
    """

    n: int
    k: int
    field: Field
    first_root: int = 0

    def __post_init__(self):
        integer(f"Reed-Solomon n over GF(2**{self.field.m})", self.n, 3, self.field.order)
        integer("Reed-Solomon k", self.k, 1, self.n - 2)
        integer("Reed-Solomon first root", self.first_root, 0, self.field.order - 1)

    @property
    def parity(self):
        """Number of parity symbols."""
        return self.n - self.k

    @property
    def t(self):
        """Greatest number of wrong symbols that the code corrects."""
        return self.parity // 2

    @cached_property
    def roots(self):
        """Roots of the generator."""
        return tuple(self.field.power(self.first_root + i) for i in range(self.parity))

    @cached_property
    def generator(self):
        """Coefficients of the generator, from the constant up; the last is 1."""
        coefficients = [1]
        for root in self.roots:
            shifted, scaled = [0, *coefficients], [self.field.multiply(root, c) for c in coefficients] + [0]
            coefficients = [a ^ b for a, b in zip(shifted, scaled)]
        return tuple(coefficients)


_GF10, _GF8, _GF3 = Field(10, 0x409), Field(8, 0x11D), Field(3, 0xB)

#: Codes by name: those of IEEE 802.3 Clause 91 (the first two), of D Table 5.1, and one small enough for exhaustive tests.
NAMED = {
    "rs-528-514": ReedSolomonCode(528, 514, _GF10),
    "rs-544-514": ReedSolomonCode(544, 514, _GF10),
    "rs-255-239": ReedSolomonCode(255, 239, _GF8),
    "rs-7-3": ReedSolomonCode(7, 3, _GF3),
}


class Decoded(NamedTuple):
    """Result of decoding a word.

    Attributes
    ----------
    - data: Data symbols: corrected, or as received if ``uncorrectable``.
    - positions: Positions of the corrected symbols of data and parity, ascending; none if ``uncorrectable``.
    - uncorrectable: Every codeword differs from the word in more than t symbols.
    """

    data: tuple
    positions: tuple
    uncorrectable: bool


def encode(code: ReedSolomonCode, data):
    """Codeword of k data symbols: the data, then the parity.

    Raises ValueError if the number of symbols is not k, or a symbol is not an element of the field.
    """
    _check(code, data, code.k, "data")
    remainder, field = [0] * code.parity, code.field
    for symbol in data:
        feedback = symbol ^ remainder[-1]
        remainder = [a ^ field.multiply(feedback, c) for a, c in zip([0, *remainder[:-1]], code.generator)]
    return (*data, *reversed(remainder))


def syndromes(code: ReedSolomonCode, word):
    """Syndromes of ``word``: its values at the generator's roots, all 0 for a codeword."""
    values = []
    for root in code.roots:
        value = 0
        for symbol in word:
            value = code.field.multiply(value, root) ^ symbol
        values.append(value)
    return tuple(values)


def key_equation(code: ReedSolomonCode, syndrome):
    """Solve the key equation by RiBM in n - k steps. Returns ``(locator, evaluator)``.

    The error locator has t + 1 coefficients from the constant up, the high part of the error evaluator has t. Both have the
    same unknown factor.
    """
    field, t = code.field, code.t
    delta = [*syndrome, *[0] * t, 1]
    theta, gamma, counter = list(delta), 1, 0
    for _ in range(code.parity):
        first, shifted = delta[0], [*delta[1:], 0]
        delta = [field.multiply(gamma, a) ^ field.multiply(first, b) for a, b in zip(shifted, theta)]
        if first and counter >= 0:
            theta, gamma, counter = shifted, first, -counter - 1
        else:
            counter += 1
    return delta[t : 2 * t + 1], delta[:t]


def decode(code: ReedSolomonCode, word):
    """Decode n symbols; returns a :class:`Decoded`.

    A word is uncorrectable if the locator has fewer roots at symbols of the word than its degree, or a degree above t.
    """
    _check(code, word, code.n, "word")
    syndrome = syndromes(code, word)
    if not any(syndrome):
        return Decoded(tuple(word[: code.k]), (), False)
    field, failed = code.field, Decoded(tuple(word[: code.k]), (), True)
    locator, evaluator = key_equation(code, syndrome)
    degree = max((i for i, c in enumerate(locator) if c), default=0)
    odd = [c if i % 2 else 0 for i, c in enumerate(locator)]
    fixed, positions = list(word), []
    for position in range(code.n):
        inverse = field.power(-(code.n - 1 - position))
        if field.evaluate(locator, inverse):
            continue
        slope = field.evaluate(odd, inverse)
        if not slope:
            return failed
        # Forney's formula for RiBM's evaluator: X**-(n - k) corrects for its high part, X**-b for the first root b.
        scale = field.power(-(code.n - 1 - position) * (code.parity + code.first_root))
        fixed[position] ^= field.multiply(scale, field.divide(field.evaluate(evaluator, inverse), slope))
        positions.append(position)
    if len(positions) != degree or any(syndromes(code, fixed)):
        return failed
    return Decoded(tuple(fixed[: code.k]), tuple(positions), False)


def _check(code, symbols, count, name):
    if len(symbols) != count:
        raise ValueError(f"Reed-Solomon {name} must have {count} symbols, not {len(symbols)}")
    for symbol in symbols:
        if not 0 <= symbol <= code.field.order:
            raise ValueError(f"Reed-Solomon symbols must be in 0..{code.field.order}, not {symbol}")


@dataclass(frozen=True)
class Beats:
    """A codeword sent in beats of ``width`` symbols, symbol 0 of a beat first.

    If ``width`` does not divide n, the last beat ends in padding. The hardware therefore treats a codeword as one of
    ``count * width`` symbols, of which the last :attr:`pad` are 0: symbol i is the coefficient of
    ``x**(count * width - 1 - i)``.

    Raises TypeError or ValueError if the width is not an integer, or out of range.
    """

    code: ReedSolomonCode
    width: int

    def __post_init__(self):
        integer("Symbols per beat", self.width, 1, self.code.n)

    @property
    def count(self):
        """Beats of a codeword."""
        return -(-self.code.n // self.width)

    @property
    def pad(self):
        """Symbols of padding in the last beat."""
        return self.count * self.width - self.code.n

    @property
    def bits(self):
        """Bits of a beat."""
        return self.width * self.code.field.m

    def map(self, constants):
        """The linear map of input symbols to output symbols, each a sum of input symbols times constants.

        ``constants`` has for each output symbol the factor of each input symbol; None for an input symbol that is not summed.
        """
        field = self.code.field
        rows = []
        for factors in constants:
            total = [0] * field.m
            for symbol, factor in enumerate(factors):
                if factor is not None:
                    for bit, row in enumerate(matrix.constant(field, factor)):
                        total[bit] |= row << field.m * symbol
            rows += total
        return tuple(rows)

    def parity_map(self):
        """The map of a beat to its share of the remainder after the division of that beat.

        The beat is the sum of data symbols and of the highest symbols of the remainder so far. The lowest symbol of a
        remainder is its constant.
        """
        code, field = self.code, self.code.field
        remainder = [1] + [0] * (code.parity - 1)
        remainders = []
        for power in range(code.parity + self.width):
            if power >= code.parity:
                remainders.append(list(remainder))
            top = remainder[-1]
            remainder = [a ^ field.multiply(top, g) for a, g in zip([0, *remainder[:-1]], code.generator)]
        # The first symbol of a beat has the highest power.
        return self.map(zip(*reversed(remainders)))

    def syndrome_map(self):
        """The map of a beat to its share of the n - k syndromes."""
        field, code = self.code.field, self.code
        exponents = range(self.width - 1, -1, -1)
        return self.map([[field.power((code.first_root + j) * exponent) for exponent in exponents] for j in range(code.parity)])

    def syndrome_factors(self):
        """The factor by which each syndrome is multiplied before the share of the next beat is added (Horner's rule)."""
        return [self.code.field.power((self.code.first_root + j) * self.width) for j in range(self.code.parity)]

    def exponents(self):
        """Exponents e of the powers ``X**-e`` by which the coefficients are multiplied at the symbol with locator X.

        The first t + 1 are those of the locator's coefficients, the other t those of the evaluator's. RiBM gives the high
        part of the evaluator, which is ``X**(n - k)`` too large; together with ``X**b``, b the first root, that is part of
        these exponents, so that the quotient needs no further factor.
        """
        code = self.code
        return [*range(code.t + 1), *(j + code.parity + code.first_root for j in range(code.t))]


#: Optional pipeline registers of a decoder, in the order of the data path.
CUTS = ("syndromes", "evaluation", "division")


@dataclass(frozen=True)
class DecoderPlan:
    """Parameters of a decoder, with the number of solvers, the latency and the memory depth that follow from them.

    Parameters
    ----------
    unroll : int
        Steps of the key equation per cycle.
    cuts : tuple of str
        Pipeline registers, out of :data:`CUTS`.
    lanes : int or None
        Number of lanes whose corrected bits are counted; it divides the symbols per beat. None for the greatest up to 4.

    Raises
    ------
    ValueError
        If the parameters are out of range or contradict each other.
    """

    beats: Beats
    unroll: int = 1
    cuts: tuple = CUTS[1:]
    lanes: int | None = None

    def __post_init__(self):
        code = self.beats.code
        integer("Key equation steps per cycle", self.unroll, 1, code.parity)
        for name in self.cuts:
            if name not in CUTS or self.cuts.count(name) > 1:
                raise ValueError(f"Decoder cuts must be different ones of {', '.join(CUTS)}, not {name!r}")
        lanes = gcd(4, self.beats.width) if self.lanes is None else self.lanes
        if lanes < 1 or self.beats.width % lanes:
            raise ValueError(f"Lanes must divide the symbols per beat, {self.beats.width}, not {lanes}")
        object.__setattr__(self, "lanes", lanes)

    @property
    def cycles(self):
        """Cycles that a solver takes for a key equation."""
        return -(-self.beats.code.parity // self.unroll)

    @property
    def solvers(self):
        """Number of solvers that codewords without gaps need.

        In addition to its cycles, a solver takes one cycle to pass its result on, and one cycle until it is ready again, which
        keeps the path from the output to the input's ready short. A register after the syndromes adds one more cycle.
        """
        return -(-(self.cycles + 2 + ("syndromes" in self.cuts)) // self.beats.count)

    @property
    def latency(self):
        """Cycles from the first symbol to the first corrected symbol.

        These are the reception of a codeword, the key equation, and a cycle each to load the search, for the output register,
        and per cut.
        """
        return self.beats.count + self.cycles + 2 + len(self.cuts)

    @property
    def depth(self):
        """Beats that the memory for received symbols holds."""
        return 1 << self.latency.bit_length()


def counters(lanes):
    """Names of the counters of a decoder with this number of lanes."""
    bits = (f"corrected_bits_{lane}" for lane in range(lanes))
    return ("codewords", "corrected", "uncorrectable", "symbol_errors", *bits)
