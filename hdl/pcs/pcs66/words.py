"""Fields of a 64b/66b block: its type field, and whether its codes are valid."""

from functools import partial

from amaranth.hdl import Cat, Const, Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import Gather
from dsnswitch.hdl.pcs.characters import (
    BLOCK_TYPES,
    CODES,
    DATA,
    ERROR,
    ORDERED_SETS,
    START,
    TERMINATE,
    code_bit,
    data_bit,
    inverse,
    ordered_set_bit,
)
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, block66, control_of, mii, name_bit, translate, type_bit

#: Bits of a code that each bit of the syndrome sums, and the number of high bits that are used besides the syndrome.
CHECKS, HIGH = (0b1100001, 0b0000111, 0b0011001, 0b1001100), 3


def syndrome(code):
    """Syndrome of the integer ``code``; 0 for all characters but LPI."""
    return sum(((code & check).bit_count() & 1) << bit for bit, check in enumerate(CHECKS))


class CodeCheck(wiring.Component):
    """Checks a code by its syndrome and its high bits. Combinational.

    Members
    -------
    - syndrome: Syndrome of the code.
    - high: Bits 4 to 6 of the code.
    - known: The code is the code of a character.
    - error: The character is the error character; valid with ``known``.
    """

    syndrome: In(len(CHECKS))
    high: In(HIGH)
    known: Out(1)
    error: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [
            self.known.eq(~(self.syndrome[:3].any() | self.syndrome[3] & self.high.any())),
            self.error.eq(self.high == CODES[ERROR] >> 7 - HIGH),
        ]
        return m


#: Headers; bit 0 is sent first: in the order of transmission 10 is control, 01 data.
CONTROL_HEADER, DATA_HEADER = 0b01, 0b10

#: Payload of a block of eight errors.
ERROR_PAYLOAD = BLOCK_TYPES[0].byte | sum(CODES[ERROR] << code_bit(lane) for lane in range(8))


class WordEncoder(wiring.Component):
    """Encodes a word as a 64b/66b block with the layout of its type (IEEE 802.3 Figure 49-7). Combinational.

    Members
    -------
    - word: The word.
    - types: Block type, one-hot (:class:`Classifier`); 0 makes a block of eight errors.
    - coded: The block, not scrambled.
    """

    word: In(mii())
    types: In(len(ALL_TYPES))
    coded: Out(block66())

    def elaborate(self, platform):
        m = Module()
        octets = [self.word.data.word_select(lane, 8) for lane in range(8)]
        codes = [translate(m, f"code_{lane}", octet, CODES, 7)[0] for lane, octet in enumerate(octets)]
        sets = {lane: translate(m, f"set_{lane}", octets[lane], ORDERED_SETS, 4)[0] for lane in (0, 4)}
        payload = Gather(m, 64, "send")
        for kind in (*BLOCK_TYPES, DATA):
            chosen = type_bit(self.types, kind)
            if kind.byte is not None:
                payload.put(0, f"type_{kind.byte:02x}", Const(kind.byte, 8), chosen)
            for lane, letter in enumerate(kind.lanes):
                match letter:
                    case "D":
                        payload.put(data_bit(kind, lane), f"octet_{lane}", octets[lane], chosen)
                    case "C":
                        payload.put(code_bit(lane), f"code_{lane}", codes[lane], chosen)
                    case "O":
                        payload.put(ordered_set_bit(lane), f"set_{lane}", sets[lane], chosen)
        payload.put(0, "errors", Const(ERROR_PAYLOAD, 64), ~self.types.any())
        is_data = type_bit(self.types, DATA)
        m.d.comb += [self.coded.payload.eq(payload.value()), self.coded.header.eq((is_data << 1) | ~is_data)]
        return m


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
    - coded: The descrambled block.
    - syndromes: Four bits per lane, lane 0 lowest; only with ``checked``.
    - fields: The decoded fields.
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
    - fields: The block's decoded fields.
    - types: Block type, one-hot in the order of ``ALL_TYPES``; 0 is an error. Errors are a header of two equal bits, an
      invalid type field, an invalid code, and eight control characters one of which is the error character.
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
    - fields: The block's decoded fields. ``codes`` of lanes 4 to 7 are not used.
    - good: If 0, both outputs are 0.
    - follows, follows_with_upper: The block may follow; it may follow if the codes in lanes 4 to 7 are valid.
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


class WordReader(wiring.Component):
    """Reads the word of a block by the layout of its type (IEEE 802.3 Figure 49-7). Combinational.

    Parameters
    ----------
    flagged : bool
        Flag error characters in ``errors``; their octets are 0 in ``word``.

    Members
    -------
    - payload: The descrambled payload.
    - named: Type by the type field, one-hot in the order of ``ALL_TYPES``; the codes may be invalid.
    - word: The word.
    - errors: Lanes with an error character; only with ``flagged``.
    """

    def __init__(self, flagged=False):
        self._flagged = flagged
        errors = {"errors": Out(8)} if flagged else {}
        super().__init__({"payload": In(64), "named": In(len(ALL_TYPES)), "word": Out(mii()), **errors})

    def elaborate(self, platform):
        m = Module()
        payload = self.payload
        fields = [payload[code_bit(lane) : code_bit(lane) + 7] for lane in range(8)]
        octets = {code: octet for code, octet in inverse(CODES).items() if not (self._flagged and octet == ERROR)}
        codes = [translate(m, f"code_{lane}", field, octets, 8)[0] for lane, field in enumerate(fields)]
        set_codes = {lane: payload[ordered_set_bit(lane) : ordered_set_bit(lane) + 4] for lane in (0, 4)}
        sets = {lane: translate(m, f"set_{lane}", code, inverse(ORDERED_SETS), 8)[0] for lane, code in set_codes.items()}
        word = Gather(m, 64, "take")
        for kind in ALL_TYPES:
            chosen = type_bit(self.named, kind)
            for lane, letter in enumerate(kind.lanes):
                match letter:
                    case "D":
                        start = data_bit(kind, lane)
                        word.put(8 * lane, f"octet_{start // 8}", payload[start : start + 8], chosen)
                    case "C":
                        word.put(8 * lane, f"code_{lane}", codes[lane], chosen)
                    case "O":
                        word.put(8 * lane, f"set_{lane}", sets[lane], chosen)
                    case "S":
                        word.put(8 * lane, "start", Const(START, 8), chosen)
                    case "T":
                        word.put(8 * lane, "terminate", Const(TERMINATE, 8), chosen)
        if self._flagged:
            for lane, field in enumerate(fields):
                controls = Cat(type_bit(self.named, kind) for kind in ALL_TYPES if kind.lanes[lane] == "C").any()
                m.d.comb += self.errors[lane].eq(controls & (field == CODES[ERROR]))
        m.d.comb += [self.word.data.eq(word.value()), self.word.control.eq(control_of(self.named))]
        return m


class WordDecoder(wiring.Component):
    """Decodes a 64b/66b block: its block type and its word. Combinational.

    Members
    -------
    - coded: The descrambled block.
    - types: Block type, one-hot in the order of ``ALL_TYPES``; 0 is an error (:class:`BlockTypes`).
    - word: The word by the type field; to be replaced by errors if ``types`` is 0.
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
