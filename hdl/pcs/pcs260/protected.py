"""Protected format of 256b/260b: the types and positions of all words that are not data are in fields of distance 4."""

from functools import reduce
from operator import and_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import Gather, equals
from dsnswitch.hdl.pcs.characters import DATA, ERROR, KINDS, SEQUENCE, SHORT_CODES, SIGNAL, START, TERMINATE, inverse, type_byte
from dsnswitch.hdl.pcs.layouts import (
    ALL_TYPES,
    control_of,
    kinds_of,
    mii,
    name_bit,
    named,
    packer_members,
    translate,
    type_bit,
    type_signals,
    unpacker_members,
    word_of,
)
from dsnswitch.hdl.pcs.pcs66.words import CONTROL_HEADER, WordDecoder
from dsnswitch.hdl.pcs.pcs257 import Expander, Packer257
from dsnswitch.hdl.pcs.pcs260.framing import (
    ERROR_WORD,
    LAYOUTS,
    FieldDecoder,
    arguments,
    counts_data,
    field_octet,
    fields,
    says_place,
)


class SlotEncoder(wiring.Component):
    """Encodes a word as a slot with the layout of :data:`LAYOUTS`; data words are not changed. Combinational.

    Parameters
    ----------
    place : int
        Position of the word in its block, 0..3.

    Members
    -------
    - word: The word.
    - types: Block type of the word, one-hot; 0 is an error.
    - good: The word is allowed after the word before it; otherwise it is sent as an error. Arrives late.
    - following: Number of data words that follow in the block. Arrives last.
    - slot: The slot.
    """

    def __init__(self, place):
        self._place = place
        super().__init__({"word": In(mii()), "types": In(len(ALL_TYPES)), "good": In(1), "following": In(2), "slot": Out(64)})

    def elaborate(self, platform):
        m = Module()
        octets = [self.word.data.word_select(lane, 8) for lane in range(8)]
        codes = [translate(m, f"code_{lane}", octet, SHORT_CODES, 4)[0] for lane, octet in enumerate(octets)]
        nibbles = self._nibbles(m, Cat(octets[lane] == SIGNAL for lane in (0, 4)))
        slot = Gather(m, 64, "send")
        slot.put(0, "data", self.word.data, type_bit(self.types, DATA))
        for name, layout in LAYOUTS.items():
            chosen = name_bit(self.types, name)
            for octet, part in enumerate(layout):
                match part[0], part[1:]:
                    case "F", number:
                        field = field_octet(nibbles[int(number) - 1])
                        slot.put(8 * octet, f"field_{number}", field, chosen)
                    case "D", lane:
                        slot.put(8 * octet, f"octet_{lane}", octets[int(lane)], chosen)
                    case "C", pair:
                        for half, lane in enumerate(pair):
                            if lane != ".":
                                slot.put(8 * octet + 4 * half, f"code_{lane}", codes[int(lane)], chosen)
        m.d.comb += self.slot.eq(Mux(self.good, slot.value(), self._slot(ERROR_WORD)) ^ self._counted(m))
        return m

    def _slot(self, name, **arguments):
        """Fields of a word in their octets, as an integer."""
        return sum(type_byte(nibble) << 8 * at for at, nibble in enumerate(fields(name, self._place, **arguments)))

    def _counted(self, m):
        """Bits of the slot that ``following`` flips: the code is linear, so each of its bits flips a fixed set of bits."""
        counted = Gather(m, 64, "count")
        for name in filter(counts_data, LAYOUTS):
            chosen = name_bit(self.types, name)
            chosen = chosen | ~self.good if name == ERROR_WORD else chosen & self.good
            flips = [self._slot(name) ^ self._slot(name, data=1 << bit) for bit in range(2)]
            masks = [Const(flip, 64) & bit.replicate(64) for flip, bit in zip(flips, self.following)]
            counted.put(0, f"following_{name}", masks[0] ^ masks[1], chosen)
        return counted.value()

    def _nibbles(self, m, signals):
        """Information of the three fields without ``following``; the bits of ordered sets are in the fields that have them."""
        parts = [Gather(m, 4, f"field_{number}") for number in (1, 2, 3)]
        for name in LAYOUTS:
            chosen, base = name_bit(self.types, name), fields(name, self._place)
            for part, nibble in zip(parts, base):
                part.put(0, f"is_{nibble}", Const(nibble, 4), chosen)
            for argument, bit in zip(("set0", "set4"), signals):
                moved = fields(name, self._place, **{argument: 1})
                for part, old, new in zip(parts, base, moved):
                    if old != new:
                        part.put((old ^ new).bit_length() - 1, argument, bit, chosen)
        nibbles = [Signal(4, name=f"nibble_{number}") for number in (1, 2, 3)]
        m.d.comb += [nibble.eq(part.value()) for nibble, part in zip(nibbles, parts)]
        return nibbles


