"""Fields of a 64b/66b block: its type field, and whether its codes are valid."""

from functools import partial

from amaranth.hdl import Cat, Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.block_types import BLOCK_TYPES, DATA, code_bit, ordered_set_bit
from dsnswitch.hdl.pcs.characters import CODES, ERROR, ORDERED_SETS
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, block66, name_bit, type_bit
from dsnswitch.hdl.pcs.pcs66.code_check import CHECKS, CodeCheck
from dsnswitch.hdl.pcs.pcs66.word_encoder import CONTROL_HEADER, DATA_HEADER

__all__ = ["BlockFields", "BlockTypes", "GapCheck", "fields66"]

#: Lanes that can have an ordered set.
SET_LANES = (0, 4)


def fields66():
    """Layout of the decoded fields of a block.

    ``named`` (16 bits): type by header and type field, one-hot in the order of ``ALL_TYPES``; 0 if there is no such type.
    ``codes``, ``errors`` (8 bits each): per lane, the seven-bit code is valid; it is the code of the error character.
    ``sets`` (2 bits): the four-bit code of the ordered set in lane 0, and in lane 4, is valid.
    """
    return data.StructLayout({"named": len(ALL_TYPES), "codes": 8, "errors": 8, "sets": 2})


class BlockFields(wiring.Component):
    """Decodes every field of a block of any type. Combinational.

    Parameters
    ----------
    checked : bool
        Check codes by their syndromes, which may arrive before the codes (:class:`CodeCheck`).

    Members
    -------
    coded : In(block66())
        The descrambled block.
    syndromes : In(32)
        Four bits per lane, lane 0 lowest; only with ``checked``.
    fields : Out(fields66())
        The decoded fields.
    """

    def __init__(self, checked=False):
        self._checked = checked
        syndromes = {"syndromes": In(8 * len(CHECKS))} if checked else {}
        super().__init__({"coded": In(block66()), **syndromes, "fields": Out(fields66())})

    def elaborate(self, platform):
        m = Module()
        payload, header, fields = self.coded.payload, self.coded.header, self.fields
        for kind in BLOCK_TYPES:
            is_kind = (header == CONTROL_HEADER) & (payload[:8] == kind.byte)
            m.d.comb += type_bit(fields.named, kind).eq(is_kind)
        m.d.comb += type_bit(fields.named, DATA).eq(header == DATA_HEADER)
        for lane in range(8):
            code = payload[code_bit(lane) : code_bit(lane) + 7]
            if self._checked:
                m.submodules[f"check_{lane}"] = check = CodeCheck()
                m.d.comb += [check.syndrome.eq(self.syndromes.word_select(lane, len(CHECKS))), check.high.eq(code[4:])]
                known, error = check.known, check.error
            else:
                known, error = Cat(code == octet for octet in CODES.values()).any(), code == CODES[ERROR]
            m.d.comb += [fields.codes[lane].eq(known), fields.errors[lane].eq(error)]
        for index, lane in enumerate(SET_LANES):
            code = payload[ordered_set_bit(lane) : ordered_set_bit(lane) + 4]
            m.d.comb += fields.sets[index].eq(Cat(code == octet for octet in ORDERED_SETS.values()).any())
        return m


class BlockTypes(wiring.Component):
    """Finds the block type of a received block: R_BLOCK_TYPE of Clause 49.2.13.2.3, in more detail. Combinational.

    Members
    -------
    fields : In(fields66())
        The block's decoded fields.
    types : Out(16)
        Block type, one-hot in the order of ``ALL_TYPES``; 0 is an error. Errors are a header of two equal bits, an invalid
        type field, an invalid code, and eight control characters one of which is the error character.
    """

    fields: In(fields66())
    types: Out(len(ALL_TYPES))

    def elaborate(self, platform):
        m = Module()
        for kind in ALL_TYPES:
            known = [self.fields.codes[lane] for lane in range(8) if kind.lanes[lane] == "C"]
            known += [self.fields.sets[index] for index, lane in enumerate(SET_LANES) if kind.lanes[lane] == "O"]
            right = type_bit(self.fields.named, kind) & Cat(known).all()
            if kind.lanes == "C" * 8:
                right &= ~self.fields.errors.any()
            m.d.comb += type_bit(self.types, kind).eq(right)
        return m


class GapCheck(wiring.Component):
    """Checks whether a block may follow the end of a frame: whether its kind is C or S. Combinational.

    The answer is ``follows``, or ``follows_with_upper`` if the codes in lanes 4 to 7 are valid, which are decoded last.

    Members
    -------
    fields : In(fields66())
        The block's decoded fields. ``codes`` of lanes 4 to 7 are not used.
    good : In(1)
        If 0, both outputs are 0.
    follows, follows_with_upper : Out(1)
        The block may follow; it may follow if the codes in lanes 4 to 7 are valid.
    """

    fields: In(fields66())
    good: In(1)
    follows: Out(1)
    follows_with_upper: Out(1)

    def elaborate(self, platform):
        m = Module()
        fields, named = self.fields, partial(name_bit, self.fields.named)
        lower, (set_0, set_4) = fields.codes[:4].all(), fields.sets
        by_codes = (named("S4") | named("O4") & set_4) & lower
        by_sets = (named("S4O") | named("O0O4") & set_4) & set_0
        m.d.comb += [
            self.follows.eq(self.good & (named("S0") | by_codes | by_sets)),
            self.follows_with_upper.eq(self.good & (named("O0") & set_0 | named("C") & lower & ~fields.errors.any())),
        ]
        return m
