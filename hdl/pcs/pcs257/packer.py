"""Packer and unpacker of 256b/257b: four words to the 256 bits after the header and back, through four 64b/66b blocks."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring

from dsnswitch.hdl.pcs.body import packer_members, unpacker_members
from dsnswitch.hdl.pcs.layouts import kinds_of, word_of
from dsnswitch.hdl.pcs.pcs66.word_decoder import WordDecoder
from dsnswitch.hdl.pcs.pcs66.word_encoder import CONTROL_HEADER, ERROR_PAYLOAD, WordEncoder
from dsnswitch.hdl.pcs.pcs257.transcoder import Compressor, Expander

__all__ = ["Packer257", "Unpacker257"]


class Packer257(wiring.Component):
    """Packs four words into the 256 bits of a block. Combinational. Members: :func:`packer_members`."""

    def __init__(self):
        super().__init__(packer_members())

    def elaborate(self, platform):
        m = Module()
        m.submodules.compressor = compressor = Compressor()
        for index in range(4):
            m.submodules[f"word_{index}"] = encoder = WordEncoder()
            octets, control = word_of(self.words, index)
            m.d.comb += [
                encoder.word.data.eq(octets),
                encoder.word.control.eq(control),
                encoder.types.eq(self.types[index]),
                compressor.blocks[index].payload.eq(Mux(self.good[index], encoder.coded.payload, ERROR_PAYLOAD)),
                compressor.blocks[index].header.eq(Mux(self.good[index], encoder.coded.header, CONTROL_HEADER)),
            ]
        m.d.comb += [self.is_data.eq(compressor.is_data), self.body_bits.eq(compressor.body_bits)]
        return m


class Unpacker257(wiring.Component):
    """Unpacks four words from the 256 bits of a block. Combinational. Members: :func:`unpacker_members`.

    Each invalid 64b/66b block becomes an error. The format has no redundancy to correct with, so ``bad`` and ``corrected``
    are 0.
    """

    def __init__(self):
        super().__init__(unpacker_members())

    def elaborate(self, platform):
        m = Module()
        m.submodules.expander = expander = Expander()
        m.d.comb += [expander.is_data.eq(self.is_data), expander.body_bits.eq(self.body_bits)]
        for index in range(4):
            m.submodules[f"word_{index}"] = decoder = WordDecoder()
            octets, control = word_of(self.words, index)
            m.d.comb += [
                decoder.coded.eq(expander.blocks[index]),
                self.kinds[index].eq(kinds_of(m, decoder.types, f"kinds_{index}")),
                octets.eq(decoder.word.data),
                control.eq(decoder.word.control),
            ]
        return m
