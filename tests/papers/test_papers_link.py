"""D 5.2.1 checked with its own formulas. docs/papers.md has the results."""

import math

import pytest

from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.lab.codes.ber import correcting_ber, pam_snr, reed_solomon_ber, tail, wanted_before
from dsnswitch.lab.codes.codes import CODES
from dsnswitch.lab.codes.mttfpa import (
    FRAME_BITS,
    PAPER,
    UNCOUNTED,
    UNIVERSE,
    YEAR,
    Field,
    Pcs,
    clustered,
    independent,
    mttfpa,
    p_crc,
)
from dsnswitch.lab.codes.secded import delivered
from tools.figures.hop import BASE, HOP
from tools.figures.hop import CODE as CODE_NS

HOUR = 3600
CODE = SecdedCode(270, 260)
#: BER before SECDED(270,260) at which Eq. 5.6 gives 1e-9.
BEFORE = wanted_before(lambda ber: correcting_ber(ber, 270, 1), 1e-9)


def ber_that_lasts(p_frame, seconds):
    """Largest BER at which Eq. 5.1 gives ``seconds``."""
    low, high = -15.0, -3.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if independent(p_frame, 10**middle) > seconds else (low, middle)
    return 10**low


def test_260b_at_1e_9_is_about_66b_at_1e_12():
    assert independent(PAPER["260b"], 1e-9) / independent(PAPER["66b"], 1e-12) == pytest.approx(4.06, abs=0.01)


def test_lifetime_of_the_universe_at_around_1e_9():
    """66b lasts a tenth of the lifetime at 1e-9 and all of it at 3.1e-10; 260b lasts all of it up to 3.3e-8."""
    assert independent(PAPER["66b"], 1e-9) / UNIVERSE == pytest.approx(0.0986, abs=1e-4)
    assert ber_that_lasts(PAPER["66b"], UNIVERSE) == pytest.approx(3.14e-10, rel=1e-3, abs=0)
    assert ber_that_lasts(PAPER["260b"], UNIVERSE) == pytest.approx(3.34e-8, rel=2e-3, abs=0)


def test_257b_at_1e_8_lasts_50_days_not_a_few_hours():
    at_1e_8 = independent(PAPER["257b"], 1e-8)
    assert at_1e_8 / HOUR / 24 == pytest.approx(49.7, abs=0.1)
    assert ber_that_lasts(PAPER["257b"], 3 * HOUR) == pytest.approx(4.0e-6, rel=0.01, abs=0)
    # All bits without distance, counted or in the whole block.
    assert independent(UNCOUNTED["257b, flags counted"], 1e-8) / HOUR == pytest.approx(132.6, abs=0.1)
    assert mttfpa(tail(257, 1e-8, 1), p_crc(1e-8)) / HOUR == pytest.approx(4.64, abs=0.01)
    # The nine bits of 48 blocks.
    assert mttfpa(48 * UNCOUNTED["257b, flags counted"](1e-8), p_crc(1e-8)) / HOUR == pytest.approx(2.76, abs=0.01)


def test_readings_that_give_a_few_hours_contradict_the_rest():
    """If every bit of the block counts, 260b lasts two days at 1e-9. With 48 blocks, 66b lasts a 486th of the lifetime there."""
    assert mttfpa(tail(260, 1e-9, 1), p_crc(1e-9)) / HOUR == pytest.approx(45.9, abs=0.1)
    assert UNIVERSE / mttfpa(48 * PAPER["66b"](1e-9), p_crc(1e-9)) == pytest.approx(486.7, abs=0.2)


def test_257b_at_1e_15_does_not_last_the_lifetime_of_the_universe():
    assert independent(PAPER["257b"], 1e-15) / YEAR == pytest.approx(1.361e6, rel=1e-3, abs=0)
    assert independent(PAPER["66b"], 1e-15) > UNIVERSE
    assert independent(PAPER["260b"], 1e-15) > UNIVERSE


def test_eq_5_1_counts_a_block_once_a_bit():
    """With block probabilities divided by the bits of a block, 66b lasts longer than the universe at 1e-9, as D states."""
    assert mttfpa(PAPER["66b"](1e-9) / 66, p_crc(1e-9)) / YEAR == pytest.approx(8.98e10, rel=1e-3, abs=0)


