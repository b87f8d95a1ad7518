"""Bench of a Reed-Solomon encoder or decoder, against the golden model.

Parameters: ``manifest`` (path), ``seed``, ``cases``: a list of ``words`` (number of codewords), ``stall`` (probability); for a
decoder also ``errors`` (:data:`KINDS` of errors) and ``bypass``. A test runs all cases, one after the other.
"""

from itertools import combinations, islice, product
from types import SimpleNamespace

import cocotb
import numpy as np

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, RANDOM, SEED, code_of
from dsnswitch.sim.bench.drivers.lockstep import at_full_speed, begin, exchange, tick
from dsnswitch.sim.golden.fec import reed_solomon as golden

STATED = MANIFEST["code"]
M, BEATS, WIDTH = STATED["m"], STATED["beats"], STATED["symbols_a_beat"]
CODE, ORDER = code_of(STATED), (1 << M) - 1
T = (CODE.n - CODE.k) // 2
CASES = [SimpleNamespace(**{"stall": 0, "errors": "beyond", "bypass": 0} | case) for case in PARAMETERS["cases"]]
LATENCY = MANIFEST["latency_cycles"]


def value():
    return RANDOM.randrange(1, ORDER + 1)


def anywhere(most):
    """Up to ``most`` wrong symbols at random positions."""
    while True:
        yield {symbol: value() for symbol in RANDOM.sample(range(CODE.n), RANDOM.randint(0, most))}


def each_symbol():
    """One wrong symbol, at each position in turn."""
    for symbol in range(CODE.n):
        yield {symbol: value()}


