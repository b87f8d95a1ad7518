"""What is laid out: the Verilog of a block, or of a component that is no block of its own."""

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..emit.verilog import Library, finished, hierarchical_rtlil, parse, plain
from ..synth.measure import design_of
from ..synth.source import Source

__all__ = ["Subject", "of_block", "of_component"]


@dataclass(frozen=True)
class Subject:
    """A design with a name.

    Attributes
    ----------
    name : str
        Of the top module and of the files.
    verilog : str
    settled : tuple of str
        Inputs that have settled when a packet comes: straps, and ports that write tables.
    """

    name: str
    verilog: str
    settled: tuple

    @contextmanager
    def source(self):
        """The :class:`~dsnswitch.gen.synth.source.Source`, whose file is there within the context."""
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
