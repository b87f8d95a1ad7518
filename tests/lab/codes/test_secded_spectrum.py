"""Output probabilities of the SECDED decoder: against all patterns of small codes, and a Monte Carlo simulation of (270,260)."""

import itertools
import math

import numpy as np
import pytest

from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.lab.codes.ber import correcting_ber
from dsnswitch.lab.codes.secded import delivered, flagged_counts, interval, rejected, simulate, undetected, weight_counts
from dsnswitch.sim.golden.fec.secded import accepted, decode, triple_theory, words

CODE = SecdedCode(270, 260)


def delivered_by_enumeration(code, ber):
    """``(flagged, unflagged)`` by the number of wrong bits, from all error patterns through the golden decoder."""
    errors = words(range(1 << code.n), code.n)
    _, corrected, uncorrectable, position = decode(code, errors)
    fixed = errors.copy()
    rows = np.flatnonzero(corrected)
    fixed[rows, position[rows]] ^= 1
    weights = errors.sum(axis=1).astype(float)
    chance, wrong = ber**weights * (1 - ber) ** (code.n - weights), fixed.sum(axis=1)
    return [np.bincount(wrong[of], chance[of], code.n + 1) for of in (uncorrectable, ~uncorrectable)]


@pytest.mark.parametrize(("n", "k"), [(4, 1), (8, 4), (13, 8), (16, 10)])
@pytest.mark.parametrize("ber", [0.3, 0.01])
def test_small_codes_by_enumeration(n, k, ber):
    code = SecdedCode(n, k)
    flagged, unflagged = delivered_by_enumeration(code, ber)
    found = delivered(code, ber)
    assert found.flagged == pytest.approx(flagged, rel=1e-9, abs=0)
    assert found.correct == pytest.approx(unflagged[0])
    assert found.unflagged[1:] == pytest.approx(unflagged[1:], rel=1e-9, abs=0)
    assert found.ber == pytest.approx((flagged + unflagged) @ np.arange(n + 1) / n, rel=1e-9, abs=0)


@pytest.mark.parametrize(("n", "k"), [(4, 1), (8, 4), (13, 8)])
@pytest.mark.parametrize("ber", [0.3, 0.01])
def test_undetected_by_enumeration(n, k, ber):
    """The golden decoders accept each error pattern, or not: one corrects, the other only detects."""
    code = SecdedCode(n, k)
    errors = words(range(1, 1 << n), n)
    weights = errors.sum(axis=1).astype(float)
    chance = ber**weights * (1 - ber) ** (n - weights)
    _, corrected, uncorrectable, _ = decode(code, errors)
    right = corrected & (weights == 1)
    for corrects, refused, missed in (
        (True, uncorrectable, ~uncorrectable & ~right),
        (False, ~accepted(code, errors), accepted(code, errors)),
    ):
        assert rejected(code, ber, corrects) == pytest.approx(chance[refused].sum())
        assert undetected(code, ber, corrects) == pytest.approx(chance[missed].sum())


def test_undetected_of_270_260():
    """4e-19 at 1e-6, where correction misses 1.7e-12: the number of codewords of weight 4 decides."""
    assert undetected(CODE, 1e-6, corrects=False) == pytest.approx(435_664e-24, rel=1e-3)
    assert undetected(CODE, 1e-6) == pytest.approx(1.7e-12, rel=0.02)


def test_weights_of_270_260():
    counts = weight_counts(CODE)
    assert sum(counts) == 2**260
    assert counts[:4] == (1, 0, 0, 0)
    assert all(count == 0 for count in counts[1::2])
    # Another module counts pairs of pairs and finds the same number of words of weight 4.
    assert counts[4] == 435_664 == round((1 - triple_theory(CODE)) * math.comb(270, 3) / 4)
    assert flagged_counts(CODE)[:3] == (0, 0, math.comb(270, 2))
    assert flagged_counts(CODE)[3] / math.comb(270, 3) == pytest.approx(triple_theory(CODE))


@pytest.mark.parametrize("ber", [1e-1, 1e-3, 1e-6, 1e-12])
def test_nothing_is_lost(ber):
    found = delivered(CODE, ber)
    assert found.correct + found.wrong.sum() == pytest.approx(1, abs=1e-12)
    assert not found.unflagged[:4].any()


def test_small_rates_by_hand():
    """Two wrong bits are flagged and kept. Three wrong bits become four by miscorrection in 53.72 % of all cases."""
    found, ber = delivered(CODE, 1e-9), 1e-9
    assert found.flagged.sum() == pytest.approx(math.comb(270, 2) * ber**2, rel=1e-6, abs=0)
    assert found.unflagged.sum() == pytest.approx((1 - triple_theory(CODE)) * math.comb(270, 3) * ber**3, rel=1e-6, abs=0)
    assert found.ber == pytest.approx(correcting_ber(ber, 270, 1), rel=1e-6, abs=0)


def test_difference_to_eq_5_6():
    """Miscorrection adds a wrong bit to an odd number of errors: at most 6.8 %, near 8e-3, and 2.1 % at 1e-3."""
    bers = np.logspace(-6, -0.31, 300)
    ratios = np.array([delivered(CODE, ber).ber / correcting_ber(ber, 270, 1) for ber in bers])
    assert ratios.min() > 0.999999
    assert ratios.max() == pytest.approx(1.068, abs=5e-4)
    assert bers[ratios.argmax()] == pytest.approx(8e-3, rel=0.1, abs=0)
    assert delivered(CODE, 1e-3).ber / correcting_ber(1e-3, 270, 1) == pytest.approx(1.0210, abs=1e-4)


def test_ber_rises():
    """The BER after correction rises with the BER before it, as the search for a wanted BER assumes."""
    values = [delivered(CODE, ber).ber for ber in np.logspace(-12, math.log10(0.5), 100)]
    assert all(a < b for a, b in itertools.pairwise(values))


@pytest.mark.parametrize("exponent", [-1.5, -2, -2.5, -3])
def test_monte_carlo_meets_the_exact_figures(exponent):
    """The simulation agrees within four sigma. At 1e-2 it is accurate enough to distinguish the code as built from Eq. 5.6."""
    ber, count = 10**exponent, 60_000
    found, exact = simulate(CODE, ber, count, seed=5), delivered(CODE, ber)
    assert found.after == pytest.approx(exact.ber, abs=4 * found.after_sigma)
    for hits, share in ((found.flagged, exact.flagged.sum()), (found.unflagged, exact.unflagged.sum())):
        assert hits / count == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / count))
    if exponent == -2:
        assert found.after - correcting_ber(ber, 270, 1) > 8 * found.after_sigma


def test_monte_carlo_is_the_seeds():
    assert simulate(CODE, 1e-3, 3000, seed=2) == simulate(CODE, 1e-3, 3000, seed=2)
    assert simulate(CODE, 1e-3, 3000, seed=2) != simulate(CODE, 1e-3, 3000, seed=3)


def test_interval():
    """Wilson's interval for 10 of 100, a textbook case; it is always within 0..1."""
    assert interval(10, 100) == pytest.approx((0.0552, 0.1744), abs=1e-4)
    assert interval(0, 100)[0] == 0
    assert interval(0, 100)[1] == pytest.approx(0.037, abs=1e-3)
    assert interval(100, 100)[1] == 1
    for trials in range(1, 3000, 7):
        assert interval(0, trials)[0] == 0
        assert interval(trials, trials)[1] == 1


def test_bad_input():
    with pytest.raises(ValueError, match=r"BER must be in 0\.\.0\.5, not 0\.6"):
        delivered(CODE, 0.6)
    assert delivered(CODE, 0).correct == 1
