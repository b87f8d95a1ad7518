"""256b/257b transmitter and receiver between 64b/66b blocks and blocks of 257 bits."""

from amaranth.hdl import Cat, Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.pcs257.mii import sum_header
from dsnswitch.hdl.pcs.pcs257.transcoder import Compressor, Expander, blocks66
from dsnswitch.hdl.stream.stage import stage

__all__ = ["Pcs257Rx", "Pcs257Tx"]


class Pcs257Tx(wiring.Component):
    """Transcodes four 64b/66b blocks to one block of 257 bits. Latency 1 cycle, one block per cycle.

    Members
    -------
    i : In(stream of blocks66())
        Four blocks, not scrambled, as transcoding reads their type fields.
    o : Out(stream of 257 bits)
        Bit 0 is 1 for four data blocks, bits 1..256 are the body (:mod:`transcoder`). Bits 0..4 are summed with bits
        8..12.
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
    """Transcodes one block of 257 bits to four 64b/66b blocks. Latency 1 cycle, one block per cycle.

    Members
    -------
    i : In(stream of 257 bits)
        The block.
    o : Out(stream of blocks66())
        Four blocks, not scrambled. A header of two ones marks an invalid block.
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
