"""Readable Verilog from a component. Every run writes the same text.

``hierarchy`` makes RTLIL with Amaranth, ``library`` names the modules, ``convert`` calls Yosys, ``widths`` makes operands equally
wide, ``parse`` reads the text of Yosys, ``inline`` removes unnamed wires, ``named`` and ``shared`` name the others and long
lists, ``order`` sorts by the data path, ``layout`` writes the final text.
"""
