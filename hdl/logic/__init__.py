"""Small combinational units that every room uses."""

from .ones import LeadingOne, TrailingOne, decode

__all__ = ["LeadingOne", "TrailingOne", "decode"]
