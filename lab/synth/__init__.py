"""Measures blocks with a standard-cell model of our own and one fixed recipe; the figures are JSON."""
