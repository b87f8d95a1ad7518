"""Components beside each other in one top."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out, connect, flipped

__all__ = ["Beside"]


class Beside(wiring.Component):
    """Parts that share nothing but the clock, each with its ports under its name.

    Parameters
    ----------
    parts : Component
        By name.
    """

    def __init__(self, **parts):
        self._parts = parts
        super().__init__({name: Out(part.signature) for name, part in parts.items()})

    def elaborate(self, platform):
        m = Module()
        for name, part in self._parts.items():
            m.submodules[name] = part
            connect(m, flipped(getattr(self, name)), part)
        return m
