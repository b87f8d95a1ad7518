"""From a 64b/66b block to its word."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..words import ALL_TYPES, block66, mii
from .block_fields import BlockFields, BlockTypes
from .word_reader import WordReader

__all__ = ["WordDecoder"]


class WordDecoder(wiring.Component):
    """Reads a block (R_BLOCK_TYPE of Clause 49.2.13.2.3 with the characters). Combinational.

    Members
    -------
    coded : In(block66())
        Descrambled.
    types : Out(16)
        One-hot in the order of ``ALL_TYPES``; 0 is an error (:class:`~.block_fields.BlockTypes`).
    word : Out(mii())
        The word that the type field names; to be replaced by errors if ``types`` is 0.
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
