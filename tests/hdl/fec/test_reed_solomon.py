"""Reed-Solomon: field, code, plain integers, golden model; compared with published words and with reedsolo."""

import random
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
import reedsolo
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.hdl.fec.reed_solomon.code import NAMED, ReedSolomonCode, decode, encode, syndromes
from dsnswitch.hdl.gf.field import Field
from dsnswitch.sim.golden.fec import reed_solomon as golden

# Public test vectors: parity of RS(544,514), hex, for message[i] = i and (73 i + 19) mod 1024.
PUBLISHED = [
    (
        range(514),
        "04c 256 00d 228 1bc 324 0a6 2b2 18d 316 044 002 30f 37e 021 208 14d 290 25b 269 03c 3b2 1f9 278 25e 2e5 00a 253 2ee 3db",
    ),
    (
        [(73 * i + 19) % 1024 for i in range(514)],
        "22c 392 3e0 228 10c 1bc 13c 23f 0c3 350 24e 12a 00c 1e5 132 3b4 151 008 004 305 2e4 0e8 31f 25d 006 1c4 0f2 01f 012 239",
    ),
]


def carryless(field, a, b):
    """Product by the definition: shift and add, then reduce."""
    product_ = 0
    for bit in range(field.m):
        product_ ^= (a << bit) * (b >> bit & 1)
    for bit in range(2 * field.m - 2, field.m - 1, -1):
        product_ ^= (field.polynomial << bit - field.m) * (product_ >> bit & 1)
    return product_


@pytest.mark.parametrize("field", [Field(2, 0x7), Field(3, 0xB), Field(4, 0x13)])
def test_small_fields(field):
    """Every product is that of the definition, and every quotient times its denominator is the numerator."""
    for a, b in product(range(1 << field.m), repeat=2):
        assert field.multiply(a, b) == carryless(field, a, b)
        assert not b or field.divide(field.multiply(a, b), b) == a


