"""MTTFPA by D Eq. 5.1 to 5.3 as printed, and after the SECDED decoder as built."""

import math
from decimal import Decimal, localcontext
from itertools import combinations

import numpy as np
import pytest

from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.lab.codes.mttfpa import (
    CRC_DETECTS_IN_WORD,
    PAPER,
    PAYLOAD,
    UNCOUNTED,
    Field,
    Pcs,
    clustered,
    independent,
    mttfpa,
    p_crc,
)
from dsnswitch.lab.codes.secded import Delivered, delivered, weight_counts
from dsnswitch.sim.golden.fec.secded import decode

CODE = SecdedCode(270, 260)


def p(i, length, ber):
    """D Eq. 5.3 in decimals."""
    return math.comb(length, i) * (1 - ber) ** (length - i) * ber**i


SYNC = {"66b": lambda ber: p(2, 2, ber), "257b": lambda ber: p(1, 1, ber), "260b": lambda ber: p(3, 4, ber) + p(4, 4, ber)}


@pytest.mark.parametrize("name", PAPER)
@pytest.mark.parametrize("ber", ["1e-5", "1e-9", "1e-12", "1e-20"])
def test_as_written(name, ber):
    with localcontext(prec=80):
        b, bits = Decimal(ber), 12144
        types = (1 if name == "66b" else 3) * sum(p(i, 8, b) for i in range(3, 9))
        crc = sum(p(i, bits, b) for i in range(4, 60)) / bits
        wanted = Decimal("1e-11") / (SYNC[name](b) + types + crc) * 2**32
        frame = SYNC[name](b) + types
    assert PAPER[name](float(ber)) == pytest.approx(float(frame), rel=1e-10, abs=0)
    assert p_crc(float(ber)) == pytest.approx(float(crc), rel=1e-9, abs=0)
    assert independent(PAPER[name], float(ber)) == pytest.approx(float(wanted), rel=1e-9, abs=0)


def test_flags_and_nibble_add_eight_bare_bits():
    for name in ("257b", "260b"):
        extra = UNCOUNTED[f"{name}, flags counted"](1e-9) - PAPER[name](1e-9)
        assert extra == pytest.approx(8e-9, rel=1e-6, abs=0)


def test_any_function_is_a_format():
    assert independent(lambda ber: 0.5, 1e-30) == pytest.approx(1e-11 * 2**32 / 0.5)
    assert mttfpa(0, 0) == math.inf


def test_given_is_the_same_format():
    """The mean of ``given`` over the number of independent wrong bits is p_frame."""
    n, ber = 270, 2e-3
    chances = [math.comb(n, w) * ber**w * (1 - ber) ** (n - w) for w in range(n + 1)]
    for pcs in (*PAPER.values(), *UNCOUNTED.values()):
        assert pcs.given(n) @ chances == pytest.approx(pcs(ber), rel=1e-9, abs=0)


def test_crc_32_detects_five_wrong_bits_in_a_payload():
    """No sum of up to five of the 256 remainders x^i mod g is 0: sums of pairs differ, and no sum of three equals one of them."""
    remainders, value = [], 1
    for _ in range(PAYLOAD):
        remainders.append(value)
        value <<= 1
        if value >> 32:
            value ^= 0x104C11DB7
    single = np.array(remainders, dtype=np.uint32)
    a, b = np.triu_indices(PAYLOAD, 1)
    pairs = np.sort(single[a] ^ single[b])
    assert np.all(np.diff(pairs) > 0)
    assert not np.isin(single, pairs).any()
    # The third index is above those of the pair, so each set of three is tested once.
    for third in range(2, PAYLOAD):
        assert not np.isin(pairs_below(single, third) ^ single[third], pairs).any()
    assert CRC_DETECTS_IN_WORD == 5


def pairs_below(single, third):
    a, b = np.triu_indices(third, 1)
    return single[a] ^ single[b]


def test_the_descrambler_leaves_the_crc_as_it_is():
    """1 + x^39 + x^58 and the CRC's polynomial have no common factor."""
    a, b = (1 << 58) | (1 << 39) | 1, 0x104C11DB7
    while b:
        while a.bit_length() >= b.bit_length():
            a ^= b << a.bit_length() - b.bit_length()
        a, b = b, a
    assert a == 1


