"""From blocks to codewords of the line: scrambler and SECDED encoder."""

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..fec.secded import SecdedEncoder
from ..link import CODE
from ..pcs.pcs260.header import CONTROL, DATA
from ..pcs.scrambler import scramble

__all__ = ["LineEncoder"]


class LineEncoder(wiring.Component):
    """Scrambles a body and appends header and check bits. Latency 1 cycle, one block per cycle.

    Members
    -------
    is_data : In(1)
        The block is a data block.
    body : In(256)
        Its body.
    taken : Out(1)
        The body enters the line in this cycle.
    o : Out(stream of 270 bits)
        Codewords. Always valid after the first cycle.
    """

    latency = 1

    is_data: In(1)
    body: In(256)
    taken: Out(1)
    o: Out(stream.Signature(CODE.n))

    def elaborate(self, platform):
        m = Module()
        m.submodules.encoder = encoder = SecdedEncoder(CODE)
        m.d.comb += [
            self.taken.eq(self.o.ready | ~self.o.valid),
            encoder.data.eq(Cat(Mux(self.is_data, DATA, CONTROL), scramble(m, self.taken, self.body))),
        ]
        m.d.sync += self.o.valid.eq(1)
        with m.If(self.taken):
            m.d.sync += self.o.payload.eq(encoder.word)
        return m
