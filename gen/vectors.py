"""Test vectors of Reed-Solomon and SECDED codes, for users' own benches (``vectors.schema.json``)."""

import json
import random
from typing import Any

from dsnswitch.gen.version import __version__
from dsnswitch.hdl.fec.reed_solomon import code as reed_solomon
from dsnswitch.hdl.fec.secded import code as secded

#: Names of all codes.
CODES = (*reed_solomon.NAMED, *secded.NAMED)


def number(symbols, m) -> int:
    """Symbols of m bits as one integer, the first in the lowest bits."""
    return sum(symbol << m * place for place, symbol in enumerate(symbols))


def wire(symbols, m) -> Any:
    """Hex text of symbols of m bits in the order in which they are sent.

    The lowest bit of a symbol is sent first. The first of eight bits is the lowest bit of a byte, and the last byte is padded
    with 0.
    """
    return number(symbols, m).to_bytes((m * len(symbols) + 7) // 8, "little").hex()


class _ReedSolomon:
    """A Reed-Solomon code as vectors need it."""

    def __init__(self, code):
        self._code = code
        self.n, self.k, self.m, self.t = code.n, code.k, code.field.m, code.t
        self.more = {"polynomial": code.field.polynomial, "first_root": code.first_root, "generator": list(code.generator)}

    def encode(self, data):
        return reed_solomon.encode(self._code, data)

    def decode(self, word):
        """Syndromes, corrected symbols, and whether the word is uncorrectable."""
        found = reed_solomon.decode(self._code, word)
        return reed_solomon.syndromes(self._code, word), found.positions, found.uncorrectable


class _Secded:
    """A SECDED code as vectors need it. Its symbols are bits, and it has one syndrome."""

    m = t = 1

    def __init__(self, code):
        self._code = code
        self.n, self.k = code.n, code.k
        self.more = {"columns": list(code.columns)}

    def encode(self, data):
        word = secded.encode(self._code, number(data, 1))
        return [word >> place & 1 for place in range(self.n)]

    def decode(self, word):
        """Syndromes, corrected bits, and whether the word is uncorrectable."""
        word = number(word, 1)
        found = secded.decode(self._code, word)
        corrected = () if found.position is None else (found.position,)
        return (secded.syndrome(self._code, word),), corrected, found.uncorrectable


def _code(name):
    if name in secded.NAMED:
        return _Secded(secded.NAMED[name])
    return _ReedSolomon(reed_solomon.NAMED[name])


def vectors(name, words, seed) -> str:
    """JSON text of test vectors of the code ``name``, one for each number i in the iterable ``words``.

    Data, codeword and received word are given twice: as packed bytes (:func:`wire`), and as lists of symbols in the order in
    which they are sent. A symbol of a SECDED code is a bit. Word i has i modulo (t + 2) wrong symbols, so some words cannot be
    corrected.
    """
    code, rng = _code(name), random.Random(seed)
    m, entries = code.m, []
    for index in words:
        data = tuple(rng.randrange(1 << m) for _ in range(code.k))
        sent = code.encode(data)
        errors = {place: rng.randrange(1, 1 << m) for place in sorted(rng.sample(range(code.n), index % (code.t + 2)))}
        received = [symbol ^ errors.get(place, 0) for place, symbol in enumerate(sent)]
        syndromes, corrected, uncorrectable = code.decode(received)
        entries.append(
            {
                "data": wire(data, m),
                "codeword": wire(sent, m),
                "received": wire(received, m),
                "data_symbols": list(data),
                "codeword_symbols": list(sent),
                "received_symbols": list(received),
                "errors": [{"symbol": place, "value": value} for place, value in errors.items()],
                "syndromes": list(syndromes),
                "corrected": list(corrected),
                "uncorrectable": uncorrectable,
            }
        )
    head = {
        "format": "dsnswitch-vectors",
        "version": 2,
        "generator": f"dsnswitch {__version__}",
        "seed": seed,
        "code": {"name": name, "n": code.n, "k": code.k, "m": m, **code.more},
        "vectors": entries,
    }
    return json.dumps(head, indent=1) + "\n"