def test_bits_that_p_frame_of_260b_leaves_out():
    """Any wrong bit among four flags and a type nibble: 62 days at 1e-9, no better than 257b."""
    literal = independent(UNCOUNTED["260b, flags counted"], 1e-9)
    assert literal / 86400 == pytest.approx(62.1, abs=0.1)
    assert literal < independent(PAPER["257b"], 1e-9)


@pytest.mark.parametrize(("levels", "gross", "net"), [(4, 1.093, 1.140), (8, 1.121, 1.168)])
def test_about_1_db_between_t_1_and_rs_528_514(levels, gross, net):
    light = pam_snr(wanted_before(lambda ber: correcting_ber(ber, 270, 1), 1e-9), levels)
    strong = pam_snr(wanted_before(lambda ber: reed_solomon_ber(ber, 528, 514, 10), 1e-15), levels)
    assert light - strong == pytest.approx(gross, abs=1e-3)
    assert light - strong + CODES["secded"].rate_loss - CODES["rs528"].rate_loss == pytest.approx(net, abs=1e-3)


def test_wrong_bits_are_not_independent_after_correction():
    """260b after SECDED(270,260) at 1e-9: 5.5e15 years by Eq. 5.1, but at most 5e5 by the decoder's real output."""
    word, given = delivered(CODE, BEFORE), PAPER["260b"].given(270)
    assert word.ber == pytest.approx(1e-9, rel=1e-4, abs=0)
    assert independent(PAPER["260b"], 1e-9) / YEAR == pytest.approx(5.52e15, rel=1e-3, abs=0)
    years = [mttfpa(*clustered(word, given, *how)) / YEAR for how in ((False, 3), (False,), (True, 3), (True,))]
    assert years == pytest.approx([3.065e4, 2.991e5, 3.206e4, 5.210e5], rel=3e-3, abs=0)
    # Frames with four wrong bits, and the part of them that the CRC may miss.
    assert clustered(word, given, False, 3)[1] / p_crc(1e-9) == pytest.approx(5.53e11, rel=1e-2, abs=0)
    assert clustered(word, given, False)[1] / p_crc(1e-9) == pytest.approx(1.833e10, rel=1e-2, abs=0)


def test_three_wrong_bits_are_no_other_word():
    """A receiver that accepts only codewords of the distance-4 fields needs four wrong bits: MTTFPA is 3.3 times as long.

    The rest is due to the CRC. This p_frame is an upper bound: 14 of the 70 patterns of four bits turn a type into another.
    """
    strict = Pcs("260b", (Field("sync", 4, 4), Field("type", 8, 4, 3)))
    assert independent(strict, 1e-9) / independent(PAPER["260b"], 1e-9) == pytest.approx(3.31, abs=0.01)
    word = delivered(CODE, BEFORE)
    years = [mttfpa(*clustered(word, strict.given(270), dropped)) / YEAR for dropped in (False, True)]
    assert years == pytest.approx([9.86e5, 1.118e8], rel=3e-3, abs=0)


def test_failing_words_of_rs_528_514_decide_at_1e_15():
    """Failing words that are not marked have at least 8 wrong bits, and a frame has 3 words: 8.4 million years for any PCS."""
    before = wanted_before(lambda ber: reed_solomon_ber(ber, 528, 514, 10), 1e-15)
    fails = tail(528, -math.expm1(10 * math.log1p(-before)), 8)
    assert fails == pytest.approx(6.59e-13, rel=1e-3, abs=0)
    assert mttfpa(0, 3 * fails / FRAME_BITS) / YEAR == pytest.approx(8.36e6, rel=1e-3, abs=0)


def test_rates_of_table_5_1_are_cut_off():
    """D 5.2.2 prints 3.84 % for 270/260 - 1, and Table 5.1 prints 1.054 for 270/256."""
    assert [round(rate, 5) for rate in (66 / 64 * 255 / 239, 257 / 256 * 528 / 514, 270 / 256)] == [1.10029, 1.03125, 1.05469]
    assert f"{100 * (270 / 260 - 1):.2f}" == "3.85"


def test_switch_latencies_of_table_5_1_include_the_code():
    """D 5.3.1 adds the latency of the code to a base delay of 40 to 60 ns."""
    bases = [HOP[code] - CODE_NS[code] for code in HOP]
    assert max(bases) - min(bases) < 4  # about the same base for each code
    assert all(40 < base < 60 for base in bases)
    assert BASE == 54.6
