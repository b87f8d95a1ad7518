"""Literal format of 256b/260b, as D 5.1.2 defines it: a four-bit header, then the body of 256b/257b."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring

from dsnswitch.hdl.pcs.body import unpacker_members
from dsnswitch.hdl.pcs.layouts import kinds_of, word_of
from dsnswitch.hdl.pcs.pcs66.word_decoder import WordDecoder
from dsnswitch.hdl.pcs.pcs66.word_encoder import CONTROL_HEADER
from dsnswitch.hdl.pcs.pcs257.packer import Packer257
from dsnswitch.hdl.pcs.pcs257.transcoder import Expander
from dsnswitch.hdl.pcs.pcs260.field import FieldDecoder, field_octet

__all__ = ["LiteralPacker", "LiteralUnpacker"]


class LiteralPacker(Packer257):
    """Packs four words into the 256 bits of a block, literal format. Combinational. Members: :func:`packer_members`."""


class LiteralUnpacker(wiring.Component):
    """Unpacks four words from the 256 bits of a block, literal format. Combinational. Members: :func:`unpacker_members`.

    The type fields of all control blocks but the first are complete and have distance 4: one wrong bit of such a field is
    corrected. The flags and the nibble of the first type field have no redundancy.
    """

    def __init__(self):
        super().__init__(unpacker_members())

    def elaborate(self, platform):
        m = Module()
        m.submodules.expander = expander = Expander()
        m.d.comb += [expander.is_data.eq(self.is_data), expander.body_bits.eq(self.body_bits)]
        corrected, bad = [], []
        for index in range(4):
            m.submodules[f"field_{index}"] = field = FieldDecoder()
            m.submodules[f"word_{index}"] = decoder = WordDecoder()
            block, (octets, control) = expander.blocks[index], word_of(self.words, index)
            is_control = block.header == CONTROL_HEADER
            m.d.comb += [
                field.octet.eq(block.payload[:8]),
                decoder.coded.header.eq(block.header),
                decoder.coded.payload.eq(block.payload),
                self.kinds[index].eq(kinds_of(m, decoder.types, f"kinds_{index}")),
                octets.eq(decoder.word.data),
                control.eq(decoder.word.control),
            ]
            with m.If(is_control):
                m.d.comb += decoder.coded.payload.eq(Cat(field_octet(field.nibble), block.payload[8:]))
            corrected.append(is_control & field.corrected)
            bad += [is_control & (field.bad | ~field.nibble.any()), block.header.xor() == 0]
        m.d.comb += [self.corrected.eq(Cat(corrected).any()), self.bad.eq(Cat(bad).any())]
        return m
