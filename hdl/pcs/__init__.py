"""Physical coding sublayers (PCS): 64b/66b, 256b/257b, 256b/260b, and their common parts."""
