"""Arithmetic in GF(2**m) as gateware: multipliers, inverse, quotient. An element is m bits; bit i is the coefficient of x**i."""
