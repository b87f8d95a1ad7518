"""Simulation of a whole network: every switch as RTL, and hosts that send packets."""
