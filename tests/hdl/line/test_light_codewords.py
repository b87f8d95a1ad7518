"""Codewords of the light line: the encoder against a bit-serial descrambler, and a receiver that only detects wrong bits."""

import random
from types import SimpleNamespace

import pytest

from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.hdl.fec.secded.coders import SecdedChecker
from dsnswitch.hdl.line import light
from dsnswitch.hdl.line.light import LightLineRx, LineEncoder
from dsnswitch.hdl.line.rates import CODE
from dsnswitch.sim.golden.fec import secded

from ..port.random_blocks import blocks, check

#: Bits of a body, and the headers of 256b/260b.
BODY, HEADERS = (1 << 256) - 1, {1: light.DATA, 0: light.CONTROL}


def read_codewords(simulate, count):
    """Random blocks with stalls of the line: each codeword is valid, and its descrambled body is the block."""
    unit, rng, line = LineEncoder(), random.Random(3), 0

    async def bench(ctx):
        nonlocal line
        words = []
        for number, (kind, values) in enumerate(blocks(count)):
            for name, value in values.items():
                ctx.set(getattr(unit, name), value)
            taken = False
            while not taken:
                ctx.set(unit.o.ready, rng.random() < 0.7)
                taken = ctx.get(unit.taken)
                await ctx.tick()
            word = ctx.get(unit.o.payload)
            words.append(word)
            assert word & 15 == HEADERS[values["is_data"]]
            body, before = word >> 4 & BODY, line
            line = before >> 256 | body << 58
            # Bit i of the plain body is the sum of bits i, i - 39 and i - 58 on the line.
            plain = (line >> 58 ^ line >> 58 - 39 ^ line) & BODY
            if number:
                seen = {"plain": plain, "is_data": values["is_data"], "no_start": kind == "idle"}
                check(SimpleNamespace(**seen), SimpleNamespace(get=lambda value: value), kind, values)
        assert secded.accepted(CODE, secded.words(words, CODE.n)).all()

    simulate(unit, bench, clocked=True)


def test_codewords(simulate):
    read_codewords(simulate, 60)


def test_broken_encoder_is_noticed(simulate, mutate):
    mutate(LineEncoder, "elaborate", "Mux(self.is_data, of_end", "Mux(self.carries, of_end")
    with pytest.raises(AssertionError):
        read_codewords(simulate, 4)


@pytest.mark.parametrize(("n", "k"), [(8, 4), (13, 8)])
def test_checker_accepts_codewords_alone(simulate, n, k):
    code, found = SecdedCode(n, k), []
    unit = SecdedChecker(code)

    async def bench(ctx):
        for word in range(1 << n):
            ctx.set(unit.word, word)
            found.append(not ctx.get(unit.uncorrectable))
            assert ctx.get(unit.data) == word & (1 << k) - 1
            assert not ctx.get(unit.corrected)
            assert not ctx.get(unit.position)

    simulate(unit, bench)
    assert found == secded.accepted(code, secded.words(range(1 << n), n)).tolist()


def counted(simulate, detect, errors):
    """Numbers of bad blocks, of corrected and of uncorrectable codewords among those with the wrong bits ``errors``."""
    receiver, total = LightLineRx(detect=detect), dict.fromkeys(("bad", "corrected", "uncorrectable"), 0)
    rng = random.Random(5)
    data = [HEADERS[rng.getrandbits(1)] | rng.getrandbits(256) << 4 for _ in range(72 + 2 * len(errors))]
    words = secded.numbers(secded.encode(CODE, secded.words(data, CODE.k)))

    async def bench(ctx):
        ctx.set(receiver.i.valid, 1)
        for number, word in enumerate(words):
            place, off = divmod(number - 70, 2)
            ctx.set(receiver.i.payload, word ^ (errors[place] if 0 <= place < len(errors) and not off else 0))
            total["bad"] += number >= 70 and ctx.get(receiver.bad)
            for name in ("corrected", "uncorrectable"):
                total[name] += ctx.get(getattr(receiver, name))
            await ctx.tick()
        assert ctx.get(receiver.locked)

    simulate(receiver, bench, clocked=True)
    return tuple(total.values())


def test_each_wrong_bit_is_detected(simulate):
    """Single bits of header, body and check bits, and two or three random bits."""
    rng = random.Random(4)
    singles = [1 << bit for bit in (0, 3, 4, 100, 259, 260, 269)]
    errors = [sum(1 << bit for bit in rng.sample(range(CODE.n), size)) for size in (2, 3) for _ in range(5)]
    assert counted(simulate, True, singles + errors) == (17, 0, 17)
    assert counted(simulate, False, singles) == (0, 7, 0)
