"""Bench of a SECDED encoder or decoder, or of a baseline of one, against the golden model.

Parameters: ``manifest`` (path), ``words`` (number of random words), ``pairs`` (true for all errors of up to two bits),
``errors`` (number of random errors of up to three bits), ``seed``.
"""

import random
from itertools import combinations

import cocotb

from dsnswitch.sim.bench.drivers.pins import code_of, load, load_manifest, numbers, run_through
from dsnswitch.sim.golden.fec import secded

PARAMETERS, MANIFEST = load(), load_manifest()
CODE = code_of(MANIFEST)
RANDOM = random.Random(PARAMETERS.get("seed", 1))


def port(dut, side, name):
    """Port of the encoder or of the decoder, in a top with one or with both of them."""
    return getattr(dut, f"{side}_{name}" if MANIFEST["block"] == "secded" else name)


def error_patterns():
    """Errors as integers."""
    patterns = [RANDOM.sample(range(CODE.n), RANDOM.randrange(4)) for _ in range(PARAMETERS["errors"])]
    if PARAMETERS.get("pairs"):
        patterns += [bits for count in (0, 1, 2) for bits in combinations(range(CODE.n), count)]
    return [sum(1 << bit for bit in bits) for bits in patterns]


@cocotb.test(skip=MANIFEST["block"].endswith("secded-decoder"))
async def encodes(dut):
    """Every basis vector, 0, all ones and random data get the golden check bits."""
    data = [0, (1 << CODE.k) - 1, *(1 << bit for bit in range(CODE.k))]
    data += [RANDOM.getrandbits(CODE.k) for _ in range(PARAMETERS["words"])]

    def drive(dut, value):
        port(dut, "encoder", "data").value = value

    def sample(dut):
        return int(port(dut, "encoder", "word").value)

    found = await run_through(dut, MANIFEST, data, drive, sample)
    assert found == numbers(secded.encode(CODE, secded.words(data, CODE.k)))


@cocotb.test(skip=MANIFEST["block"].endswith("secded-encoder"))
async def decodes(dut):
    """Each error on random data gives the golden outputs; one wrong bit is corrected, and two are uncorrectable."""
    errors = error_patterns()
    data = [RANDOM.getrandbits(CODE.k) for _ in errors]
    sent = numbers(secded.encode(CODE, secded.words(data, CODE.k)))
    received = [word ^ error for word, error in zip(sent, errors)]
    onehot = next((p["encoding"] == "one-hot" for p in MANIFEST["ports"] if p["role"] == "position"), None)

    def drive(dut, value):
        port(dut, "decoder", "word").value = value

    def sample(dut):
        names = ("data", "corrected", "uncorrectable", *(() if onehot is None else ("position",)))
        values = [int(port(dut, "decoder", name).value) for name in names]
        return *values[:3], 0 if onehot is None else values[3]

    found = await run_through(dut, MANIFEST, received, drive, sample)
    fixed, corrected, uncorrectable, positions = secded.decode(CODE, secded.words(received, CODE.n))
    assert len(found) == len(errors)
    for index, got in enumerate(zip(numbers(fixed), corrected, uncorrectable, positions)):
        want = list(got)
        want[3] = 0 if want[3] < 0 or onehot is None else 1 << int(want[3]) if onehot else int(want[3])
        assert found[index] == tuple(map(int, want)), f"error {errors[index]:x}"
        wrong = errors[index].bit_count()
        if wrong <= 2:
            assert found[index][1:3] == (wrong == 1, wrong == 2)
        if wrong <= 1:
            assert found[index][0] == data[index]
