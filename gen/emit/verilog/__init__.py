"""Readable Verilog from a component, the same text on every run.

``hierarchy`` makes RTLIL with Amaranth, ``convert`` calls Yosys, ``widths`` makes operands equally wide, ``parse`` reads what
Yosys writes, ``inline`` removes unnamed wires, ``order`` finds the data path, ``layout`` writes the final text.
"""

from .convert import convert, finished, plain
from .hierarchy import Library, hierarchical_rtlil
from .parse import parse

__all__ = ["Library", "convert", "finished", "hierarchical_rtlil", "parse", "plain"]
