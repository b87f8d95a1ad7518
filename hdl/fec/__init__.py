"""Forward error correction: a folder a code; in each parameters, plain integers, gateware, in this order."""
