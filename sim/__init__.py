"""Golden model, cocotb benches and their runner. Shares parameters with the gateware, never tables or algorithms."""
