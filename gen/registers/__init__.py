"""Registers as documents and headers, by PeakRDL."""
