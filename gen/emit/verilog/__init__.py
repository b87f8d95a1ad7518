"""Readable Verilog from a component, the same text on every run.

``hierarchy`` makes RTLIL with Amaranth, ``convert`` calls Yosys, ``widths`` makes operands equally wide, ``parse`` reads what
Yosys writes, ``inline`` removes unnamed wires, ``order`` finds the data path, ``layout`` writes the final text.
"""

from .convert import convert
from .hierarchy import hierarchical_rtlil

__all__ = ["convert", "hierarchical_rtlil"]
