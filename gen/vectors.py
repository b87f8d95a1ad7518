"""Test vectors of Reed-Solomon codes, for users' own benches (``docs/vectors.schema.json``)."""

import json
import random

from dsnswitch.gen.version import __version__
from dsnswitch.hdl.fec.reed_solomon.code import NAMED, decode, encode, syndromes


def wire(symbols, m):
    """Hex text of symbols of m bits in the order in which they are sent.

    The lowest bit of a symbol is sent first. The first of eight bits is the lowest bit of a byte, and the last byte is padded
    with 0.
    """
    bits = sum(symbol << m * place for place, symbol in enumerate(symbols))
    return bits.to_bytes((m * len(symbols) + 7) // 8, "little").hex()


def vectors(name, words, seed):
    """JSON text of test vectors of the code ``name``, one for each number i in the iterable ``words``.

    Data, codeword and received word are given twice: as packed bytes (:func:`wire`), and as lists of symbols in the order in
    which they are sent. Word i has i modulo (t + 2) wrong symbols, so some words cannot be corrected.
    """
    code, rng = NAMED[name], random.Random(seed)
    m, entries = code.field.m, []
    for index in words:
        data = tuple(rng.randrange(1 << m) for _ in range(code.k))
        sent = encode(code, data)
        errors = {place: rng.randrange(1, 1 << m) for place in sorted(rng.sample(range(code.n), index % (code.t + 2)))}
        received = [symbol ^ errors.get(place, 0) for place, symbol in enumerate(sent)]
        decoded = decode(code, received)
        entries.append(
            {
                "data": wire(data, m),
                "codeword": wire(sent, m),
                "received": wire(received, m),
                "data_symbols": list(data),
                "codeword_symbols": list(sent),
                "received_symbols": list(received),
                "errors": [{"symbol": place, "value": value} for place, value in errors.items()],
                "syndromes": list(syndromes(code, received)),
                "corrected": list(decoded.positions),
                "uncorrectable": decoded.uncorrectable,
            }
        )
    head = {
        "format": "dsnswitch-vectors",
        "version": 2,
        "generator": f"dsnswitch {__version__}",
        "seed": seed,
        "code": {
            "name": name,
            "n": code.n,
            "k": code.k,
            "m": m,
            "polynomial": code.field.polynomial,
            "first_root": code.first_root,
            "generator": list(code.generator),
        },
        "vectors": entries,
    }
    return json.dumps(head, indent=1) + "\n"
