"""Fields of a 64b/66b block: the type that it names, and which of its codes exist."""

from functools import partial

from amaranth.hdl import Cat, Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..block_types import BLOCK_TYPES, DATA, code_bit, ordered_set_bit
from ..characters import CODES, ERROR, ORDERED_SETS
from ..words import ALL_TYPES, block66, name_bit, type_bit
from .code_check import CHECKS, CodeCheck
from .word_encoder import CONTROL_HEADER, DATA_HEADER

__all__ = ["BlockFields", "BlockTypes", "GapCheck", "fields66"]

#: Lanes that can have an ordered set.
SET_LANES = (0, 4)


def fields66():
    """Layout of the fields of a block.

    ``named`` (16 bits): one-hot type that header and type field name, in the order of ``ALL_TYPES``; 0 for none such.
    ``codes``, ``errors`` (8 bits each): the seven-bit code of this lane exists; it is that of an error.
    ``sets`` (2 bits): the four-bit code of the ordered set in lane 0, and in lane 4, exists.
    """
    return data.StructLayout({"named": len(ALL_TYPES), "codes": 8, "errors": 8, "sets": 2})


class BlockFields(wiring.Component):
    """Decodes every field of a block, whatever its type. Combinational.

    Parameters
    ----------
    checked : bool
        Codes are read from their syndromes, which may come earlier than the codes (:class:`~.code_check.CodeCheck`).

    Members
    -------
    coded : In(block66())
        Descrambled.
    syndromes : In(32)
        With ``checked`` only: four bits for each lane, lane 0 lowest.
    fields : Out(fields66())
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
        for place, lane in enumerate(SET_LANES):
            code = payload[ordered_set_bit(lane) : ordered_set_bit(lane) + 4]
            m.d.comb += fields.sets[place].eq(Cat(code == octet for octet in ORDERED_SETS.values()).any())
        return m


class BlockTypes(wiring.Component):
    """R_BLOCK_TYPE of Clause 49.2.13.2.3, with the type itself. Combinational.

    Members
    -------
    fields : In(fields66())
    types : Out(16)
        One-hot in the order of ``ALL_TYPES``; 0 is an error: a header of two equal bits, a type field that does not exist, a
        code that does not exist, or eight control characters with an error among them.
    """

    fields: In(fields66())
    types: Out(len(ALL_TYPES))

    def elaborate(self, platform):
        m = Module()
        for kind in ALL_TYPES:
            known = [self.fields.codes[lane] for lane in range(8) if kind.lanes[lane] == "C"]
            known += [self.fields.sets[place] for place, lane in enumerate(SET_LANES) if kind.lanes[lane] == "O"]
            right = type_bit(self.fields.named, kind) & Cat(known).all()
            if kind.lanes == "C" * 8:
                right &= ~self.fields.errors.any()
            m.d.comb += type_bit(self.types, kind).eq(right)
        return m


class GapCheck(wiring.Component):
    """Whether the kind of a block is C or S, so that it may follow the end of a frame. Combinational.

    It is where ``follows``, or where ``follows_with_upper`` and the codes in lanes 4 to 7 exist, which are decoded last.

    Members
    -------
    fields : In(fields66())
        ``codes`` of lanes 4 to 7 are not looked at.
    good : In(1)
        If not, neither.
    follows, follows_with_upper : Out(1)
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
