"""Longest-prefix match and the keys of tables."""
