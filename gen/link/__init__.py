"""Analysis of the link: BER, SNR and MTTFPA of codes and PCS formats (D 5.2.1)."""

__all__ = ["SEED", "WORDS"]

#: Monte Carlo without options: words a point, seed.
WORDS = 400_000
SEED = 1
