"""A stand-in for the Reed-Solomon encoder, which takes seconds to simulate."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.stream.stage import stage

__all__ = ["NoParity"]


class NoParity(wiring.Component):
    """The register of a Reed-Solomon encoder, without parity."""

    def __init__(self, code, width):
        super().__init__({"i": In(stream.Signature(10 * width)), "o": Out(stream.Signature(10 * width))})

    def elaborate(self, platform):
        m = Module()
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += self.o.payload.eq(self.i.payload)
        return m
