"""Reed-Solomon encoder or decoder against the golden model.

Parameters: ``manifest`` (path), ``words`` (codewords), ``stall`` (probability), ``seed``; for a decoder also ``errors``: the
kind of errors (:data:`KINDS`), and ``bypass``.
"""

import random
from itertools import combinations, islice, product
from types import SimpleNamespace

import cocotb
import numpy as np

from ..golden.fec import reed_solomon as golden
from .drivers.lockstep import exchange, reset
from .drivers.parameters import load, load_manifest

PARAMETERS, MANIFEST = load(), load_manifest()
TOLD = MANIFEST["code"]
M, BEATS, WIDTH = TOLD["m"], TOLD["beats"], TOLD["symbols_a_beat"]
CODE = SimpleNamespace(
    n=TOLD["n"],
    k=TOLD["k"],
    first_root=TOLD["first_root"],
    field=SimpleNamespace(m=M, polynomial=TOLD["polynomial"], order=(1 << M) - 1),
)
T, STALL, BYPASS = (CODE.n - CODE.k) // 2, PARAMETERS["stall"], PARAMETERS.get("bypass", 0)
RANDOM = random.Random(PARAMETERS.get("seed", 1))
LATENCY = MANIFEST["latency_cycles"]


def value():
    return RANDOM.randrange(1, CODE.field.order + 1)


def anywhere(most):
    """Up to ``most`` wrong symbols at random places."""
    while True:
        yield {place: value() for place in RANDOM.sample(range(CODE.n), RANDOM.randint(0, most))}


def each_symbol():
    """One wrong symbol, everywhere in turn."""
    for place in range(CODE.n):
        yield {place: value()}


