"""Simulation: golden model, cocotb benches, their runner. It shares parameters with the gateware, not tables or algorithms."""
