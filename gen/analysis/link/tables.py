"""Tables of the link analysis: one list of rows each, the same for the terminal and for JSON."""

import math
from functools import cache

from ....sim.golden.pcs.framing_errors import sample
from . import PATTERNS, SEED
from .ber import pam_snr, wanted_before
from .clusters import clustered
from .codes import BUILT, CODES, SECDED
from .mttfpa import BIT_TIME, PAPER, UNCOUNTED, UNIVERSE, YEAR, independent, mttfpa
from .secded_spectrum import delivered

__all__ = ["FORMATS", "ber_rows", "built_formats", "built_mttfpa", "framing_rows", "mttfpa_rows", "snr_rows"]

#: D's PCS formats: p_frame(BER) by name. Any function will do; one with a method ``given(n)`` also gets the rows of the code as
#: built (p_frame by the number of wrong bits in a word of n bits).
FORMATS = {**PAPER, **UNCOUNTED}


@cache
def _sampled(layout, patterns, seed):
    return sample(layout, patterns, seed=seed)


def built_formats():
    """The two formats of 256b/260b as this project builds them: what wrong bits in their framing really do."""
    return {f"260b, {layout}": _sampled(layout, PATTERNS, SEED) for layout in ("literal", "protected")}


def framing_rows(patterns, seed):
    """What becomes of a block with one, two and three wrong bits in its framing: shares of so many random patterns each."""
    return [
        {"format": layout, "wrong": wrong, "patterns": patterns, **shares}
        for layout in ("literal", "protected")
        for wrong, shares in _sampled(layout, patterns, seed).shares.items()
    ]


def ber_rows(ber):
    """BER after each code at ``ber`` before it."""
    return [{"code": fec.name, "before": ber, "after": fec.after(ber)} for fec in (*CODES.values(), BUILT)]


def snr_rows(ber, levels):
    """SNR at which each code delivers ``ber``: dB by the energy of a bit on the wire, gains against no code.

    ``gain`` compares at the same line rate; ``net_gain`` also pays for the check bits.
    """
    rows, bare = [], pam_snr(ber, levels)
    for fec in (*CODES.values(), BUILT):
        before = wanted_before(fec.after, ber)
        snr = pam_snr(before, levels)
        gains = {"gain": bare - snr, "net_gain": bare - snr - fec.rate_loss}
        rows.append({"code": fec.name, "after": ber, "before": before, "snr": snr, **gains})
    return rows


def built_mttfpa(p_frame, ber, drop_flagged, bit_time=BIT_TIME):
    """MTTFPA in seconds behind the SECDED code as built, at ``ber`` before it; None for a format without ``given``."""
    if not hasattr(p_frame, "given"):
        return None
    return mttfpa(*clustered(delivered(SECDED, ber), p_frame.given(SECDED.n), drop_flagged), bit_time)


def mttfpa_rows(ber, formats=None, bit_time=BIT_TIME):
    """MTTFPA of each format behind each code at ``ber`` before correction: seconds, and in lifetimes of the universe.

    Three rows for the SECDED code: independent wrong bits at its BER after correction, as D has it, and twice as built.
    """
    rows, formats = [], FORMATS | built_formats() if formats is None else formats

    def add(name, fec, assumed, seconds):
        finite = seconds is not None and math.isfinite(seconds)
        rows.append(
            {
                "pcs": name,
                "code": fec.name,
                "assumed": assumed,
                "after": fec.after(ber),
                "seconds": seconds if finite else None,
                "years": seconds / YEAR if finite else None,
                "universes": seconds / UNIVERSE if finite else None,
            }
        )

    for name, p_frame in formats.items():
        for fec in CODES.values():
            add(name, fec, "independent", independent(p_frame, fec.after(ber), bit_time=bit_time))
        add(name, BUILT, "flags ignored", built_mttfpa(p_frame, ber, False, bit_time))
        add(name, BUILT, "flagged frames dropped", built_mttfpa(p_frame, ber, True, bit_time))
    return rows
