"""cocotb benches, one a block."""
