"""Open RTL of a low-latency switch for the Distributed Shortcut Network. The folders here are links to those at the top."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dsnswitch.gen.front import Network

__all__ = ["__version__", "network"]


def network(name: str) -> Network:
    """A network by its name, as ``dsnswitch topologies`` lists them, such as ``grid:8x8:k4x2``."""
    from dsnswitch.gen.front import Network

    return Network(name)


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module 'dsnswitch' has no attribute {name!r}")
    from dsnswitch.gen.version import __version__

    return __version__
