"""Line decoder of the light link: converts codewords to blocks, with correction and descrambler."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.fec.secded.decoder import SecdedDecoder
from dsnswitch.hdl.line.light_fec import CODE
from dsnswitch.hdl.pcs.pcs260.header import HeaderDecoder
from dsnswitch.hdl.pcs.scrambler import TAPS

__all__ = ["LineDecoder"]

#: Bits of the header, before the body.
_HEADER = 4


class LineDecoder(wiring.Component):
    """Corrects a codeword and descrambles its body. Combinational, apart from the descrambler's state.

    The sums of received bits do not wait for the correction: a wrong bit inverts three plain bits, which follow from its
    position. The header's own distance decides between data and control, so this is known before the correction.

    Members
    -------
    valid, word : In(1), In(270)
        A codeword arrives.
    is_data : Out(1)
        The block is a data block.
    plain : Out(256)
        The plain body.
    early_field : Out(8)
        Octet 0 of word 1, not corrected.
    corrected : Out(1)
        One bit of the codeword was wrong.
    bad : Out(1)
        The codeword is uncorrectable, or its header is not valid.
    framed : Out(1)
        No bit of the header is wrong.
    """

    valid: In(1)
    word: In(CODE.n)
    is_data: Out(1)
    plain: Out(256)
    early_field: Out(8)
    corrected: Out(1)
    bad: Out(1)
    framed: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = SecdedDecoder(CODE)
        m.submodules.header_decoder = header = HeaderDecoder()
        earlier = Signal(TAPS[1])
        m.d.comb += [
            decoder.word.eq(self.word),
            header.header.eq(self.word[:_HEADER]),
            self.is_data.eq(header.is_data),
            self.corrected.eq(decoder.corrected),
            self.bad.eq(decoder.uncorrectable | header.bad),
            self.framed.eq(header.exact),
        ]
        received = Cat(earlier, self.word[_HEADER : CODE.k])
        wrong = decoder.position[_HEADER : CODE.k]
        for bit in range(len(self.plain)):
            plain = Signal(name=f"plain_{bit}")
            ages = (0, *TAPS)
            hits = [wrong[bit - age] for age in ages if bit >= age]
            m.d.comb += [
                plain.eq(Cat(received[TAPS[1] + bit - age] for age in ages).xor()),
                self.plain[bit].eq(plain ^ Cat(hits).any()),
            ]
            if bit in range(64, 72):
                m.d.comb += self.early_field[bit - 64].eq(plain)
        with m.If(self.valid):
            m.d.sync += earlier.eq(decoder.data[-TAPS[1] :])
        return m
