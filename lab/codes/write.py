"""Writes the folder of the link analysis: plots, and all their figures as JSON."""

import json

import numpy as np

from dsnswitch.gen.writing import make_folder, write_files
from dsnswitch.lab.codes import PATTERNS, SEED, WORDS
from dsnswitch.lab.codes.ber import pam_ber, wanted_before
from dsnswitch.lab.codes.codes import CODES, SECDED
from dsnswitch.lab.codes.montecarlo import montecarlo_rows
from dsnswitch.lab.codes.mttfpa import BIT_TIME, FRAME_BITS, YEAR, independent
from dsnswitch.lab.codes.plots import ber_plot, built_plot, mttfpa_plot, secded_plot
from dsnswitch.lab.codes.rows import FORMATS, built_formats, built_mttfpa, framing_rows, mttfpa_rows, snr_rows
from dsnswitch.lab.codes.secded_spectrum import delivered

__all__ = ["write"]

#: Post-FEC BER of the MTTFPA plots, and SNR in dB of the BER plots for each PAM-M; the ranges are those of D's figures.
AFTER = np.logspace(-15, -6, 37)
SNR = {4: np.linspace(4, 20, 129), 8: np.linspace(8, 24, 129)}
BEFORE = np.logspace(-6, -1, 51)


def write(folder, words=WORDS, seed=SEED, formats=None):
    """Write the plots and ``link.json`` to ``folder``; returns the names of the files. Equal arguments give equal text.

    Raises
    ------
    UsageError
        If the folder cannot be written.
    """
    make_folder(folder)
    measured = montecarlo_rows(words, seed)
    formats = FORMATS | built_formats() if formats is None else formats
    mttfpa = {name: [independent(p_frame, ber) / YEAR for ber in AFTER] for name, p_frame in formats.items()}
    before = [wanted_before(CODES["secded"].after, ber) for ber in AFTER]
    built = {
        (name, assumed): [years / YEAR for years in values]
        for name in ("66b", "260b, literal", "260b, protected")
        if name in formats
        for assumed, values in (
            ("independent", [independent(formats[name], ber) for ber in AFTER]),
            ("flags ignored", [built_mttfpa(formats[name], ber, False) for ber in before]),
            ("flagged frames dropped", [built_mttfpa(formats[name], ber, True) for ber in before]),
        )
    }
    bers = {levels: _ber_curves(levels) for levels in SNR}
    exact, formula = [delivered(SECDED, ber) for ber in BEFORE], [CODES["secded"].after(ber) for ber in BEFORE]
    figures = {
        "frame_bits": FRAME_BITS,
        "bit_time": BIT_TIME,
        "mttfpa": {"after": list(AFTER), "years": mttfpa},
        "mttfpa_built": {
            "after": list(AFTER),
            "before": before,
            "years": {f"{name}, {assumed}": years for (name, assumed), years in built.items()},
        },
        "ber": {f"PAM-{levels}": {"snr": list(SNR[levels]), **curves} for levels, curves in bers.items()},
        "required_snr": {
            f"PAM-{levels}": [r for ber in (1e-9, 1e-15) for r in snr_rows(ber, levels)] for levels in SNR
        },
        "mttfpa_at_before": {f"{ber:g}": mttfpa_rows(ber, formats) for ber in (1e-6, 1e-5)},
        "framing": framing_rows(PATTERNS, seed),
        "montecarlo": {"seed": seed, "rows": measured},
    }
    files = {
        "mttfpa.svg": mttfpa_plot({name: (AFTER, years) for name, years in mttfpa.items()}),
        "mttfpa-built.svg": built_plot({key: (AFTER, years) for key, years in built.items()}),
        **{f"ber-pam{levels}.svg": ber_plot(levels, SNR[levels], bers[levels], measured) for levels in SNR},
        "secded.svg": secded_plot(BEFORE, exact, formula, measured),
        "link.json": json.dumps(figures, indent=1, allow_nan=False) + "\n",
    }
    write_files(folder, files)
    return list(files)


def _ber_curves(levels):
    before = [pam_ber(snr, levels) for snr in SNR[levels]]
    return {key: [fec.after(ber) for ber in before] for key, fec in CODES.items()}
