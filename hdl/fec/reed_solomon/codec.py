"""Reed-Solomon codec in plain integers, by the algorithms of the gateware. No Amaranth.

The encoder divides by the generator. The decoder solves the key equation by the reformulated inversionless Berlekamp-Massey
algorithm (RiBM, Sarwate and Shanbhag 2001), then uses Chien's search and Forney's formula.
"""

from typing import NamedTuple

from dsnswitch.hdl.fec.reed_solomon.parameters import ReedSolomonCode

__all__ = ["Decoded", "decode", "encode", "key_equation", "syndromes"]


class Decoded(NamedTuple):
    """Result of decoding a word.

    Attributes
    ----------
    data : tuple of int
        Data symbols: corrected, or as received if ``uncorrectable``.
    positions : tuple of int
        Positions of the corrected symbols of data and parity, ascending; none if ``uncorrectable``.
    uncorrectable : bool
        Every codeword differs from the word in more than t symbols.
    """

    data: tuple
    positions: tuple
    uncorrectable: bool


def encode(code: ReedSolomonCode, data):
    """Codeword of k data symbols: the data, then the parity.

    Raises
    ------
    ValueError
        If the number of symbols is not k, or a symbol is not an element of the field.
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
    """Solve the key equation by RiBM in n - k steps.

    Returns
    -------
    locator : list of int
        Error locator, t + 1 coefficients from the constant up.
    evaluator : list of int
        High part of the error evaluator, t coefficients from the constant up. Both have the same unknown factor.
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
