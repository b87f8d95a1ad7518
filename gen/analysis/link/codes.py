"""Error correcting codes of the link, and where a user asks to look at them."""

from collections.abc import Callable
from dataclasses import dataclass

from ....hdl.fec.secded import SecdedCode
from ...errors import UsageError
from .ber import correcting_ber, pam_ber, pam_limit, pam_snr, rate_loss, reed_solomon_ber
from .secded_spectrum import delivered

__all__ = ["BUILT", "CODES", "LEVELS", "SMALLEST_BER", "Fec", "operating_point", "wanted_ber"]

#: PAM-M that the command line offers.
LEVELS = (2, 4, 8, 16)

#: What a user may ask for; far below it probabilities leave the range of a float.
SMALLEST_BER = 1e-30


@dataclass(frozen=True)
class Fec:
    """A code: words of ``n`` bits with ``k`` data bits, and its BER after correction as a function of that before."""

    name: str
    n: int
    k: int
    after: Callable[[float], float]

    @property
    def rate_loss(self):
        """Energy of the check bits in dB."""
        return rate_loss(self.n, self.k)


def _reed_solomon(n, k, m):
    return Fec(f"RS({n},{k})", m * n, m * k, lambda ber: reed_solomon_ber(ber, n, k, m))


#: The code of the light link, as the gateware builds it.
SECDED = SecdedCode(270, 260)

#: D's codes by D's formulas, with the names that tables and plots give them. What D calls FEC(t=1) is the SECDED code of the
#: light link; for t = 2 D names no length: 18 check bits, the shortened double-correcting BCH code.
CODES = {
    "none": Fec("none", 1, 1, lambda ber: ber),
    "secded": Fec("SECDED(270,260)", 270, 260, lambda ber: correcting_ber(ber, 270, 1)),
    "bch": Fec("BCH(278,260)", 278, 260, lambda ber: correcting_ber(ber, 278, 2)),
    "rs255": _reed_solomon(255, 239, 8),
    "rs528": _reed_solomon(528, 514, 10),
    "rs544": _reed_solomon(544, 514, 10),
}

#: The SECDED code with what its decoder really does; not a formula of D.
BUILT = Fec("SECDED(270,260), as built", SECDED.n, SECDED.k, lambda ber: delivered(SECDED, ber).ber)


def operating_point(ber, snr, levels):
    """``(ber, snr)`` before correction from the one that is given; SNR in dB, None where PAM has no such BER.

    Raises
    ------
    UsageError
        If not just one is given, or it is out of range.
    """
    if (ber is None) == (snr is None):
        raise UsageError("Give either --ber (before correction) or --snr")
    if ber is not None:
        if not SMALLEST_BER <= ber <= 0.3:
            raise UsageError(f"BER before correction must be in {SMALLEST_BER:g}..0.3, not {ber:g}")
        return ber, pam_snr(ber, levels) if ber < pam_limit(levels) else None
    if not -20 <= snr <= 40:
        raise UsageError(f"SNR must be in -20..40 dB, not {snr:g}")
    ber = pam_ber(snr, levels)
    if ber < SMALLEST_BER:
        raise UsageError(f"PAM-{levels} at {snr:g} dB has a BER below {SMALLEST_BER:g}, which is too small")
    return ber, snr


def wanted_ber(ber):
    """``ber``, if it can be asked for after correction.

    Raises
    ------
    UsageError
        If it is out of range.
    """
    if not SMALLEST_BER <= ber <= 0.1:
        raise UsageError(f"BER after correction must be in {SMALLEST_BER:g}..0.1, not {ber:g}")
    return ber