class SlotDecoder(wiring.Component):
    """Decodes a slot as a word that is not data: its fields and its characters. Combinational.

    Parameters
    ----------
    places : sequence of int
        Possible positions of the word in the block: all for slot 0, else the slot's own.

    Members
    -------
    - slot: The slot.
    - word: The word.
    - kinds: Kind of the word, one-hot; 0 is an error, which includes codes without a character.
    - place: Position that the fields give, one-hot; 0 if they give none.
    - following: Number of data words that follow, one-hot.
    - corrected: A field had one wrong bit.
    - bad: A field had two wrong bits, or the fields have no meaning.
    """

    def __init__(self, places):
        self._places = tuple(places)
        super().__init__(
            {
                "slot": In(64),
                "word": Out(mii()),
                "kinds": Out(len(KINDS)),
                "place": Out(4),
                "following": Out(4),
                "corrected": Out(1),
                "bad": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        is_type, sets = self._read_fields(m)
        types = Signal(len(ALL_TYPES))
        places = {part[1:]: place for layout in LAYOUTS.values() for place, part in enumerate(layout) if part[0] == "C"}
        codes = {
            int(lane): self.slot[8 * place + 4 * half :][:4]
            for pair, place in places.items()
            for half, lane in enumerate(pair)
            if lane != "."
        }
        characters = {lane: translate(m, f"code_{lane}", code, inverse(SHORT_CODES), 8) for lane, code in sorted(codes.items())}
        word = Gather(m, 64, "take")
        for name, layout in LAYOUTS.items():
            if name == ERROR_WORD:
                continue
            chosen, kind, known = name_bit(is_type, name), named(name), []
            for lane, letter in enumerate(kind.lanes):
                match letter:
                    case "D":
                        place = layout.index(f"D{lane}")
                        word.put(8 * lane, f"octet_{place}", self.slot.word_select(place, 8), chosen)
                    case "C":
                        word.put(8 * lane, f"code_{lane}", characters[lane][0], chosen)
                        known.append(characters[lane][1])
                    case "O":
                        word.put(8 * lane, f"set_{lane}", Mux(sets[lane > 0], SIGNAL, SEQUENCE), chosen)
                    case "S":
                        word.put(8 * lane, "start", Const(START, 8), chosen)
                    case "T":
                        word.put(8 * lane, "terminate", Const(TERMINATE, 8), chosen)
            if kind.lanes == "C" * 8:
                known += [codes[lane] != SHORT_CODES[ERROR] for lane in range(8)]
            m.d.comb += name_bit(types, name).eq(chosen & Cat(known).all() if known else chosen)
        m.d.comb += [
            self.word.data.eq(word.value()),
            self.word.control.eq(control_of(is_type)),
            self.kinds.eq(kinds_of(m, types, "kind")),
        ]
        return m

    def _read_fields(self, m):
        """One-hot type by the fields alone, before the characters are checked, and the two bits of ordered sets."""
        nibbles = []
        corrected = Signal(3)
        bad = Signal(3)
        for number in range(3):
            m.submodules[f"field_{number + 1}"] = field = FieldDecoder()
            m.d.comb += [
                field.octet.eq(self.slot.word_select(number, 8)),
                corrected[number].eq(field.corrected),
                bad[number].eq(field.bad),
            ]
            nibbles.append(field.nibble)
        hits, used = {}, [[], [], []]
        for name in LAYOUTS:
            for meaning in arguments(name, self._places):
                values = fields(name, **meaning)
                hit = Signal(name=f"is_{name}_{'_'.join(map(str, meaning.values()))}")
                m.d.comb += hit.eq(reduce(and_, [equals(nibble, value) for nibble, value in zip(nibbles, values)]))
                hits[name, *meaning.values()] = hit
                for number in range(len(values)):
                    used[number].append(hit)

        def those(wanted):
            return Cat(hit for key, hit in hits.items() if wanted(*key)).any()

        is_type = type_signals("is_type")
        sets = Signal(2)
        for name in LAYOUTS:
            if name != ERROR_WORD:
                m.d.comb += name_bit(is_type, name).eq(those(lambda n, *_, name=name: n == name))
        for value in range(4):
            m.d.comb += [
                self.place[value].eq(those(lambda n, place, *_, value=value: says_place(n) and place == value)),
                self.following[value].eq(those(lambda n, place, data, *_, value=value: data == value)),
            ]
        m.d.comb += [
            sets.eq(Cat(those(lambda *key: key[3]), those(lambda *key: key[4]))),
            self.corrected.eq(Cat(corrected[number] & Cat(used[number]).any() for number in range(3)).any()),
            self.bad.eq(~Cat(hits.values()).any() | Cat(bad[number] & Cat(used[number]).any() for number in range(3)).any()),
        ]
        return is_type, sets


class ProtectedPacker(wiring.Component):
    """Packs four words into the 256 bits of a block, protected format (:mod:`framing`). Combinational.

    Members: :func:`packer_members`.
    """

    def __init__(self):
        super().__init__(packer_members())

    def elaborate(self, platform):
        m = Module()
        of_data = Signal(4)
        m.d.comb += [
            of_data.eq(Cat(type_bit(self.types[index], DATA) for index in range(4)) & self.good),
            self.is_data.eq(of_data.all()),
        ]
        slots = []
        for index in range(4):
            m.submodules[f"slot_{index}"] = slot = SlotEncoder(index)
            octets, control = word_of(self.words, index)
            # The number of data words that follow directly: a thermometer code, summed.
            after = [of_data[index + 1 : index + 1 + count].all() for count in range(1, 4 - index)]
            m.d.comb += [
                slot.word.data.eq(octets),
                slot.word.control.eq(control),
                slot.types.eq(self.types[index]),
                slot.good.eq(self.good[index]),
                slot.following.eq(sum(after)) if after else slot.following.eq(0),
            ]
            slots.append(slot.slot)
        # The first word that is not data takes slot 0; the data words before it move up.
        first = slots[3]
        for index in (2, 1, 0):
            first = Mux(of_data[index], first, slots[index])
        moved = [first]
        for index in range(1, 4):
            up = Signal(name=f"up_{index}")
            m.d.comb += up.eq(of_data[:index].all())
            moved.append(Mux(up, slots[index - 1], slots[index]))
        m.d.comb += self.body_bits.eq(Mux(self.is_data, Cat(slots), Cat(moved)))
        return m


class ProtectedUnpacker(wiring.Component):
    """Unpacks four words from the 256 bits of a block, protected format. Combinational.

    Members: :func:`unpacker_members`.
    """

    def __init__(self):
        super().__init__(unpacker_members())

    def elaborate(self, platform):
        m = Module()
        slots = [self.body_bits.word_select(index, 64) for index in range(4)]
        decoders = []
        for index, slot in enumerate(slots):
            m.submodules[f"slot_{index}"] = decoder = SlotDecoder(range(4) if index == 0 else (index,))
            m.d.comb += decoder.slot.eq(slot)
            decoders.append(decoder)
        # A word whose fields have no position has no data before it.
        start = Signal(4)
        m.d.comb += start.eq(Cat(decoders[0].place[0] | ~decoders[0].place.any(), decoders[0].place[1:]))

        # ``left``: number of data words before the next word that is not data, one-hot.
        left, bad, corrected = start, [], []
        for index in range(4):
            first, later = start[index], decoders[index]
            control, next_left = Signal(name=f"control_{index}"), Signal(4, name=f"left_{index + 1}")
            m.d.comb += control.eq(left[0] & ~self.is_data)
            following = Mux(first, decoders[0].following, later.following)
            m.d.comb += next_left.eq(Mux(left[0], following, left >> 1))
            used = control & ~first if index else control
            bad.append(used & later.bad)
            corrected.append(used & later.corrected)
            if index:
                bad.append(control & first & decoders[0].bad)
                corrected.append(control & first & decoders[0].corrected)

            octets, flags = word_of(self.words, index)
            before = slots[index + 1] if index < 3 else slots[index]
            waits = Signal(name=f"before_first_{index}")
            m.d.comb += waits.eq(start[index + 1 :].any() & ~self.is_data if index < 3 else 0)
            with m.If(~control):
                m.d.comb += octets.eq(Mux(waits, before, slots[index]))
                m.d.comb += self.kinds[index].eq(1 << KINDS.index("D"))
            for chosen, decoder in ((control & first, decoders[0]), (control & ~first, later)):
                with m.If(chosen):
                    m.d.comb += [octets.eq(decoder.word.data), flags.eq(decoder.word.control)]
                    m.d.comb += self.kinds[index].eq(decoder.kinds)
            left = next_left
        m.d.comb += [
            # A count that exceeds the block is an error too.
            self.bad.eq(Cat(bad).any() | ~self.is_data & ~left[0]),
            self.corrected.eq(Cat(corrected).any()),
        ]
        return m


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
