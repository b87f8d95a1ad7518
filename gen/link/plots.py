"""Plots of the link analysis: D Fig. 5.3 and 5.5 anew, and the code as built beside the formulas."""

import numpy as np

from ...sim.golden.link.ber import pam_snr
from ...sim.golden.link.mttfpa import UNIVERSE, YEAR
from ..plotting import new_figure, svg

__all__ = ["ber_plot", "built_plot", "mttfpa_plot", "secded_plot"]

#: Codes of D Fig. 5.5: label as there, colour.
CURVES = (
    ("none", "none", "#555555"),
    ("hamming", "FEC(t=1), 270 bits", "#0b5394"),
    ("bch", "FEC(t=2), 278 bits", "#38761d"),
    ("rs528", "RS(528,514)", "#990000"),
    ("rs255", "RS(255,239)", "#7f6000"),
)
FORMAT_COLOURS = {"66b": "#38761d", "257b": "#990000", "260b": "#0b5394"}
FORMAT_COLOURS |= {"260b, literal": "#674ea7", "260b, protected": "#cc6600"}


def _limits(axes, x, y, label_x, label_y):
    axes.set_xlim(*x)
    axes.set_ylim(*y)
    axes.set_xlabel(label_x)
    axes.set_ylabel(label_y)


def _years(axes, bottom):
    _limits(axes, (1e-15, 1e-6), (bottom, 1e35), "BER after correction", "years, one link of 100 Gb/s")
    axes.set_yticks([10.0**exponent for exponent in range(0, 36, 5)])
    axes.axhline(UNIVERSE / YEAR, color="black", linewidth=0.8)
    axes.text(1.4e-15, UNIVERSE / YEAR * 2, "age of the universe", fontsize=8)


def _look(name, dash=None):
    """Colour of a format; curves that coincide show by turns, 260b's dashes lying in the gaps of the others."""
    style = "-" if dash is None else (dash if name.startswith("260b") else 0, (dash, dash))
    return {"color": FORMAT_COLOURS.get(name) or FORMAT_COLOURS[name.partition(",")[0]], "linestyle": style}


def mttfpa_plot(curves):
    """D Fig. 5.3: ``curves`` is {format: (post-FEC BER, years)}."""
    figure, axes = new_figure("MTTFPA, independent wrong bits (D Eq. 5.1)")
    for name, (bers, years) in curves.items():
        axes.loglog(bers, years, label=name, **_look(name, 5 if "," in name else None))
    _years(axes, 1e-5)
    axes.legend(loc="upper right", fontsize=9)
    return svg(figure)


def built_plot(curves):
    """The code as built against Eq. 5.1: ``curves`` is {(format, assumption): (post-FEC BER, years)}."""
    figure, axes = new_figure("MTTFPA behind Hamming(270,260)", 6.4, 5.6)
    dashes = {"independent": None, "flags ignored": 5, "flagged frames dropped": 1.5}
    labels = {"independent": "independent bits, D Eq. 5.1", "flags ignored": "as built, flags ignored"}
    for (name, assumed), (bers, years) in curves.items():
        label = f"{name}, {labels.get(assumed, 'as built, flagged frames dropped')}"
        axes.loglog(bers, years, label=label, **_look(name, dashes[assumed]))
    _years(axes, 1e-2)
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.14), ncols=2, fontsize=8)
    return svg(figure)


def ber_plot(levels, snr, curves, measured):
    """D Fig. 5.5: ``curves`` is {code: BER after} over ``snr`` in dB, ``measured`` the rows of the Monte Carlo."""
    figure, axes = new_figure(f"PAM-{levels}")
    for key, label, colour in CURVES:
        axes.semilogy(snr, curves[key], color=colour, label=label)
    axes.errorbar(
        [pam_snr(row["ber"], levels) for row in measured],
        [row["after"] for row in measured],
        yerr=_bars(measured, "after", [row["after"] for row in measured]),
        fmt="o",
        markersize=4,
        color=CURVES[1][2],
        label="Monte Carlo, Hamming(270,260)",
    )
    _limits(axes, (snr[0], snr[-1]), (1e-16, 1), "E$_b$/N$_0$ of a bit on the wire, dB", "BER after correction")
    axes.legend(loc="lower left", fontsize=9)
    return svg(figure)


def _bars(rows, key, values):
    return np.array([[v - row[f"{key}_interval"][0], row[f"{key}_interval"][1] - v] for v, row in zip(values, rows)]).T


def secded_plot(bers, exact, formula, measured):
    """Formula, exact figures of the code as built, Monte Carlo: ratio of BERs, and shares of words with an error.

    ``exact`` is a list of :class:`Delivered` over ``bers``, ``formula`` Eq. 5.6 over them.
    """
    figure, (left, right) = new_figure("BER after / D Eq. 5.6", 8.6, 3.8, ncols=2)
    at = [row["ber"] for row in measured]
    built = [entry.ber / value for entry, value in zip(exact, formula)]
    left.axhline(1, color="#555555", label="D Eq. 5.6")
    left.semilogx(bers, built, color="#0b5394", label="as built, exact")
    bars = _bars(measured, "after", [row["after"] for row in measured]) / [row["after_formula"] for row in measured]
    ratios = [row["after"] / row["after_formula"] for row in measured]
    left.errorbar(at, ratios, yerr=bars, fmt="o", markersize=4, capsize=3, color="black", label="Monte Carlo, 95 %")
    _limits(left, (bers[0], bers[-1]), (0.97, 1.15), "BER before correction", "ratio")
    left.legend(loc="upper left", fontsize=9)
    right.set_title("Words delivered wrong", fontsize=10, loc="left")
    for key, label, colour in (("flagged", "flagged", "#38761d"), ("unflagged", "not flagged", "#990000")):
        right.loglog(bers, [getattr(entry, key).sum() for entry in exact], color=colour, label=f"{label}, exact")
        shares = [row[key] / row["words"] for row in measured]
        bars = _bars(measured, key, shares)
        right.errorbar(at, shares, yerr=bars, fmt="o", markersize=4, capsize=3, color=colour)
    _limits(right, (bers[0], bers[-1]), (1e-9, 2), "BER before correction", "share of all words")
    right.legend(loc="lower right", fontsize=9, title="dots: Monte Carlo, 95 %", title_fontsize=9)
    return svg(figure)
