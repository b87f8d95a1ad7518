"""Model of Reed-Solomon codes: batches of words as numpy arrays, by linear algebra (Peterson, Gorenstein and Zierler).

It is independent of the hardware and of its plain-integer codec, and takes only parameters of the code: n, k, first root,
and the field's m and polynomial. The encoder solves the parity equations. The decoder solves the equations of the syndromes
for the locator, then the equations of the located symbols for their values. There is no division by a generator, no
recurrence, and no Forney formula.
"""

from functools import cache

import numpy as np


@cache
def _tables(m, polynomial):
    """Powers of alpha, twice in a row, and logarithms. The logarithm of 0 is an index after them, where the table is 0."""
    order = (1 << m) - 1
    powers, logs = np.zeros(4 * order + 2, dtype=np.int32), np.full(1 << m, 2 * order, dtype=np.int32)
    value = 1
    for exponent in range(order):
        powers[exponent] = powers[exponent + order] = value
        logs[value] = exponent
        value = value << 1 ^ (polynomial if value >> m - 1 else 0)
    return powers, logs, order


def _multiply(code, a, b):
    powers, logs, _ = _tables(code.field.m, code.field.polynomial)
    return powers[logs[a] + logs[b]]


def _inverse(code, a):
    powers, logs, order = _tables(code.field.m, code.field.polynomial)
    return powers[order - logs[a]]


def _locators(code):
    """alpha to the power of each symbol's exponent, in the order of transmission."""
    powers, _, order = _tables(code.field.m, code.field.polynomial)
    return powers[np.arange(code.n - 1, -1, -1) % order]


def _power(code, a, exponent):
    powers, logs, order = _tables(code.field.m, code.field.polynomial)
    return powers[logs[a] * exponent % order]


def _sums(code, symbols, factors):
    """Sum over the last axis of symbols times factors."""
    return np.bitwise_xor.reduce(_multiply(code, symbols, factors), axis=-1)


def _solve(code, matrices, right):
    """Solutions of a batch of square systems by Gauss-Jordan elimination, and which systems are regular."""
    a = np.concatenate([matrices, right[:, :, np.newaxis]], axis=2)
    batch, size = np.arange(len(a)), a.shape[1]
    regular = np.ones(len(a), dtype=bool)
    for column in range(size):
        pivot = column + (a[:, column:, column] != 0).argmax(axis=1)
        regular &= a[batch, pivot, column] != 0
        a[batch, column], a[batch, pivot] = a[batch, pivot].copy(), a[batch, column].copy()
        a[:, column] = _multiply(code, a[:, column], _inverse(code, a[:, column, column])[:, np.newaxis])
        for row in range(size):
            if row != column:
                a[:, row] ^= _multiply(code, a[:, column], a[:, row, column][:, np.newaxis])
    return a[:, :, size], regular


def syndromes(code, words):
    """Syndromes (count, n - k) of words (count, n): their values at the roots."""
    places = _locators(code)
    return np.stack([_sums(code, words, _power(code, places, code.first_root + j)) for j in range(code.n - code.k)], axis=1)


def encode(code, data):
    """Codewords (count, n) of data (count, k): the parity that makes every syndrome 0."""
    parity = code.n - code.k
    words = np.concatenate([data, np.zeros((len(data), parity), dtype=data.dtype)], axis=1).astype(np.int32)
    places = _locators(code)[code.k :]
    rows = np.stack([_power(code, places, code.first_root + j) for j in range(parity)])
    matrices = np.broadcast_to(rows, (len(words), parity, parity)).copy()
    words[:, code.k :], _ = _solve(code, matrices, syndromes(code, words))
    return words


def decode(code, words):
    """Decode words (count, n): ``(words, wrong, uncorrectable)`` are corrected words, numbers of corrected symbols, and flags.

    An uncorrectable word is as received, with 0 corrected symbols.
    """
    words = words.astype(np.int32)
    syndrome, fixed = syndromes(code, words), words.copy()
    wrong, open_ = np.zeros(len(words), dtype=int), syndrome.any(axis=1)
    for errors in range((code.n - code.k) // 2, 0, -1):
        rows = np.flatnonzero(open_)
        if not len(rows):
            break
        # Sum over l of S[i + l] lambda[errors - l] = S[i + errors]: regular for the true number of errors, not for greater
        # ones.
        s = syndrome[rows]
        hankel = np.stack([s[:, i : i + errors] for i in range(errors)], axis=1)
        found, regular = _solve(code, hankel, s[:, errors : 2 * errors])
        rows, s, locator = rows[regular], s[regular], found[regular]
        open_[rows] = False
        places, good = _places(code, locator)
        rows, s, places = rows[good], s[good], places[good]
        x = _locators(code)[places]
        matrices = np.stack([_power(code, x, code.first_root + j) for j in range(errors)], axis=1)
        values, regular = _solve(code, matrices, s[:, :errors])
        new = fixed[rows]
        np.put_along_axis(new, places, np.take_along_axis(new, places, 1) ^ values, 1)
        good = regular & (values != 0).all(axis=1) & ~syndromes(code, new).any(axis=1)
        fixed[rows[good]], wrong[rows[good]] = new[good], errors
    return fixed, wrong, syndrome.any(axis=1) & (wrong == 0)


def _places(code, locator):
    """Positions of the locator's roots, (count, errors), and whether a word has as many roots as errors."""
    count, errors = locator.shape
    x = _locators(code)
    value = np.broadcast_to(_power(code, x, errors), (count, code.n)).copy()
    for power in range(errors):
        value ^= _multiply(code, locator[:, power, np.newaxis], _power(code, x, power)[np.newaxis])
    root = value == 0
    good = root.sum(axis=1) == errors
    return np.argsort(~root, axis=1, kind="stable")[:, :errors], good
