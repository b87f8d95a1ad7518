"""Analysis of the link: BER, SNR and MTTFPA of codes and PCS formats (D 5.2.1)."""

__all__ = ["PATTERNS", "SEED", "WORDS"]

#: Monte Carlo without options: words a point, patterns of wrong bits in a block's framing, seed.
WORDS = 400_000
PATTERNS = 2000
SEED = 1
