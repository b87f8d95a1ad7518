"""Tables and plots of the link analysis, and the folder with all of them. The terminal and the JSON output use the same rows."""

import json
import math
from functools import cache
from typing import Any

import numpy as np

from dsnswitch.gen.writing import make_folder, write_files
from dsnswitch.lab.codes.ber import pam_ber, pam_snr, wanted_before
from dsnswitch.lab.codes.codes import BUILT, CODES, SECDED, montecarlo_rows
from dsnswitch.lab.codes.defaults import PATTERNS, SEED, WORDS
from dsnswitch.lab.codes.mttfpa import PAPER, UNCOUNTED, UNIVERSE, YEAR, clustered, independent, mttfpa
from dsnswitch.lab.codes.secded import delivered
from dsnswitch.net.files.plotting import BLUE, GREEN, PURPLE, RED, new_figure, svg
from dsnswitch.sim.golden.pcs.framing_errors import sample

#: D's PCS formats: name -> p_frame(BER). Any function is accepted. If it has a method ``given(n)`` (p_frame for each number of
#: wrong bits in a word of n bits), the table also has the rows of the code as built.
FORMATS = {**PAPER, **UNCOUNTED}


@cache
def _sampled(layout, patterns, seed):
    return sample(layout, patterns, seed=seed)


def built_formats() -> Any:
    """The two layouts of 256b/260b in this project, with the exact effect of wrong bits in their framing."""
    return {f"260b, {layout}": _sampled(layout, PATTERNS, SEED) for layout in ("literal", "protected")}


def framing_rows(patterns: int, seed: int) -> Any:
    """Effect of one, two and three wrong bits in the framing of a block: shares among ``patterns`` random patterns each."""
    return [
        {"format": layout, "wrong": wrong, "patterns": patterns, **shares}
        for layout in ("literal", "protected")
        for wrong, shares in _sampled(layout, patterns, seed).shares.items()
    ]


def ber_rows(ber) -> list[dict]:
    """BER after each code at the BER ``ber`` before correction."""
    return [{"code": fec.name, "before": ber, "after": fec.after(ber)} for fec in (*CODES.values(), BUILT)]


def snr_rows(ber, levels) -> list[dict]:
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


def built_mttfpa(p_frame, ber, drop_flagged):
    """MTTFPA in seconds after the SECDED code as built, at ``ber`` before correction; None for a format without ``given``."""
    if not hasattr(p_frame, "given"):
        return None
    return mttfpa(*clustered(delivered(SECDED, ber), p_frame.given(SECDED.n), drop_flagged))


def mttfpa_rows(ber, formats=None) -> list[dict]:
    """MTTFPA of each format after each code at ``ber`` before correction: in seconds, and in lifetimes of the universe.

    The SECDED code has three rows: one with independent wrong bits at its BER after correction, as in D, and two as built.
    """
    rows, formats = [], FORMATS | built_formats() if formats is None else formats

    def add(name, fec, assumed, seconds):
        finite = seconds is not None and math.isfinite(seconds)
        units = {"seconds": 1, "years": YEAR, "universes": UNIVERSE}
        times = {unit: seconds / length if finite else None for unit, length in units.items()}
        rows.append({"pcs": name, "code": fec.name, "assumed": assumed, "after": fec.after(ber), **times})

    for name, p_frame in formats.items():
        for fec in CODES.values():
            add(name, fec, "independent", independent(p_frame, fec.after(ber)))
        add(name, BUILT, "flags ignored", built_mttfpa(p_frame, ber, False))
        add(name, BUILT, "flagged frames dropped", built_mttfpa(p_frame, ber, True))
    return rows


# Plots of the link analysis: D Fig. 5.3 and 5.5.

#: Style of each code's curve: colour, dashes, marker. Codes differ in all three, so that a print without colour is readable.
CURVES = {
    "none": ("#555555", "-", "x"),
    "secded": (BLUE, "--", "o"),
    "bch": (GREEN, "-.", "s"),
    "rs255": ("#7f6000", ":", "v"),
    "rs528": (RED, "-", "^"),
    "rs544": (PURPLE, (0, (8, 2)), "D"),
}
#: Style of each PCS format's curve; 260b by D's formula, and as built in two layouts.
PLOTTED = {
    "66b": (GREEN, "-", "s"),
    "257b": (RED, (0, (8, 2)), "^"),
    "260b": (BLUE, "--", "o"),
    "257b, flags counted": ("#cc4125", ":", "<"),
    "260b, flags counted": ("#134f5c", (0, (3, 1, 1, 1, 1, 1)), ">"),
    "260b, literal": (PURPLE, "-.", "D"),
    "260b, protected": ("#cc6600", ":", "v"),
}
#: Distance between the markers of a curve, in diagonals of the axes.
DISTANCE = 0.12


