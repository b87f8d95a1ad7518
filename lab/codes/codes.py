"""Error-correcting codes of the link, checks of the operating points that a user asks for, and Monte Carlo simulation."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.lab.codes.ber import correcting_ber, pam_ber, pam_limit, pam_snr, reed_solomon_ber
from dsnswitch.lab.codes.defaults import SEED, WORDS
from dsnswitch.lab.codes.secded import Z95, delivered, interval, simulate
from dsnswitch.net.messages import UsageError

#: Smallest BER that a user may ask for. Far below it, probabilities are outside the range of a float.
SMALLEST_WANTED_BER = 1e-30


@dataclass(frozen=True)
class Fec:
    """An error-correcting code: words of ``n`` bits with ``k`` data bits, and ``after``, its BER after correction.

    ``after`` is a function of the BER before correction.
    """

    name: str
    n: int
    k: int
    after: Callable[[float], float]

    @property
    def rate_loss(self) -> float:
        """Energy of the check bits in dB: 10 log10 (n / k)."""
        return 10 * math.log10(self.n / self.k)


def _reed_solomon(n, k, m):
    return Fec(f"RS({n},{k})", m * n, m * k, lambda ber: reed_solomon_ber(ber, n, k, m))


#: The code of the light link, which is the default code of the gateware.
SECDED = SecdedCode(270, 260)

#: The codes of the dissertation with its formulas, by the names in tables and plots. D's FEC(t=1) is the SECDED code of the light
#: link. D gives no length for t = 2; here it is the shortened double-correcting BCH code with 18 check bits.
CODES = {
    "none": Fec("none", 1, 1, lambda ber: ber),
    "secded": Fec("SECDED(270,260)", 270, 260, lambda ber: correcting_ber(ber, 270, 1)),
    "bch": Fec("BCH(278,260)", 278, 260, lambda ber: correcting_ber(ber, 278, 2)),
    "rs255": _reed_solomon(255, 239, 8),
    "rs528": _reed_solomon(528, 514, 10),
    "rs544": _reed_solomon(544, 514, 10),
}

#: The SECDED code with exact figures of its decoder, which is not a formula of D.
BUILT = Fec("SECDED(270,260), as built", SECDED.n, SECDED.k, lambda ber: delivered(SECDED, ber).ber)


def operating_point(ber, snr, levels) -> Any:
    """``(ber, snr)`` before correction, calculated from the one that is given.

    SNR is in dB, and None if PAM does not have this BER. Raises :class:`UsageError` if both or none are given, or the value is
    out of range.
    """
    if (ber is None) == (snr is None):
        raise UsageError("Give either --ber (before correction) or --snr")
    if ber is not None:
        if not SMALLEST_WANTED_BER <= ber <= 0.3:
            raise UsageError(f"BER before correction must be in {SMALLEST_WANTED_BER:g}..0.3, not {ber:g}")
        return ber, pam_snr(ber, levels) if ber < pam_limit(levels) else None
    if not -20 <= snr <= 40:
        raise UsageError(f"SNR must be in -20..40 dB, not {snr:g}")
    ber = pam_ber(snr, levels)
    if ber < SMALLEST_WANTED_BER:
        raise UsageError(f"PAM-{levels} at {snr:g} dB has a BER below {SMALLEST_WANTED_BER:g}, which is too small")
    return ber, snr


# Monte Carlo simulation of the golden SECDED code, compared with D's formula and with the exact figures.

#: BER before correction of each row. Below the last one, uncorrected errors are too rare to simulate.
POINTS = tuple(10**exponent for exponent in (-1.5, -2.0, -2.5, -3.0, -3.5))


def montecarlo_rows(words: int = WORDS, seed: int = SEED) -> list[dict]:
    """One row per BER: measured figures, 95 % intervals, D Eq. 5.6, and the exact figures of the code as built."""
    rows = []
    for place, ber in enumerate(POINTS):
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
