"""The input ``bypass_correction`` of the Reed-Solomon decoder while codewords are in the decoder, on Amaranth's simulator."""

import random
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from dsnswitch.hdl.fec.reed_solomon.code import NAMED, counters
from dsnswitch.hdl.fec.reed_solomon.decoder import RsDecoder
from dsnswitch.sim.golden.fec import reed_solomon as golden

CODE, WIDTH, BEATS = NAMED["rs-7-3"], 2, 4
MODEL = SimpleNamespace(
    n=7, k=3, first_root=CODE.first_root, field=SimpleNamespace(m=3, polynomial=CODE.field.polynomial, order=7)
)


def received(rng, count):
    """Codewords with zero to three wrong symbols."""
    words = golden.encode(MODEL, np.array([[rng.randrange(8) for _ in range(3)] for _ in range(count)]))
    for word in words:
        for place in rng.sample(range(7), rng.choice((0, 1, 2, 2, 3))):
            word[place] ^= rng.randrange(1, 8)
    return words


def either_corrects_or_not(simulate, kind):
    """The input changes in half of the cycles. Every codeword is corrected in all its beats, or in none; the counters agree."""
    rng, decoder = random.Random(1), kind(CODE, WIDTH)
    words = received(rng, 150)
    fixed, wrong, bad = golden.decode(MODEL, words)
    detected = golden.syndromes(MODEL, words).any(axis=1)
    beats = [[*word, 0][place : place + WIDTH] for word in words.tolist() for place in range(0, 8, WIDTH)]
    seen, counts = [], Counter()

    def check(number, symbols, errors, uncorrectable):
        """Whether this codeword was corrected; None if a correction would not change it."""
        passed = symbols == words[number].tolist() and (errors, uncorrectable) == (0, detected[number])
        changed = (symbols == fixed[number].tolist() or bad[number]) and (errors, uncorrectable) == (
            0 if bad[number] else wrong[number],
            bad[number],
        )
        assert passed or changed, f"codeword {number} is neither corrected nor as received"
        counts.update(codewords=1, corrected=errors > 0, uncorrectable=uncorrectable, symbol_errors=errors)
        if errors:
            for place, (before, after) in enumerate(zip(words[number].tolist(), symbols)):
                counts[f"corrected_bits_{place % WIDTH}"] += (before ^ after).bit_count()
        return None if passed == changed else changed

    async def bench(ctx):
        place, symbols = 0, []
        ctx.set(decoder.o.ready, 1)
        while len(seen) < len(words):
            ctx.set(decoder.bypass_correction, rng.randrange(2))
            ctx.set(decoder.i.valid, place < len(beats))
            first, second = beats[min(place, len(beats) - 1)]
            ctx.set(decoder.i.payload, first | second << 3)
            moves = ctx.get(decoder.i.ready) and place < len(beats)
            if ctx.get(decoder.o.valid):
                beat = ctx.get(decoder.o.payload)
                symbols += [beat.symbols & 7, beat.symbols >> 3]
                if beat.last:
                    seen.append(check(len(seen), symbols[:7], beat.errors, beat.uncorrectable))
                    symbols = []
            await ctx.tick()
            place += moves
        await ctx.tick().repeat(8)
        assert {name: ctx.get(getattr(decoder, name)) for name in counters(WIDTH)} == counts

    simulate(decoder, bench, clocked=True)
    assert min(seen.count(True), seen.count(False)) > 30


def test_bypass_is_read_once_a_codeword(simulate):
    either_corrects_or_not(simulate, RsDecoder)


@pytest.mark.parametrize(
    ("method", "old", "new"),
    [
        ("_correct", "~here.codeword.bypass", "~self.bypass_correction"),
        ("_send", "Mux(codeword.bypass,", "Mux(self.bypass_correction,"),
        ("_send", "& ~codeword.bypass,", "& ~self.bypass_correction,"),
    ],
    ids=["corrections", "verdict", "errors"],
)
def test_bypass_that_is_read_live_is_noticed(simulate, mutant, method, old, new):
    with pytest.raises(AssertionError, match="neither corrected nor as received"):
        either_corrects_or_not(simulate, mutant(RsDecoder, method, old, new))