@given(st.sampled_from([Field(8, 0x11D), Field(10, 0x409)]), st.integers(0, 1023), st.integers(0, 1023))
def test_large_fields(field, a, b):
    a, b = a & field.order, b & field.order
    assert field.multiply(a, b) == carryless(field, a, b)
    assert field.multiply(field.power(5), field.power(-5)) == 1


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Field(1, 3), ValueError, r"Field m must be in 2\.\.16, not 1"),
        (lambda: Field(8, 0x409), ValueError, r"Polynomial of GF\(2\*\*8\) must have degree 8, not 0x409"),
        (lambda: Field(4, 0x1F), ValueError, r"Polynomial of GF\(2\*\*4\) must be primitive, not 0x1f"),
        (lambda: Field(2, 0x4), ValueError, r"Polynomial of GF\(2\*\*2\) must be primitive, not 0x4"),
        (lambda: Field(4, "x"), TypeError, "Field polynomial must be an integer, not 'x'"),
        (lambda: ReedSolomonCode(8, 3, Field(3, 0xB)), ValueError, r"n over GF\(2\*\*3\) must be in 3\.\.7, not 8"),
        (lambda: ReedSolomonCode(7, 6, Field(3, 0xB)), ValueError, r"k must be in 1\.\.5, not 6"),
        (lambda: ReedSolomonCode(7, 3, Field(3, 0xB), 7), ValueError, r"first root must be in 0\.\.6, not 7"),
        (lambda: ReedSolomonCode(7, 3.0, Field(3, 0xB)), TypeError, "k must be an integer, not 3.0"),
        (lambda: encode(NAMED["rs-7-3"], [1, 2]), ValueError, "data must have 3 symbols, not 2"),
        (lambda: decode(NAMED["rs-7-3"], [8] * 7), ValueError, r"symbols must be in 0\.\.7, not 8"),
        (lambda: Field(3, 0xB).divide(1, 0), ZeroDivisionError, r"division by 0 in GF\(2\*\*3\)"),
    ],
)
def test_bad_parameters(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_generator_of_528_514():
    """The coefficients of Clause 91's Table 91-1, from memory; an independent calculation agrees."""
    assert NAMED["rs-528-514"].generator == (432, 290, 945, 265, 592, 391, 614, 900, 925, 656, 32, 701, 6, 904, 1)


@pytest.mark.parametrize(("message", "parity"), PUBLISHED)
def test_published_words(message, parity):
    code = NAMED["rs-544-514"]
    word = encode(code, list(message))
    assert " ".join(f"{symbol:03x}" for symbol in word[514:]) == parity
    assert golden.encode(code, np.array([list(message)])).tolist() == [list(word)]


def test_every_error_of_rs_7_3():
    """Every value at every one and two symbols, on a random word each."""
    code, rng = NAMED["rs-7-3"], random.Random(1)
    for places in [(place,) for place in range(7)] + list(combinations(range(7), 2)):
        for values in product(range(1, 8), repeat=len(places)):
            data = tuple(rng.randrange(8) for _ in range(3))
            word = list(encode(code, data))
            for place, value in zip(places, values):
                word[place] ^= value
            assert decode(code, word) == (data, places, False)


def test_rs_7_3_decodes_to_the_nearest_codeword_or_not_at_all():
    """Random words are corrected if and only if a codeword is within two symbols."""
    code, rng = NAMED["rs-7-3"], np.random.default_rng(2)
    every = golden.encode(code, np.array(list(product(range(8), repeat=3))))
    words = rng.integers(0, 8, (400, 7))
    fixed, wrong, uncorrectable = golden.decode(code, words)
    for word, new, count, failed in zip(words, fixed, wrong, uncorrectable):
        distances = (every != word).sum(axis=1)
        ours = decode(code, word.tolist())
        assert failed == ours.uncorrectable == (distances.min() > 2)
        if not failed:
            assert new.tolist() == every[distances.argmin()].tolist()
            assert count == distances.min() == len(ours.positions)


def damaged(code, count, seed, most):
    """Codewords, and the same codewords with 0 to ``most`` wrong symbols."""
    rng = np.random.default_rng(seed)
    sent = golden.encode(code, rng.integers(0, code.field.order + 1, (count, code.k)))
    received, errors = sent.copy(), rng.integers(0, most + 1, count)
    for row, wrong in enumerate(errors):
        places = rng.choice(code.n, wrong, replace=False)
        received[row, places] ^= rng.integers(1, code.field.order + 1, wrong).astype(received.dtype)
    return sent, received, errors


#: A code with an odd number of parity symbols and another first root.
ODD = ReedSolomonCode(30, 25, Field(5, 0x25), 3)


@pytest.mark.parametrize("code", [*NAMED.values(), ODD], ids=[*NAMED, "odd"])
def test_layers_agree(code):
    """Plain integers against the golden model, with up to t + 2 wrong symbols; up to t, all are corrected."""
    sent, received, errors = damaged(code, 40, 3, code.t + 2)
    fixed, wrong, uncorrectable = golden.decode(code, received)
    within = errors <= code.t
    assert (fixed[within] == sent[within]).all()
    assert (wrong[within] == errors[within]).all()
    assert not uncorrectable[within].any()
    for row in range(40):
        assert list(encode(code, sent[row, : code.k].tolist())) == sent[row].tolist()
        ours = decode(code, received[row].tolist())
        assert (list(ours.data), ours.uncorrectable) == (fixed[row, : code.k].tolist(), uncorrectable[row])
        assert len(ours.positions) == wrong[row]
        assert syndromes(code, received[row].tolist()) == tuple(golden.syndromes(code, received[row : row + 1])[0])


@pytest.mark.parametrize("name", ["rs-528-514", "rs-544-514", "rs-255-239"])
def test_reedsolo_agrees(name):
    """A codec of another project has the same parity and corrects to the same data."""
    code = NAMED[name]
    foreign = reedsolo.RSCodec(
        code.parity, nsize=code.field.order, fcr=0, prim=code.field.polynomial, generator=2, c_exp=code.field.m
    )
    sent, received, _ = damaged(code, 4, 4, code.t)
    for word, wrong in zip(sent.tolist(), received.tolist()):
        assert list(foreign.encode(word[: code.k])) == word
        assert list(foreign.decode(wrong)[0]) == word[: code.k] == list(decode(code, wrong).data)


@pytest.mark.regress  # galois compiles itself for half a minute
@pytest.mark.parametrize("name", ["rs-528-514", "rs-255-239"])
def test_galois_agrees(name):
    """Another codec of another project: parity and corrections."""
    import galois

    code = NAMED[name]
    field = galois.GF(2**code.field.m, irreducible_poly=galois.Poly.Int(code.field.polynomial))
    order = code.field.order
    foreign = galois.ReedSolomon(order, order - code.parity, field=field, alpha=field(2), c=code.first_root)
    sent, received, _ = damaged(code, 6, 6, code.t)
    assert foreign.encode(field(sent[:, : code.k])).tolist() == sent.tolist()
    data, wrong = foreign.decode(field(received), errors=True)
    assert data.tolist() == sent[:, : code.k].tolist()
    assert list(wrong) == (sent != received).sum(axis=1).tolist()


@pytest.mark.regress
def test_random_words_decode_as_often_as_theory_says():
    """RS(528,514): of 200,000 random words, each is within t symbols of a codeword with probability 1.8e-6."""
    code, rng, total = NAMED["rs-528-514"], np.random.default_rng(7), 200_000
    ball = sum(comb(code.n, wrong) * code.field.order**wrong for wrong in range(code.t + 1))
    expected = total * ball / (code.field.order + 1) ** code.parity
    assert expected == pytest.approx(0.36, abs=0.02)
    found = 0
    for _ in range(total // 10_000):
        words = rng.integers(0, code.field.order + 1, (10_000, code.n))
        found += int((~golden.decode(code, words)[2]).sum())
    # A larger number has a probability of 1 in 2,000.
    assert found <= 3


@pytest.mark.regress
def test_words_beyond_t_are_decoded_wrongly_as_often_as_theory_says():
    """RS(255,239), 100,000 words with 9 errors: at most 1 / 8! of them are miscorrected."""
    code = NAMED["rs-255-239"]
    rng = np.random.default_rng(5)
    expected, found, total = 1 / 40320, 0, 100_000
    for _ in range(total // 10_000):
        words = np.zeros((10_000, code.n), dtype=np.int32)
        places = np.argsort(rng.random(words.shape), axis=1)[:, :9]
        np.put_along_axis(words, places, rng.integers(1, 256, (10_000, 9)).astype(np.int32), 1)
        found += int((~golden.decode(code, words)[2]).sum())
    assert found <= total * expected + 4 * (total * expected) ** 0.5
