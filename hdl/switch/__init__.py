"""Parts of a switch put together."""

from .forwarding import KINDS, Forwarding

__all__ = ["KINDS", "Forwarding"]
