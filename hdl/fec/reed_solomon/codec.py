"""Reed-Solomon on plain integers, by the algorithms of the hardware: division, reformulated Berlekamp-Massey, Chien, Forney.

RiBM after Sarwate and Shanbhag (2001). No Amaranth.
"""

from typing import NamedTuple

from .parameters import ReedSolomonCode

__all__ = ["Decoded", "decode", "encode", "key_equation", "syndromes"]


class Decoded(NamedTuple):
    """Result of decoding a word.

    Attributes
    ----------
    data : tuple of int
        Data symbols, corrected unless ``uncorrectable``: then as received.
    positions : tuple of int
        Symbols that were corrected, ascending, data and parity; none if ``uncorrectable``.
    uncorrectable : bool
        No codeword is within t symbols.
    """

    data: tuple
    positions: tuple
    uncorrectable: bool


def encode(code: ReedSolomonCode, data):
    """Codeword of k data symbols.

    Raises
    ------
    ValueError
        If there are not k symbols, or one is no element of the field.
    """
    _check(code, data, code.k, "data")
    remainder, field = [0] * code.parity, code.field
    for symbol in data:
        feedback = symbol ^ remainder[-1]
        remainder = [a ^ field.multiply(feedback, c) for a, c in zip([0, *remainder[:-1]], code.generator)]
    return (*data, *reversed(remainder))


def syndromes(code: ReedSolomonCode, word):
    """Values of the word at the generator's roots; all 0 for a codeword."""
    found = []
    for root in code.roots:
        value = 0
        for symbol in word:
            value = code.field.multiply(value, root) ^ symbol
        found.append(value)
    return tuple(found)


def key_equation(code: ReedSolomonCode, syndrome):
    """``(locator, evaluator)`` by RiBM in n - k steps: error locator and high part of the evaluator, both up to one factor.

    ``locator``: t + 1 coefficients from the constant up. ``evaluator``: t.
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
    """:class:`Decoded` of n symbols.

    Roots outside the word, fewer roots than the locator's degree, and a degree beyond t are uncorrectable.
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
        # Forney for RiBM's evaluator: X**-(n - k) brings its high part down, X**-b is the first root's.
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
