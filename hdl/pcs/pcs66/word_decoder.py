"""Decoder of a 64b/66b block."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.layouts import ALL_TYPES, block66, mii
from dsnswitch.hdl.pcs.pcs66.block_fields import BlockFields, BlockTypes
from dsnswitch.hdl.pcs.pcs66.word_reader import WordReader

__all__ = ["WordDecoder"]


class WordDecoder(wiring.Component):
    """Decodes a 64b/66b block: its block type and its word. Combinational.

    Members
    -------
    coded : In(block66())
        The descrambled block.
    types : Out(16)
        Block type, one-hot in the order of ``ALL_TYPES``; 0 is an error (:class:`BlockTypes`).
    word : Out(mii())
        The word by the type field; to be replaced by errors if ``types`` is 0.
    """

    coded: In(block66())
    types: Out(len(ALL_TYPES))
    word: Out(mii())

    def elaborate(self, platform):
        m = Module()
        m.submodules.block_fields = fields = BlockFields()
        m.submodules.block_types = block_types = BlockTypes()
        m.submodules.reader = reader = WordReader()
        m.d.comb += [
            fields.coded.eq(self.coded),
            block_types.fields.eq(fields.fields),
            reader.payload.eq(self.coded.payload),
            reader.named.eq(fields.fields.named),
            self.types.eq(block_types.types),
            self.word.eq(reader.word),
        ]
        return m
