"""Bench of a SECDED encoder or decoder, or of a baseline of one, against the golden model.

Parameters: ``manifest`` (path), ``words`` (number of random words), ``pairs`` (true for all errors of up to two bits),
``errors`` (number of random errors of up to three bits), ``seed``.
"""

from itertools import combinations

import cocotb

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, RANDOM, code_of
from dsnswitch.sim.bench.drivers.lockstep import settle, start
from dsnswitch.sim.golden.fec import secded

CODE = code_of(MANIFEST["code"])


async def answers(dut, side, inputs, name, outputs):
    """Values of ``outputs`` for each value of the input ``name`` of the encoder or the decoder: the top has one or both."""
    prefix = f"{side}_" if MANIFEST["block"] == "secded" else ""
    late, found = max(MANIFEST["latency_cycles"] - 1, 0), []
    await start(dut)
    for value in [*inputs, *inputs[-1:] * late]:
        getattr(dut, prefix + name).value = value
        await settle(dut)
        found.append(tuple(int(getattr(dut, prefix + output).value) for output in outputs))
    return found[late:]


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
    found = await answers(dut, "encoder", data, "data", ["word"])
    assert [word for (word,) in found] == secded.numbers(secded.encode(CODE, secded.words(data, CODE.k)))


@cocotb.test(skip=MANIFEST["block"].endswith("secded-encoder"))
async def decodes(dut):
    """Each error on random data gives the golden outputs; one wrong bit is corrected, and two are uncorrectable."""
    errors = error_patterns()
    data = [RANDOM.getrandbits(CODE.k) for _ in errors]
    sent = secded.numbers(secded.encode(CODE, secded.words(data, CODE.k)))
    received = [word ^ error for word, error in zip(sent, errors)]
    onehot = next((p["encoding"] == "one-hot" for p in MANIFEST["ports"] if p["role"] == "position"), None)
    names = ["data", "corrected", "uncorrectable", *(["position"] if onehot is not None else [])]
    found = await answers(dut, "decoder", received, "word", names)
    fixed, corrected, uncorrectable, positions = secded.decode(CODE, secded.words(received, CODE.n))
    assert len(found) == len(errors)
    for index, got in enumerate(zip(secded.numbers(fixed), corrected, uncorrectable, positions)):
        *want, place = map(int, got)
        if onehot is not None:
            want.append(0 if place < 0 else 1 << place if onehot else place)
        assert found[index] == tuple(want), f"error {errors[index]:x}"
        wrong = errors[index].bit_count()
        if wrong <= 2:
            assert found[index][1:3] == (wrong == 1, wrong == 2)
        if wrong <= 1:
            assert found[index][0] == data[index]
