"""Speed of simulated networks, measured against Verilator's instances of the same Verilog."""
