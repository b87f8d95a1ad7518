"""cocotb benches, one per block or family of blocks, with the drivers that they share."""
