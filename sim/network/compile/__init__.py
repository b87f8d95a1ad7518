"""The core as C++: its netlist from Yosys, the order of evaluation, the text, the compiler."""
