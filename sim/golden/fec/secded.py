"""Model of SECDED codes: batches of words as numpy arrays of bits, by the definition of a linear code.

It is independent of the hardware and of its plain-integer codec: it takes only the columns of the code. All results are
products modulo 2 with the parity check matrix, and errors are found by comparing syndromes with its columns.
"""

import numpy as np


def parity_check(code):
    """Parity check matrix, (r, n) of 0 and 1: column i is the syndrome of an error in bit i."""
    columns = np.array(code.columns, dtype=np.int64)
    return ((columns[np.newaxis, :] >> np.arange(code.r)[:, np.newaxis]) & 1).astype(np.uint8)


def words(numbers, width):
    """Bits of integers, (count, width): bit i is in column i."""
    size = (width + 7) // 8
    packed = np.frombuffer(b"".join(number.to_bytes(size, "little") for number in numbers), dtype=np.uint8)
    return np.unpackbits(packed.reshape(len(numbers), size), axis=1, bitorder="little")[:, :width]


def numbers(bits):
    """Integers of rows of bits, as :func:`words` takes them."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(bits, axis=1, bitorder="little")]


def encode(code, data):
    """Codewords (count, n) of data (count, k): the check bits that make every parity even."""
    checks = parity_check(code)
    return np.concatenate([data, data @ checks[:, : code.k].T % 2], axis=1).astype(np.uint8)


def decode(code, received):
    """Decode words (count, n): ``(data, corrected, uncorrectable, position)``; the position is -1 if no bit was corrected."""
    checks = parity_check(code)
    syndromes = received.astype(np.int64) @ checks.T % 2 @ (1 << np.arange(code.r))
    place_of = np.full(1 << code.r, -1)
    place_of[list(code.columns)] = np.arange(code.n)
    position = place_of[syndromes]
    corrected = position >= 0
    fixed = received.copy()
    rows = np.flatnonzero(corrected)
    fixed[rows, position[rows]] ^= 1
    return fixed[:, : code.k], corrected, (syndromes != 0) & ~corrected, position


def accepted(code, received):
    """Whether each word of (count, n) is a codeword: what a decoder accepts that corrects nothing."""
    return ~(received.astype(np.int64) @ parity_check(code).T % 2).any(axis=1)


def triple_theory(code):
    """Exact share of errors of three bits that are flagged.

    Three columns sum to a fourth column, and the error is miscorrected, or to no column, and it is flagged. The share
    follows from the number of codewords of weight 4, each of which has four triples that sum to the fourth column.
    """
    n, counts = code.n, np.zeros(1 << code.r, dtype=np.int64)
    columns = np.array(code.columns)
    a, b = np.triu_indices(n, 1)
    np.add.at(counts, columns[a] ^ columns[b], 1)
    # Two pairs with equal sums are disjoint; each codeword of weight 4 is three such pairs of pairs.
    fours = (counts * (counts - 1) // 2).sum() // 3
    return 1 - 4 * fours / (n * (n - 1) * (n - 2) / 6)
