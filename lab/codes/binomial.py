"""Binomial probabilities down to 1e-300. Products are sums of logarithms, and no sum contains a difference."""

import math
from functools import cache

import numpy as np

__all__ = ["log_factorials", "spread", "tail"]


@cache
def log_factorials(n):
    """``ln 0!`` to ``ln n!`` as an array."""
    return np.array([math.lgamma(i + 1) for i in range(n + 1)])


def tail(n, p, first, moment=0):
    """Sum of ``j**moment * p(j, n, p)`` over ``j = first..n``, where p(i, L, p_e) is D Eq. 5.3.

    Every term is positive and has a relative error below 1e-10 for n up to 20,000. So the sum has this relative error, too,
    however small it is. (1 minus the other terms would have an absolute error of 1e-16.)

    Raises
    ------
    ValueError
        If p is not in 0..1.
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
