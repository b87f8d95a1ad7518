"""Forward error correction, one directory per code. Each has three layers: parameters, a codec in plain integers, gateware."""
