"""Readable Verilog from a component. Every run writes the same text.

``hierarchy`` makes RTLIL with Amaranth and names the modules, ``convert`` calls Yosys, ``widths`` makes operands equally wide,
``parse`` reads the text of Yosys, ``loops`` splits vectors whose bits depend on each other, ``inline`` removes or names unnamed
wires, ``order`` sorts by the data path, ``layout`` writes the final text.
"""
