"""Small combinational units that every room uses."""

from .compare import AtLeast
from .ones import LeadingOne, TrailingOne, decode

__all__ = ["AtLeast", "LeadingOne", "TrailingOne", "decode"]
