"""From a 64b/66b block to its word."""

from amaranth.hdl import Cat, Const, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...logic import Gather
from ..block_types import BLOCK_TYPES, DATA, code_bit, data_bit, ordered_set_bit
from ..characters import CODES, ERROR, ORDERED_SETS, START, TERMINATE, inverse
from ..words import ALL_TYPES, block66, control_of, mii, translate, type_bit, type_signals
from .word_encoder import CONTROL_HEADER, DATA_HEADER

__all__ = ["WordDecoder"]


class WordDecoder(wiring.Component):
    """Reads a block (R_BLOCK_TYPE of Clause 49.2.13.2.3 with the characters). Combinational.

    Members
    -------
    coded : In(block66())
        Descrambled.
    types : Out(16)
        One-hot in the order of ``ALL_TYPES``; 0 is an error: a header of two equal bits, a type field that is none, a code
        that is none, or eight control characters with an error among them.
    word : Out(mii())
        What the type field says the word is; to be replaced by errors if ``types`` is 0.
    """

    coded: In(block66())
    types: Out(len(ALL_TYPES))
    word: Out(mii())

    def elaborate(self, platform):
        m = Module()
        payload, header = self.coded.payload, self.coded.header
        is_type = type_signals("is_type")
        for kind in BLOCK_TYPES:
            m.d.comb += type_bit(is_type, kind).eq((header == CONTROL_HEADER) & (payload[:8] == kind.byte))
        m.d.comb += type_bit(is_type, DATA).eq(header == DATA_HEADER)

        fields = [payload[code_bit(lane) : code_bit(lane) + 7] for lane in range(8)]
        codes = [translate(m, f"code_{lane}", field, inverse(CODES), 8) for lane, field in enumerate(fields)]
        places = {lane: payload[ordered_set_bit(lane) : ordered_set_bit(lane) + 4] for lane in (0, 4)}
        sets = {lane: translate(m, f"set_{lane}", place, inverse(ORDERED_SETS), 8) for lane, place in places.items()}
        word = Gather(m, 64, "take")
        for kind in ALL_TYPES:
            chosen, known = type_bit(is_type, kind), []
            for lane, letter in enumerate(kind.lanes):
                match letter:
                    case "D":
                        place = data_bit(kind, lane)
                        word.put(8 * lane, f"octet_{place // 8}", payload[place : place + 8], chosen)
                    case "C":
                        word.put(8 * lane, f"code_{lane}", codes[lane][0], chosen)
                        known.append(codes[lane][1])
                    case "O":
                        word.put(8 * lane, f"set_{lane}", sets[lane][0], chosen)
                        known.append(sets[lane][1])
                    case "S":
                        word.put(8 * lane, "start", Const(START, 8), chosen)
                    case "T":
                        word.put(8 * lane, "terminate", Const(TERMINATE, 8), chosen)
            right = chosen & Cat(known).all() if known else chosen
            if kind.lanes == "C" * 8:
                right &= ~Cat(field == CODES[ERROR] for field in fields).any()
            m.d.comb += type_bit(self.types, kind).eq(right)
        m.d.comb += [self.word.data.eq(word.value()), self.word.control.eq(control_of(is_type))]
        return m
