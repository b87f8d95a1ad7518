"""Bit error rates of the link before and after error correction: D Eq. 5.4 to 5.6 and their inverses.

Wrong bits are independent. ``ber`` before correction is b_i of the dissertation. SNR is E_b / N_0 in dB, where E_b is the energy
of a bit **on the wire**: b_i of Eq. 5.4 goes into Eq. 5.5 and 5.6 unchanged, without the code rate. If E_b is to be the energy of
a data bit, subtract :attr:`Fec.rate_loss` from a gain.

Probabilities are exact down to 1e-300: products are sums of logarithms, and no sum contains a difference.
"""

import math
from functools import cache
from typing import Any

import numpy as np


@cache
def log_factorials(n: int) -> np.ndarray:
    """``ln 0!`` to ``ln n!`` as an array."""
    return np.array([math.lgamma(i + 1) for i in range(n + 1)])


def tail(n, p, first, moment=0) -> float:
    """Sum of ``j**moment * p(j, n, p)`` over ``j = first..n``, where p(i, L, p_e) is D Eq. 5.3.

    Every term is positive and has a relative error below 1e-10 for n up to 20,000. So the sum has this relative error, too,
    however small it is. (1 minus the other terms would have an absolute error of 1e-16.)

    Raises :class:`ValueError` if p is not in 0..1.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"A probability must be in 0..1, not {p!r}")
    if p in (0, 1):
        only = n if p else 0
        return float(only**moment) if first <= only else 0.0
    j = np.arange(first, n + 1)
    logs = log_factorials(n)
    terms = logs[n] - logs[j] - logs[n - j] + j * math.log(p) + (n - j) * math.log1p(-p)
    return math.fsum(np.exp(terms) * j.astype(float) ** moment)


@cache
def spread(n, bits):
    """Hypergeometric probabilities as an array (n + 1, bits + 1).

    Element (w, i) is the probability that i of w wrong bits are among ``bits`` chosen bits of an n-bit word, if every position of
    the wrong bits is equally likely.
    """
    logs = log_factorials(n)
    w, i = np.meshgrid(np.arange(n + 1), np.arange(bits + 1), indexing="ij")
    possible = (i <= w) & (w - i <= n - bits)
    rest = np.where(possible, w - i, 0)
    terms = logs[bits] - logs[i] - logs[bits - i] + logs[n - bits] - logs[rest] - logs[n - bits - rest]
    return np.where(possible, np.exp(terms - logs[n] + logs[w] + logs[n - w]), 0.0)


#: Search range of the SNR in dB, and of the BER before correction. Eq. 5.4 is above 1e-300 over most of this range.
SNR_RANGE = (-60.0, 60.0)
SMALLEST_BER = 1e-300


def pam_limit(levels: int) -> float:
    """BER of PAM-M without any signal, which is the largest value of Eq. 5.4."""
    return (levels - 1) / (levels * math.log2(levels))


def pam_ber(snr, levels: int = 4) -> Any:
    """D Eq. 5.4: BER of uncoded, Gray-mapped PAM-M at ``snr`` dB.

    Raises :class:`ValueError` if ``levels`` is not a power of two, or less than 2.
    """
    if levels < 2 or levels & (levels - 1):
        raise ValueError(f"PAM levels must be a power of two from 2 up, not {levels!r}")
    ratio = 10 ** (snr / 10)
    return pam_limit(levels) * math.erfc(math.sqrt(3 * math.log2(levels) / (levels**2 - 1) * ratio))


def pam_snr(ber, levels: int = 4) -> float:
    """Inverse of :func:`pam_ber`: SNR in dB at which PAM-M has ``ber``.

    Raises :class:`ValueError` if ``ber`` is not above 1e-300 and below :func:`pam_limit`.
    """
    limit = pam_limit(levels)
    if not SMALLEST_BER <= ber < limit:
        raise ValueError(f"BER of PAM-{levels} must be at least 1e-300 and below {limit:g}, not {ber!r}")
    return _bisect(lambda snr: pam_ber(snr, levels) <= ber, *SNR_RANGE)


def correcting_ber(ber, n, t) -> Any:
    """D Eq. 5.6: BER after a code of n-bit words that corrects up to t wrong bits.

    The formula assumes that a word with more than t wrong bits keeps exactly these wrong bits.
    """
    return tail(n, ber, t + 1, moment=1) / n


def reed_solomon_ber(ber, n, k, m) -> Any:
    """D Eq. 5.5: BER after RS(n,k) over GF(2^m), which corrects ``t = (n - k) // 2`` symbols.

    The formula is exact for a decoder that leaves words with more than t wrong symbols as received: each wrong symbol then has
    ``m b_i / s_i`` wrong bits on average, for any number of wrong symbols.
    """
    if ber == 0:
        return 0.0
    symbol = 1.0 if ber == 1 else -math.expm1(m * math.log1p(-ber))
    return ber * tail(n, symbol, (n - k) // 2 + 1, moment=1) / n / symbol


def wanted_before(after, ber) -> float:
    """Largest BER before correction at which the BER after correction, ``after(ber_before)``, is at most ``ber``.

    The function bisects the exponent. ``after`` must not decrease over 1e-300..0.5.

    Raises :class:`ValueError` if ``ber`` is not in 1e-300..0.3.
    """
    if not SMALLEST_BER <= ber <= 0.3:
        raise ValueError(f"Wanted BER must be in 1e-300..0.3, not {ber!r}")
    return 10 ** _bisect(lambda exponent: after(10**exponent) > ber, math.log10(ber) - 1, math.log10(0.5))


def _bisect(holds, low, high):
    """Argument at which ``holds`` becomes true between ``low`` (false) and ``high`` (true), to the last bits of a float."""
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
