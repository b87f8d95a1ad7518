"""Measured figures of the project: ``docs/figures.json``, what is in it, and what makes an entry stale."""