def bursts():
    """Bursts: up to 2 t symbols across the end of a codeword into the next one, then t symbols at other positions."""
    for before in range(T + 1):
        yield {symbol: value() for symbol in range(CODE.n - before, CODE.n)}
        yield {symbol: value() for symbol in range(T)}
    for start in range(0, CODE.n - T + 1, max(1, CODE.n // 100)):
        yield {symbol: value() for symbol in range(start, start + T)}


def in_parity():
    """Up to t + 1 wrong symbols of the parity."""
    while True:
        symbols = RANDOM.sample(range(CODE.k, CODE.n), min(CODE.n - CODE.k, RANDOM.randint(1, T + 1)))
        yield {symbol: value() for symbol in symbols}


def every():
    """Every pattern of up to t wrong symbols."""
    for count in range(T + 1):
        for symbols in combinations(range(CODE.n), count):
            for values in product(range(1, ORDER + 1), repeat=count):
                yield dict(zip(symbols, values))


#: Kinds of errors: generators of ``{symbol: error}`` for one codeword after the other.
KINDS = {
    "within": lambda: anywhere(T),
    "beyond": lambda: anywhere(min(CODE.n, T + 3)),
    "single": each_symbol,
    "bursts": bursts,
    "parity": in_parity,
    "every": every,
}


def beats_of(words):
    """Payloads of codewords (rows of symbols), with random padding."""
    shifts = [M * symbol for symbol in range(WIDTH)]
    for word in words.tolist():
        word = word + [RANDOM.getrandbits(M) for _ in range(BEATS * WIDTH - CODE.n)]
        for start in range(0, len(word), WIDTH):
            yield sum(symbol << shift for symbol, shift in zip(word[start : start + WIDTH], shifts))


def words_of(payloads):
    """Rows of symbols of the payloads of whole codewords, whose padding must be 0."""
    mask, rows = (1 << M) - 1, []
    for start in range(0, len(payloads), BEATS):
        symbols = [p >> M * index & mask for p in payloads[start : start + BEATS] for index in range(WIDTH)]
        assert not any(symbols[CODE.n :])
        rows.append(symbols[: CODE.n])
    return np.array(rows)


def random_words(count):
    data = np.array([[RANDOM.getrandbits(M) for _ in range(CODE.k)] for _ in range(count)])
    return golden.encode(CODE, data)


@cocotb.test(skip=MANIFEST["block"] != "rs-encoder")
async def encodes(dut):
    """Codewords without gaps, with random input symbols at the positions of the parity."""
    for case in CASES:
        await begin(dut)
        want = random_words(case.words)
        given = want.copy()
        given[:, CODE.k :] = np.random.default_rng(1).integers(0, ORDER + 1, (len(want), CODE.n - CODE.k))
        found = await exchange(dut, list(beats_of(given)), len(want) * BEATS, case.stall, SEED)
        assert (words_of([payload for payload, _ in found]) == want).all()
        assert at_full_speed(found, case.stall)


def split(payload):
    """The fields of a decoded beat: symbols, last, errors, uncorrectable."""
    fields = next(port["fields"] for port in MANIFEST["ports"] if port["role"] == "output-payload")
    return [payload >> low & (1 << high - low + 1) - 1 for low, high in (field["bits"] for field in fields)]


def damaged(case):
    """Codewords ``(sent, received)``, with the errors of a case."""
    patterns = list(islice(KINDS[case.errors](), case.words))
    sent = random_words(len(patterns))
    received = sent.copy()
    for row, pattern in enumerate(patterns):
        for symbol, error in pattern.items():
            received[row, symbol] ^= error
    return sent, received


async def decoded(dut, received, stall):
    """Decode codewords: returns words, ``(errors, uncorrectable)`` of each, and the transfers."""
    found = await exchange(dut, list(beats_of(received)), len(received) * BEATS, stall, SEED)
    parts = [split(payload) for payload, _ in found]
    for beat, (_, last, errors, uncorrectable) in enumerate(parts):
        assert last == (beat % BEATS == BEATS - 1)
        assert last or not (errors or uncorrectable)
    return words_of([part[0] for part in parts]), [tuple(p[2:]) for p in parts[BEATS - 1 :: BEATS]], found


def counts(dut, received, fixed, wrong, bad):
    """Check every counter against the golden model."""
    assert int(dut.codewords.value) == len(received)
    assert int(dut.corrected.value) == (wrong > 0).sum()
    assert int(dut.uncorrectable.value) == bad.sum()
    assert int(dut.symbol_errors.value) == wrong.sum()
    lanes = sum(port["name"].startswith("corrected_bits_") for port in MANIFEST["ports"])
    for lane in range(lanes):
        changes = (received ^ fixed)[:, lane::lanes].ravel().tolist()
        assert int(getattr(dut, f"corrected_bits_{lane}").value) == sum(map(int.bit_count, changes)), lane


@cocotb.test(skip=MANIFEST["block"] != "rs-decoder")
async def decodes(dut):
    """Symbols, results of each codeword, and every counter. An uncorrectable codeword has at most t changed symbols."""
    for case in CASES:
        await begin(dut, bypass_correction=case.bypass)
        sent, received = damaged(case)
        fixed, wrong, bad = golden.decode(CODE, received)
        if case.bypass:
            fixed, bad, wrong = received, golden.syndromes(CODE, received).any(axis=1), wrong * 0
        got, results, found = await decoded(dut, received, case.stall)
        assert results == list(zip(wrong.tolist(), bad.astype(int).tolist()))
        assert (got[~bad] == fixed[~bad]).all()
        assert ((got != received).sum(axis=1) <= (0 if case.bypass else T)).all()
        assert at_full_speed(found, case.stall)
        few = (sent != received).sum(axis=1) <= T
        assert case.bypass or (fixed[few] == sent[few]).all()
        await exchange(dut, [], 0)
        for _ in range(12):
            await exchange(dut, [], 0)
            await idle(dut)
        counts(dut, received, fixed, wrong, bad)


async def idle(dut):
    """A cycle without a beat."""
    dut.i_valid.value = 0
    await tick(dut)


@cocotb.test(skip=MANIFEST["block"] != "rs-decoder")
async def forgets_what_a_reset_cut_off(dut):
    """After a reset in the middle of a codeword, or during the search for its errors, the next codeword is decoded correctly."""
    _, received = damaged(CASES[0])
    fixed, wrong, bad = golden.decode(CODE, received)
    for cut in (1, BEATS // 2, BEATS, BEATS + LATENCY // 2, 2 * BEATS + 1):
        await begin(dut)
        await exchange(dut, list(beats_of(received))[:cut], 0)
        for _ in range(cut % 3):
            await idle(dut)
        await begin(dut)
        got, results, _ = await decoded(dut, received[:3], 0)
        assert results == list(zip(wrong[:3].tolist(), bad[:3].astype(int).tolist()))
        assert (got[~bad[:3]] == fixed[:3][~bad[:3]]).all()
