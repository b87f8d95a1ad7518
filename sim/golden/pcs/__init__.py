"""PCS in plain integers, bit by bit, as the standard's tables and figures print it. Nothing is shared with the hardware."""
