"""Simulation of a whole network: every switch as RTL, and hosts that send packets."""

from .network import Network, Packet

__all__ = ["Network", "Packet"]
