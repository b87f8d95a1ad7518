"""The switch: a core with a fabric port on each port to another switch, in one top."""

from .switch import Switch, port_latency

__all__ = ["Switch", "port_latency"]
