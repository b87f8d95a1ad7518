"""Small combinational units that every room uses."""

from .magnitude import Magnitude
from .ones import TrailingOne, decode

__all__ = ["Magnitude", "TrailingOne", "decode"]
