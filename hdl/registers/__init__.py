"""Registers that software reads and writes: their description in plain Python, and the gateware that follows from it."""
