"""Defaults of the Monte Carlo commands. The command line reads them without loading numpy."""

#: Words per bit error rate, patterns of wrong bits in the framing of a block, seed.
WORDS = 400_000
PATTERNS = 2000
SEED = 1
