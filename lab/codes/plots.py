"""Plots of the link analysis: D Fig. 5.3 and 5.5, and the code as built compared with the formulas."""

import numpy as np

from dsnswitch.lab.codes.ber import pam_snr
from dsnswitch.lab.codes.codes import CODES
from dsnswitch.lab.codes.mttfpa import UNIVERSE, YEAR
from dsnswitch.net.files.plotting import new_figure, svg

__all__ = ["ber_plot", "built_plot", "mttfpa_plot", "secded_plot"]

#: Style of each code's curve: colour, dashes, marker. Codes differ in all three, so that a print without colour is readable.
CURVES = {
    "none": ("#555555", "-", "x"),
    "secded": ("#0b5394", "--", "o"),
    "bch": ("#38761d", "-.", "s"),
    "rs255": ("#7f6000", ":", "v"),
    "rs528": ("#990000", "-", "^"),
    "rs544": ("#674ea7", (0, (8, 2)), "D"),
}
#: Style of each PCS format's curve; 260b by D's formula, and as built in two layouts.
FORMATS = {
    "66b": ("#38761d", "-", "s"),
    "257b": ("#990000", (0, (8, 2)), "^"),
    "260b": ("#0b5394", "--", "o"),
    "257b, flags counted": ("#cc4125", ":", "<"),
    "260b, flags counted": ("#134f5c", (0, (3, 1, 1, 1, 1, 1)), ">"),
    "260b, literal": ("#674ea7", "-.", "D"),
    "260b, protected": ("#cc6600", ":", "v"),
}
#: Label, dashes and marker filling for each assumption about errors. Colour and marker depend on the format.
ASSUMED = {
    "independent": ("independent bits, D Eq. 5.1", "-", "full"),
    "flags ignored": ("as built, flags ignored", "--", "none"),
    "flagged frames dropped": ("as built, flagged frames dropped", ":", "left"),
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


def _years(axes, bottom):
    _limits(axes, (1e-15, 1e-6), (bottom, 1e35), "BER after correction", "years, one link of 100 Gb/s")
    axes.set_yticks([10.0**exponent for exponent in range(0, 36, 5)])
    axes.axhline(UNIVERSE / YEAR, color="black", linewidth=0.8)
    backing = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}
    axes.text(1.4e-15, UNIVERSE / YEAR * 3, "age of the universe", fontsize=8, bbox=backing)


def _look(name, row, rows):
    """Line and marker style of a format's curve. A format that is not in :data:`FORMATS` gets the style of the last one."""
    colour, dashes, marker = FORMATS.get(name) or [*FORMATS.values()][-1]
    return {"color": colour, "linestyle": dashes, "linewidth": 1.3, **_markers(marker, row, rows)}


def mttfpa_plot(curves):
    """D Fig. 5.3: ``curves`` is {format: (post-FEC BER, years)}."""
    figure, axes = new_figure("MTTFPA, independent wrong bits (D Eq. 5.1)")
    for row, (name, (bers, years)) in enumerate(curves.items()):
        axes.loglog(bers, years, label=name, **_look(name, row, len(curves)))
    _years(axes, 1e-5)
    axes.legend(loc="upper right", fontsize=9, handlelength=4)
    return svg(figure)


def built_plot(curves):
    """The code as built, compared with Eq. 5.1: ``curves`` is {(format, assumption): (post-FEC BER, years)}."""
    figure, axes = new_figure(f"MTTFPA after {CODES['secded'].name}", 6.4, 5.6)
    for row, ((name, assumed), (bers, years)) in enumerate(curves.items()):
        label, dashes, filling = ASSUMED[assumed]
        look = _look(name, row, len(curves)) | {"linestyle": dashes, "fillstyle": filling}
        axes.loglog(bers, years, label=f"{name}, {label}", **look)
    _years(axes, 1e-2)
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.14), ncols=2, fontsize=8, handlelength=4)
    return svg(figure)


def ber_plot(levels, snr, curves, measured):
    """D Fig. 5.5: ``curves`` is {code: BER after correction} over ``snr`` in dB.

    ``measured`` contains the rows of the Monte Carlo simulation.
    """
    figure, axes = new_figure(f"PAM-{levels}")
    for row, (key, (colour, dashes, marker)) in enumerate(CURVES.items()):
        look = _markers(marker, row, len(CURVES))
        axes.semilogy(snr, curves[key], color=colour, linestyle=dashes, label=CODES[key].name, **look)
    axes.errorbar(
        [pam_snr(row["ber"], levels) for row in measured],
        [row["after"] for row in measured],
        yerr=_bars(measured, "after", [row["after"] for row in measured]),
        fmt="P",
        markersize=7,
        color="black",
        label=f"Monte Carlo, {CODES['secded'].name}",
    )
    _limits(axes, (snr[0], snr[-1]), (1e-16, 1), "E$_b$/N$_0$ of a bit on the wire, dB", "BER after correction")
    axes.legend(loc="lower left", fontsize=8, handlelength=4)
    return svg(figure)


def _bars(rows, key, values):
    return np.array([[v - row[f"{key}_interval"][0], row[f"{key}_interval"][1] - v] for v, row in zip(values, rows)]).T


def secded_plot(bers, exact, formula, measured):
    """Formula, exact figures of the code as built, and Monte Carlo: ratio of BERs, and shares of words with an error.

    ``exact`` is a list of :class:`Delivered`, one for each of ``bers``; ``formula`` contains the values of Eq. 5.6 at ``bers``.
    """
    figure, (left, right) = new_figure("BER after / D Eq. 5.6", 8.6, 3.8, ncols=2)
    at = [row["ber"] for row in measured]
    built = [entry.ber / value for entry, value in zip(exact, formula)]
    left.axhline(1, color="#555555", linestyle="--", label="D Eq. 5.6")
    left.semilogx(bers, built, color="#0b5394", label="as built, exact")
    bars = _bars(measured, "after", [row["after"] for row in measured]) / [row["after_formula"] for row in measured]
    ratios = [row["after"] / row["after_formula"] for row in measured]
    left.errorbar(at, ratios, yerr=bars, fmt="o", markersize=4, capsize=3, color="black", label="Monte Carlo, 95 %")
    _limits(left, (bers[0], bers[-1]), (0.97, 1.15), "BER before correction", "ratio")
    left.legend(loc="upper left", fontsize=9)
    right.set_title("Words delivered wrong", fontsize=10, loc="left")
    shown = (("flagged", "flagged", "#38761d", "-", "o"), ("unflagged", "not flagged", "#990000", "--", "^"))
    for key, label, colour, dashes, marker in shown:
        values = [getattr(entry, key).sum() for entry in exact]
        right.loglog(bers, values, color=colour, linestyle=dashes, label=f"{label}, exact")
        shares = [row[key] / row["words"] for row in measured]
        bars = _bars(measured, key, shares)
        right.errorbar(at, shares, yerr=bars, fmt=marker, markersize=5, capsize=3, color=colour)
    _limits(right, (bers[0], bers[-1]), (1e-9, 2), "BER before correction", "share of all words")
    right.legend(loc="lower right", fontsize=9, title="markers: Monte Carlo, 95 %", title_fontsize=9)
    return svg(figure)
