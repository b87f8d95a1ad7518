"""Routing tables in hardware: longest-prefix match in flip-flops, and direct index in RAM. They know no topology."""
