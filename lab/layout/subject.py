"""The design to lay out: the Verilog of a block, or of a component that is not a block."""

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dsnswitch.gen.emit.verilog.convert import finished, plain
from dsnswitch.gen.emit.verilog.hierarchy import hierarchical_rtlil
from dsnswitch.gen.emit.verilog.library import Library
from dsnswitch.gen.emit.verilog.parse import parse
from dsnswitch.lab.synth.measure import design_of
from dsnswitch.lab.synth.source import Source

__all__ = ["Subject", "of_block", "of_component"]


@dataclass(frozen=True)
class Subject:
    """The Verilog of a design, and its name.

    Attributes
    ----------
    name : str
        Name of the top module and of the files.
    verilog : str
    settled : tuple of str
        Inputs that have settled before a packet arrives: straps, and ports that write tables.
    """

    name: str
    verilog: str
    settled: tuple

    @contextmanager
    def source(self):
        """Context with the :class:`Source` of the design. Its file exists within the context."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "design.v")
            path.write_text(self.verilog, encoding="utf-8")
            yield Source((path,), self.name, self.settled)


def of_block(block):
    """The :class:`Subject` of a configured block."""
    design = design_of(block)
    return Subject(design.about["top"], design.verilog(), design.settled)


def of_component(name, component, settled=()):
    """The :class:`Subject` of an Amaranth ``component``."""
    library = Library(name)
    rtlil = hierarchical_rtlil(component, name, library)
    return Subject(name, finished(parse(plain(rtlil)), library, ()), tuple(settled))
