"""Monte Carlo simulation of the golden SECDED code, compared with D's formula and with the exact figures."""

from dataclasses import asdict

from dsnswitch.lab.codes import SEED, WORDS
from dsnswitch.lab.codes.codes import BUILT, CODES, SECDED
from dsnswitch.lab.codes.secded_montecarlo import Z95, interval, simulate
from dsnswitch.lab.codes.secded_spectrum import delivered

__all__ = ["POINTS", "montecarlo_rows"]

#: BER before correction of each row. Below the last one, uncorrected errors are too rare to simulate.
POINTS = tuple(10**exponent for exponent in (-1.5, -2.0, -2.5, -3.0, -3.5))


def montecarlo_rows(words=WORDS, seed=SEED, points=POINTS):
    """One row per BER: measured figures, 95 % intervals, D Eq. 5.6, and the exact figures of the code as built."""
    rows = []
    for place, ber in enumerate(points):
        found, exact = simulate(SECDED, ber, words, (seed, place)), delivered(SECDED, ber)
        half = Z95 * found.after_sigma
        rows.append(
            {
                **asdict(found),
                "after_interval": [max(found.after - half, 0.0), found.after + half],
                "after_formula": CODES["secded"].after(ber),
                "after_exact": BUILT.after(ber),
                "flagged_interval": list(interval(found.flagged, words)),
                "flagged_exact": float(exact.flagged.sum()),
                "unflagged_interval": list(interval(found.unflagged, words)),
                "unflagged_exact": float(exact.unflagged.sum()),
            }
        )
    return rows
