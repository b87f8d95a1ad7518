"""Baselines to compare figures with: straightforward versions of common designs. Not part of the switch."""