def bursts():
    """Up to 2 t symbols in a row from the end of one codeword into the next, then t in a row elsewhere."""
    for before in range(T + 1):
        yield {place: value() for place in range(CODE.n - before, CODE.n)}
        yield {place: value() for place in range(T)}
    for start in range(0, CODE.n - T + 1, max(1, CODE.n // 100)):
        yield {place: value() for place in range(start, start + T)}


def in_parity():
    """Up to t + 1 wrong symbols of the parity."""
    while True:
        places = RANDOM.sample(range(CODE.k, CODE.n), min(CODE.n - CODE.k, RANDOM.randint(1, T + 1)))
        yield {place: value() for place in places}


def every():
    """Every pattern of up to t wrong symbols."""
    for count in range(T + 1):
        for places in combinations(range(CODE.n), count):
            for values in product(range(1, CODE.field.order + 1), repeat=count):
                yield dict(zip(places, values))


#: Errors of one codeword after the other: wrong symbols and what is added to them.
KINDS = {
    "within": lambda: anywhere(T),
    "beyond": lambda: anywhere(min(CODE.n, T + 3)),
    "single": each_symbol,
    "bursts": bursts,
    "parity": in_parity,
    "every": every,
}


def beats_of(words):
    """Payloads of codewords (rows of symbols); what is not sent is noise."""
    shifts = [M * place for place in range(WIDTH)]
    for word in words.tolist():
        word = word + [RANDOM.getrandbits(M) for _ in range(BEATS * WIDTH - CODE.n)]
        for start in range(0, len(word), WIDTH):
            yield sum(symbol << shift for symbol, shift in zip(word[start : start + WIDTH], shifts))


def words_of(payloads):
    """Rows of symbols of the payloads of whole codewords; what is not sent must be 0."""
    mask, rows = (1 << M) - 1, []
    for start in range(0, len(payloads), BEATS):
        symbols = [p >> M * place & mask for p in payloads[start : start + BEATS] for place in range(WIDTH)]
        assert not any(symbols[CODE.n :])
        rows.append(symbols[: CODE.n])
    return np.array(rows)


def random_words(count):
    data = np.array([[RANDOM.getrandbits(M) for _ in range(CODE.k)] for _ in range(count)])
    return golden.encode(CODE, data)


def at_full_speed(found):
    return STALL or [at for _, at in found] == list(range(LATENCY, LATENCY + len(found)))


@cocotb.test(skip=MANIFEST["block"] != "rs-encoder")
async def encodes(dut):
    """Codewords one behind the other, with noise in the place of parity."""
    await reset(dut)
    want = random_words(PARAMETERS["words"])
    given = want.copy()
    given[:, CODE.k :] = np.random.default_rng(1).integers(0, CODE.field.order + 1, (len(want), CODE.n - CODE.k))
    found = await exchange(dut, list(beats_of(given)), len(want) * BEATS, STALL, PARAMETERS.get("seed", 1))
    assert (words_of([payload for payload, _ in found]) == want).all()
    assert at_full_speed(found)


def split(payload):
    """Symbols, last, errors, uncorrectable."""
    fields = next(port["fields"] for port in MANIFEST["ports"] if port["role"] == "output-payload")
    return [payload >> low & (1 << high - low + 1) - 1 for low, high in (field["bits"] for field in fields)]


def damaged():
    """``(sent, received)``."""
    patterns = list(islice(KINDS[PARAMETERS["errors"]](), PARAMETERS["words"]))
    sent = random_words(len(patterns))
    received = sent.copy()
    for row, pattern in enumerate(patterns):
        for place, error in pattern.items():
            received[row, place] ^= error
    return sent, received


async def decoded(dut, received, stall):
    """Run codewords through: words, and ``(errors, uncorrectable)`` of each."""
    found = await exchange(dut, list(beats_of(received)), len(received) * BEATS, stall, PARAMETERS.get("seed", 1))
    parts = [split(payload) for payload, _ in found]
    for place, (_, last, errors, uncorrectable) in enumerate(parts):
        assert last == (place % BEATS == BEATS - 1)
        assert last or not (errors or uncorrectable)
    return words_of([part[0] for part in parts]), [tuple(p[2:]) for p in parts[BEATS - 1 :: BEATS]], found


def counts(dut, received, fixed, wrong, bad):
    """Every counter against the golden model."""
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
    """Symbols, what is told of each codeword, and every counter. An uncorrectable word has at most t symbols changed."""
    await reset(dut)
    dut.bypass_correction.value = BYPASS
    dut.clear.value = 1
    sent, received = damaged()
    fixed, wrong, bad = golden.decode(CODE, received)
    if BYPASS:
        fixed, bad, wrong = received, golden.syndromes(CODE, received).any(axis=1), wrong * 0
    dut.clear.value = 0
    got, told, found = await decoded(dut, received, STALL)
    assert told == list(zip(wrong.tolist(), bad.astype(int).tolist()))
    assert (got[~bad] == fixed[~bad]).all()
    assert ((got != received).sum(axis=1) <= (0 if BYPASS else T)).all()
    assert at_full_speed(found)
    few = (sent != received).sum(axis=1) <= T
    assert BYPASS or (fixed[few] == sent[few]).all()
    await exchange(dut, [], 0)
    for _ in range(12):
        await exchange(dut, [], 0)
        await idle(dut)
    counts(dut, received, fixed, wrong, bad)


async def idle(dut):
    """A cycle without a beat."""
    dut.i_valid.value = 0
    for level in (0, 1):
        dut.clk.value = level
        await cocotb.triggers.Timer(5, unit="ns")


@cocotb.test(skip=MANIFEST["block"] != "rs-decoder")
async def forgets_what_a_reset_cut_off(dut):
    """Reset in the middle of a codeword, and while one is searched: the next one starts anew."""
    _, received = damaged()
    fixed, wrong, bad = golden.decode(CODE, received)
    for cut in (1, BEATS // 2, BEATS, BEATS + LATENCY // 2, 2 * BEATS + 1):
        await reset(dut)
        dut.bypass_correction.value = 0
        await exchange(dut, list(beats_of(received))[:cut], 0)
        for _ in range(cut % 3):
            await idle(dut)
        await reset(dut)
        got, told, _ = await decoded(dut, received[:3], 0)
        assert told == list(zip(wrong[:3].tolist(), bad[:3].astype(int).tolist()))
        assert (got[~bad[:3]] == fixed[:3][~bad[:3]]).all()
