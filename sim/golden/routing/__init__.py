"""Whole paths of the papers' routing algorithms."""
