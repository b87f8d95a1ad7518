"""The transcoder as a stage of its own."""

from amaranth.hdl import Cat, Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...stream import stage
from .transcoder import Compressor, Expander, blocks66
from .words import sum_header

__all__ = ["Pcs257Rx", "Pcs257Tx"]


class Pcs257Tx(wiring.Component):
    """Four 64b/66b blocks to one of 257 bits. Latency 1 cycle, one block a cycle.

    Members
    -------
    i : In(stream of blocks66())
        Not scrambled, as the type fields must be seen.
    o : Out(stream of 257 bits)
        Bit 0 is 1 for four blocks of data, bits 1..256 the body (:mod:`.transcoder`); bits 0..4 are summed with 8..12.
    """

    latency = 1

    i: In(stream.Signature(blocks66()))
    o: Out(stream.Signature(257))

    def elaborate(self, platform):
        m = Module()
        m.submodules.compressor = compressor = Compressor()
        m.d.comb += compressor.blocks.eq(self.i.payload)
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += self.o.payload.eq(sum_header(Cat(compressor.is_data, compressor.body_bits)))
        return m


class Pcs257Rx(wiring.Component):
    """One block of 257 bits to four of 64b/66b. Latency 1 cycle, one block a cycle.

    Members
    -------
    i : In(stream of 257 bits)
    o : Out(stream of blocks66())
        Not scrambled. A header of two ones marks a block that is not to be believed.
    """

    latency = 1

    i: In(stream.Signature(257))
    o: Out(stream.Signature(blocks66()))

    def elaborate(self, platform):
        m = Module()
        m.submodules.expander = expander = Expander()
        m.d.comb += Cat(expander.is_data, expander.body_bits).eq(sum_header(self.i.payload))
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += self.o.payload.eq(expander.blocks)
        return m
