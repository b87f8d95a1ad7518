"""Literal format: D 5.1.2 as it stands. Behind the header is what 256b/257b has behind its bit 0."""

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import wiring

from ..pcs66.word_decoder import WordDecoder
from ..pcs66.word_encoder import CONTROL_HEADER, ERROR_PAYLOAD, WordEncoder
from ..pcs257.transcoder import Compressor, Expander
from ..words import kinds_of, word_of
from .body import packer_members, unpacker_members
from .field import FieldDecoder, field_octet

__all__ = ["LiteralPacker", "LiteralUnpacker"]


class LiteralPacker(wiring.Component):
    """Words to body. Combinational. Members: :func:`~.body.packer_members`."""

    def __init__(self):
        super().__init__(packer_members())

    def elaborate(self, platform):
        m = Module()
        m.submodules.compressor = compressor = Compressor()
        for place in range(4):
            m.submodules[f"word_{place}"] = encoder = WordEncoder()
            octets, control = word_of(self.words, place)
            m.d.comb += [
                encoder.word.data.eq(octets),
                encoder.word.control.eq(control),
                encoder.types.eq(self.types[place]),
                compressor.blocks[place].payload.eq(Mux(self.good[place], encoder.block.payload, ERROR_PAYLOAD)),
                compressor.blocks[place].header.eq(Mux(self.good[place], encoder.block.header, CONTROL_HEADER)),
            ]
        m.d.comb += [self.is_data.eq(compressor.is_data), self.body.eq(compressor.body)]
        return m


class LiteralUnpacker(wiring.Component):
    """Body to words. Combinational. Members: :func:`~.body.unpacker_members`.

    The type fields of all control blocks but the first are whole, words of distance 4: one wrong bit of theirs is corrected.
    The flags and the first type's nibble have no distance.
    """

    def __init__(self):
        super().__init__(unpacker_members())

    def elaborate(self, platform):
        m = Module()
        m.submodules.expander = expander = Expander()
        m.d.comb += [expander.is_data.eq(self.is_data), expander.body.eq(self.body)]
        corrected, bad = [], []
        for place in range(4):
            m.submodules[f"field_{place}"] = field = FieldDecoder()
            m.submodules[f"word_{place}"] = decoder = WordDecoder()
            block, (octets, control) = expander.blocks[place], word_of(self.words, place)
            is_control = block.header == CONTROL_HEADER
            m.d.comb += [
                field.octet.eq(block.payload[:8]),
                decoder.block.header.eq(block.header),
                decoder.block.payload.eq(block.payload),
                self.kinds[place].eq(kinds_of(m, decoder.types, f"kinds_{place}")),
                octets.eq(decoder.word.data),
                control.eq(decoder.word.control),
            ]
            with m.If(is_control):
                m.d.comb += decoder.block.payload.eq(Cat(field_octet(field.nibble), block.payload[8:]))
            corrected.append(is_control & field.corrected)
            bad += [is_control & (field.bad | ~field.nibble.any()), block.header.xor() == 0]
        m.d.comb += [self.corrected.eq(Cat(corrected).any()), self.bad.eq(Cat(bad).any())]
        return m
