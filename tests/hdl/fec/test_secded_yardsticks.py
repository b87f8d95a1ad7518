"""The SECDED baselines are working codecs. A comparison with a circuit that does not work would be worthless."""

from types import SimpleNamespace

import numpy as np
import pytest

from dsnswitch.hdl.baseline import PlainSecdedDecoder, PlainSecdedEncoder, plain_columns
from dsnswitch.hdl.fec.secded.code import CONSTRUCTIONS, SecdedCode
from dsnswitch.sim.golden.fec import secded


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
@pytest.mark.parametrize(("n", "k"), [(8, 4), (22, 16), (72, 64), (270, 260)])
def test_columns(construction, n, k):
    """Columns are different and have odd weight, so the distance is 4."""
    columns = plain_columns(construction, n, k)
    assert len(set(columns)) == len(columns) == n
    assert all(column.bit_count() % 2 for column in columns)


def test_hsiao_is_the_lightest_and_balanced():
    """120 columns of weight 3 and 140 of weight 5: 1,060 ones, 106 in every row."""
    columns = plain_columns("hsiao", 270, 260)[:260]
    weights = [column.bit_count() for column in columns]
    assert (weights.count(3), weights.count(5)) == (120, 140)
    assert [sum(column >> row & 1 for column in columns) for row in range(10)] == [106] * 10


def test_hamming_is_the_textbook_code():
    """Data at positions that are not powers of two; check bit j covers positions with bit j; a parity bit covers everything."""
    n, k = 22, 16
    code = SimpleNamespace(n=n, k=k, r=n - k, columns=plain_columns("hamming", n, k))
    words = secded.encode(code, np.eye(k, dtype=np.uint8))
    places = [place for place in range(1, 22) if place & (place - 1)][:k]
    for word, place in zip(words, places):
        assert [int(bit) for bit in word[k:-1]] == [place >> j & 1 for j in range(n - k - 1)]
    assert not (words.sum(axis=1) % 2).any()


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_every_word_of_eight_bits(simulate, construction):
    """The decoder takes the data of the codeword at distance 1, flags distance 2, and no word is farther from every codeword."""
    encoder, decoder = PlainSecdedEncoder(construction, 8, 4), PlainSecdedDecoder(construction, 8, 4)
    codewords = {}

    async def encodes(ctx):
        for data in range(16):
            ctx.set(encoder.data, data)
            await ctx.delay(1e-9)
            codewords[data] = ctx.get(encoder.word)

    async def decodes(ctx):
        for word in range(256):
            ctx.set(decoder.word, word)
            await ctx.delay(1e-9)
            distance, nearest = min(((word ^ codeword).bit_count(), data) for data, codeword in codewords.items())
            assert ctx.get(decoder.corrected) == (distance == 1)
            assert ctx.get(decoder.uncorrectable) == (distance == 2)
            assert ctx.get(decoder.data) == (nearest if distance < 2 else word & 15)

    simulate(encoder, encodes)
    assert all(codeword & 15 == data for data, codeword in codewords.items())
    simulate(decoder, decodes)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_bench(lab, construction, side):
    """Every pattern of up to two errors through the RTL."""
    values = {"block": f"baseline-secded-{side}", "n": 39, "k": 32, "construction": construction}
    assert lab.bench("secded_bench", values, [f"{side[:2]}codes"], words=200, errors=0, pairs=True) == 1


def test_ours_flags_more(lab):
    """The baseline corrects at every odd syndrome and flags no error of three bits, which the bench of our decoder detects."""
    values = {"block": "baseline-secded-decoder", "n": 39, "k": 32}
    with pytest.raises(Exception, match="failed"):
        lab.bench("secded_bench", values, ["decodes"], words=0, errors=1000, label="-triples")
    assert secded.triple_theory(SecdedCode(39, 32)) > 0.4
