"""Small combinational units that every room uses."""

from .ones import LeadingOne, TrailingOne, decode
from .subtract import Subtract

__all__ = ["LeadingOne", "Subtract", "TrailingOne", "decode"]
