"""Decisions of a switch."""
