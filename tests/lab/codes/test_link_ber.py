"""Checks D Eq. 5.4 to 5.6 against sums in 60 decimal digits, values that are known by hand, and simulated noise."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from dsnswitch.lab.codes.ber import correcting_ber, pam_ber, pam_snr, reed_solomon_ber, spread, tail, wanted_before
from dsnswitch.lab.codes.codes import CODES


def exact_tail(n, p, first, moment):
    """The sum of its definition, in decimals."""
    q = 1 - p
    return sum(Decimal(j) ** moment * math.comb(n, j) * p**j * q ** (n - j) for j in range(first, n + 1))


@pytest.mark.parametrize("n", [8, 270, 528])
@pytest.mark.parametrize("p", ["0.4", "1e-2", "1e-6", "1e-20"])
@pytest.mark.parametrize(("first", "moment"), [(1, 0), (2, 1), (8, 1)])
def test_tail_has_ten_digits(n, p, first, moment):
    with localcontext(prec=60):
        assert tail(n, float(p), first, moment) == pytest.approx(
            float(exact_tail(n, Decimal(p), first, moment)), rel=1e-10, abs=0
        )


def test_tail_at_the_ends():
    assert tail(9, 0, 1) == 0
    assert tail(9, 0, 0) == 1
    assert tail(9, 1, 5, moment=1) == 9
    assert tail(12144, 0.3, 0) == pytest.approx(1, rel=1e-9, abs=0)
    with pytest.raises(ValueError, match=r"A probability must be in 0\.\.1, not 1\.5"):
        tail(9, 1.5, 0)


def test_spread_counts_patterns():
    """Two of four bits are wrong, three bits are chosen: one or two of these are wrong, in 3 of 6 patterns each."""
    assert spread(4, 3)[2] == pytest.approx([0, 0.5, 0.5, 0])
    table = spread(270, 8)
    assert table.sum(axis=1) == pytest.approx(1)
    assert table[4, 3] == pytest.approx(math.comb(8, 3) * 262 / math.comb(270, 4))


@pytest.mark.parametrize(("n", "t"), [(270, 1), (278, 2), (270, 0), (7, 3)])
@pytest.mark.parametrize("ber", ["0.1", "1e-3", "1e-9", "1e-15"])
def test_correcting_code(n, t, ber):
    with localcontext(prec=60):
        wanted = exact_tail(n, Decimal(ber), t + 1, 1) / n
    assert correcting_ber(float(ber), n, t) == pytest.approx(float(wanted), rel=1e-10, abs=0)


@pytest.mark.parametrize(("n", "k", "m"), [(255, 239, 8), (528, 514, 10), (544, 514, 10)])
@pytest.mark.parametrize("ber", ["0.1", "1e-3", "1e-5"])
def test_reed_solomon(n, k, m, ber):
    with localcontext(prec=60):
        symbol = 1 - (1 - Decimal(ber)) ** m
        wanted = Decimal(ber) / symbol * exact_tail(n, symbol, (n - k) // 2 + 1, 1) / n
    found = reed_solomon_ber(float(ber), n, k, m)
    assert found == pytest.approx(float(wanted), rel=1e-10, abs=0)
    assert found <= float(ber) * (1 + 1e-10)


def test_values_by_hand():
    """The first term dominates: 269 b^2 for t = 1; without correction the BER before correction."""
    assert correcting_ber(1e-12, 270, 1) == pytest.approx(269e-24, rel=1e-8, abs=0)
    assert correcting_ber(1e-3, 270, 0) == pytest.approx(1e-3)
    assert reed_solomon_ber(1e-3, 255, 255, 8) == pytest.approx(1e-3)
    assert reed_solomon_ber(0.0, 528, 514, 10) == 0
    assert reed_solomon_ber(1.0, 528, 514, 10) == pytest.approx(1)
    # erfc(1) = 0.157299207 occurs at E_b / N_0 = 2.5 for PAM-4 and at 1 for PAM-2.
    assert pam_ber(10 * math.log10(2.5), 4) == pytest.approx(0.375 * 0.1572992070502851, rel=1e-12, abs=0)
    assert pam_ber(0, 2) == pytest.approx(0.5 * 0.1572992070502851, rel=1e-12, abs=0)
    assert CODES["secded"].rate_loss == pytest.approx(0.1639, abs=1e-4)


@pytest.mark.parametrize(("levels", "snr"), [(4, 9), (8, 14)])
def test_pam_is_that_of_gray_mapped_levels_in_noise(levels, snr):
    """Simulation of random symbols with Gaussian noise: bits of Gray's code that differ at the nearest level."""
    rng, count, bits = np.random.default_rng(7), 1_000_000, int(math.log2(levels))
    sent = rng.integers(0, levels, count)
    # Levels 0..M-1 at distance 1 have the energy (M^2 - 1) / 12 per symbol about their mean.
    noise = math.sqrt((levels**2 - 1) / 12 / bits / 10 ** (snr / 10) / 2)
    seen = np.clip(np.rint(sent + noise * rng.standard_normal(count)), 0, levels - 1).astype(int)
    wrong = np.bitwise_count((sent ^ sent >> 1) ^ (seen ^ seen >> 1))
    sigma = wrong.std() / math.sqrt(count) / bits
    assert wrong.mean() / bits == pytest.approx(pam_ber(snr, levels), abs=4 * sigma)
    assert sigma < 0.03 * pam_ber(snr, levels)


@pytest.mark.parametrize("levels", [2, 4, 8, 16])
def test_snr_is_the_inverse(levels):
    for ber in (0.2, 1e-3, 1e-15, 1e-30):
        assert pam_ber(pam_snr(ber, levels), levels) == pytest.approx(ber, rel=1e-9, abs=0)


def test_wanted_before_is_the_inverse():
    for wanted in (1e-2, 1e-9, 1e-15, 1e-30):
        before = wanted_before(lambda ber: correcting_ber(ber, 270, 1), wanted)
        assert correcting_ber(before, 270, 1) == pytest.approx(wanted, rel=1e-9, abs=0)
    assert wanted_before(lambda ber: ber, 1e-9) == pytest.approx(1e-9, rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pam_ber(10, 6), "PAM levels must be a power of two from 2 up, not 6"),
        (lambda: pam_ber(10, 1), "not 1"),
        (lambda: pam_snr(0.4, 4), r"BER of PAM-4 must be at least 1e-300 and below 0\.375, not 0\.4"),
        (lambda: wanted_before(lambda ber: ber, 0.0), r"Wanted BER must be in 1e-300\.\.0\.3, not 0\.0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
