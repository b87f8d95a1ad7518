"""Tables of the link analysis as lists of rows. The terminal and the JSON output use the same rows."""

import math
from functools import cache

from dsnswitch.lab.codes import PATTERNS, SEED
from dsnswitch.lab.codes.ber import pam_snr, wanted_before
from dsnswitch.lab.codes.clusters import clustered
from dsnswitch.lab.codes.codes import BUILT, CODES, SECDED
from dsnswitch.lab.codes.mttfpa import BIT_TIME, PAPER, UNCOUNTED, UNIVERSE, YEAR, independent, mttfpa
from dsnswitch.lab.codes.secded_spectrum import delivered
from dsnswitch.sim.golden.pcs.framing_errors import sample

__all__ = ["FORMATS", "ber_rows", "built_formats", "built_mttfpa", "framing_rows", "mttfpa_rows", "snr_rows"]

#: D's PCS formats: name -> p_frame(BER). Any function is accepted. If it has a method ``given(n)`` (p_frame for each number of
#: wrong bits in a word of n bits), the table also has the rows of the code as built.
FORMATS = {**PAPER, **UNCOUNTED}


@cache
def _sampled(layout, patterns, seed):
    return sample(layout, patterns, seed=seed)


def built_formats():
    """The two layouts of 256b/260b in this project, with the exact effect of wrong bits in their framing."""
    return {f"260b, {layout}": _sampled(layout, PATTERNS, SEED) for layout in ("literal", "protected")}


def framing_rows(patterns, seed):
    """Effect of one, two and three wrong bits in the framing of a block: shares among ``patterns`` random patterns each."""
    return [
        {"format": layout, "wrong": wrong, "patterns": patterns, **shares}
        for layout in ("literal", "protected")
        for wrong, shares in _sampled(layout, patterns, seed).shares.items()
    ]


def ber_rows(ber):
    """BER after each code at the BER ``ber`` before correction."""
    return [{"code": fec.name, "before": ber, "after": fec.after(ber)} for fec in (*CODES.values(), BUILT)]


def snr_rows(ber, levels):
    """SNR at which each code delivers ``ber``: dB for the energy of a bit on the wire, and the gain over an uncoded link.

    ``gain`` compares at the same line rate; ``net_gain`` also subtracts the energy of the check bits.
    """
    rows, bare = [], pam_snr(ber, levels)
    for fec in (*CODES.values(), BUILT):
        before = wanted_before(fec.after, ber)
        snr = pam_snr(before, levels)
        gains = {"gain": bare - snr, "net_gain": bare - snr - fec.rate_loss}
        rows.append({"code": fec.name, "after": ber, "before": before, "snr": snr, **gains})
    return rows


def built_mttfpa(p_frame, ber, drop_flagged, bit_time=BIT_TIME):
    """MTTFPA in seconds after the SECDED code as built, at ``ber`` before correction; None for a format without ``given``."""
    if not hasattr(p_frame, "given"):
        return None
    return mttfpa(*clustered(delivered(SECDED, ber), p_frame.given(SECDED.n), drop_flagged), bit_time)


def mttfpa_rows(ber, formats=None, bit_time=BIT_TIME):
    """MTTFPA of each format after each code at ``ber`` before correction: in seconds, and in lifetimes of the universe.

    The SECDED code has three rows: one with independent wrong bits at its BER after correction, as in D, and two as built.
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