def _markers(marker, row, rows):
    """Markers of a curve. Those of several curves are shifted against each other, so that coinciding curves remain visible."""
    return {"marker": marker, "markersize": 5, "markevery": (DISTANCE * row / rows, DISTANCE)}


def _limits(axes, x, y, label_x, label_y):
    axes.set_xlim(*x)
    axes.set_ylim(*y)
    axes.set_xlabel(label_x)
    axes.set_ylabel(label_y)


def mttfpa_plot(curves) -> str:
    """D Fig. 5.3: ``curves`` is {format: (post-FEC BER, years)}."""
    figure, axes = new_figure("MTTFPA, independent wrong bits (D Eq. 5.1)")
    for row, (name, (bers, years)) in enumerate(curves.items()):
        colour, dashes, marker = PLOTTED[name]
        look = {"color": colour, "linestyle": dashes, "linewidth": 1.3, **_markers(marker, row, len(curves))}
        axes.loglog(bers, years, label=name, **look)
    _limits(axes, (1e-15, 1e-6), (1e-5, 1e35), "BER after correction", "years, one link of 100 Gb/s")
    axes.set_yticks([10.0**exponent for exponent in range(0, 36, 5)])
    axes.axhline(UNIVERSE / YEAR, color="black", linewidth=0.8)
    backing = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}
    axes.text(1.4e-15, UNIVERSE / YEAR * 3, "age of the universe", fontsize=8, bbox=backing)
    axes.legend(loc="upper right", handlelength=4)
    return svg(figure)


def ber_plot(levels, snr, curves, measured) -> str:
    """D Fig. 5.5: ``curves`` is {code: BER after correction} over ``snr`` in dB.

    ``measured`` contains the rows of the Monte Carlo simulation.
    """
    figure, axes = new_figure(f"PAM-{levels}")
    for row, (key, (colour, dashes, marker)) in enumerate(CURVES.items()):
        look = _markers(marker, row, len(CURVES))
        axes.semilogy(snr, curves[key], color=colour, linestyle=dashes, label=CODES[key].name, **look)
    after = np.array([row["after"] for row in measured])
    bars = np.abs(np.array([row["after_interval"] for row in measured]).T - after)
    at = [pam_snr(row["ber"], levels) for row in measured]
    label = f"Monte Carlo, {CODES['secded'].name}"
    axes.errorbar(at, after, yerr=bars, fmt="P", markersize=7, color="black", label=label)
    _limits(axes, (snr[0], snr[-1]), (1e-16, 1), "E$_b$/N$_0$ of a bit on the wire, dB", "BER after correction")
    axes.legend(loc="lower left", handlelength=4)
    return svg(figure)


# Writes the folder of the link analysis: plots, and all their figures as JSON.

#: Post-FEC BER of the MTTFPA plots, and SNR in dB of the BER plots for each PAM-M; the ranges are those of D's figures.
AFTER = np.logspace(-15, -6, 37)
SNR = {4: np.linspace(4, 20, 129), 8: np.linspace(8, 24, 129)}


def write(folder, words=WORDS, seed=SEED) -> list[str]:
    """Write the plots and ``link.json`` to ``folder``; returns the names of the files. Equal arguments give equal text."""
    make_folder(folder)
    measured, formats = montecarlo_rows(words, seed), FORMATS | built_formats()
    years = {name: [independent(p_frame, ber) / YEAR for ber in AFTER] for name, p_frame in formats.items()}
    bers = {levels: _ber_curves(levels) for levels in SNR}
    figures = {
        "mttfpa": {"after": list(AFTER), "years": years},
        "ber": {f"PAM-{levels}": {"snr": list(SNR[levels]), **curves} for levels, curves in bers.items()},
        "montecarlo": {"seed": seed, "rows": measured},
    }
    files = {
        "mttfpa.svg": mttfpa_plot({name: (AFTER, found) for name, found in years.items()}),
        **{f"ber-pam{levels}.svg": ber_plot(levels, SNR[levels], bers[levels], measured) for levels in SNR},
        "link.json": json.dumps(figures, indent=1, allow_nan=False) + "\n",
    }
    write_files(folder, files)
    return list(files)


def _ber_curves(levels):
    before = [pam_ber(snr, levels) for snr in SNR[levels]]
    return {key: [fec.after(ber) for ber in before] for key, fec in CODES.items()}
