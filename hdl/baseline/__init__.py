"""Yardsticks for the routing logic: straightforward versions of what others use. Not part of the switch."""

from .tcam import RouteTcam
from .torus import TorusRoute

__all__ = ["RouteTcam", "TorusRoute"]