def test_clusters_by_hand():
    """Words of 270 bits, of which one in a million has a completely wrong payload. A frame has 48 words; the CRC misses each."""
    wrong = np.zeros(271)
    wrong[270] = 1e-6
    word = Delivered(1 - 1e-6, np.zeros(271), wrong)
    given = np.zeros(271)
    given[270] = 0.25
    frame, crc = clustered(word, given, drop_flagged=True)
    assert frame == pytest.approx(0.25e-6)
    assert crc == pytest.approx((1 - (1 - 1e-6) ** 48) / 12144, rel=1e-9, abs=0)


def test_single_words_up_to_five_wrong_bits_are_detected():
    """Four wrong bits are detected in one word and missed in two. A CRC that detects only three misses one word, too."""
    wrong = np.zeros(271)
    wrong[4] = 1e-6
    word = Delivered(1 - 1e-6, wrong, np.zeros(271))
    given = np.zeros(271)
    one, two = (clustered(word, given, False, in_word)[1] * 12144 for in_word in (3, 5))
    inside = math.comb(256, 4) / math.comb(270, 4)
    assert one == pytest.approx(48e-6 * inside, rel=1e-3, abs=0)
    # Two words: it is almost certain that at least four of the eight wrong bits are in the payload.
    assert two == pytest.approx(math.comb(48, 2) * 1e-12, rel=1e-3, abs=0)
    assert clustered(word, given, drop_flagged=True) == (0, 0)


def test_two_words_by_enumeration():
    """A frame of two words, with three wrong bits in a tenth of the words: all pairs of numbers of wrong payload bits."""
    wrong = np.zeros(271)
    wrong[3] = 0.1
    inside = [math.comb(256, i) * math.comb(14, 3 - i) / math.comb(270, 3) / 10 for i in range(4)]
    wanted = sum(inside[i] * inside[j] for i in range(1, 4) for j in range(1, 4) if i + j > 3)
    found = clustered(Delivered(0.9, wrong, np.zeros(271)), wrong, False, frame_bits=2 * PAYLOAD)[1]
    assert found * 2 * PAYLOAD == pytest.approx(wanted, rel=1e-9, abs=0)


def through_the_decoder(count, ber, seed):
    """``(wrong bits after the decoder, flagged)`` of words that pass through the golden decoder."""
    errors = (np.random.default_rng(seed).random((count, 270), dtype=np.float32) < ber).astype(np.uint8)
    _, corrected, flagged, position = decode(CODE, errors)
    rows = np.flatnonzero(corrected)
    errors[rows, position[rows]] ^= 1
    return errors, flagged


def test_frames_meet_a_monte_carlo():
    """Frames of 48 words with flags ignored, at a rate at which misses are frequent enough to count."""
    frames, ber = 3000, 1e-3
    errors, _ = through_the_decoder(48 * frames, ber, 11)
    # The first four bits are the header, as in 256b/260b.
    hits = errors[:, 4 : 4 + PAYLOAD].sum(axis=1).reshape(frames, 48)
    missed = (hits.sum(axis=1) > 3) & (((hits > 0).sum(axis=1) > 1) | (hits.max(axis=1) > 5))
    crc = clustered(delivered(CODE, ber), np.zeros(271), drop_flagged=False)[1]
    assert missed.mean() == pytest.approx(crc * 12144, abs=4 * missed.std() / math.sqrt(frames))
    assert 0.2 < missed.mean() < 0.8


def words_with_three_in(columns, window):
    """Number of codewords of weight 4 with at least three bits in ``window``."""
    found, place = set(), {column: bit for bit, column in enumerate(columns)}
    for three in combinations(window, 3):
        fourth = place.get(columns[three[0]] ^ columns[three[1]] ^ columns[three[2]])
        if fourth is not None:
            found.add(frozenset((*three, fourth)))
    return len(found)


def test_how_uniform_the_wrong_bits_are():
    """The position of a field matters: 13 to 54 codewords of weight 4 can falsify 8 bits, and 30 if positions are uniform."""
    counts = [words_with_three_in(CODE.columns, range(at, at + 8)) for at in range(CODE.n - 7)]
    uniform = weight_counts(CODE)[4] * Pcs("", (Field("type", 8, 3),)).given(CODE.n)[4]
    assert uniform == pytest.approx(29.66, abs=0.01)
    assert (counts[0], min(counts), max(counts)) == (28, 13, 54)
    assert sum(counts) / len(counts) == pytest.approx(31.86, abs=0.01)
