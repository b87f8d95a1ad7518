"""cocotb benches, one per block or family of blocks, with the drivers that they share."""

import gc

# Models of the benches make millions of objects that live until the end; few searches for cyclic garbage save 3 % of the time.
gc.set_threshold(100_000, 50, 100)
