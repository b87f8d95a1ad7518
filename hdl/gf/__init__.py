"""Algebra over GF(2) in plain integers: fields, linear maps, tower fields, and XOR networks for many sums. No Amaranth."""
