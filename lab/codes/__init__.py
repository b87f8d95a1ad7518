"""Analysis of the link: BER, SNR and MTTFPA of codes and PCS formats (D 5.2.1)."""

__all__ = ["PATTERNS", "SEED", "WORDS"]

#: Defaults of the Monte Carlo commands: words per bit error rate, patterns of wrong bits in the framing of a block, seed.
WORDS = 400_000
PATTERNS = 2000
SEED = 1
