"""Decoder of a slot of the protected format, for words that are not data."""

from functools import reduce
from operator import and_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.decoders import equals
from dsnswitch.hdl.logic.gather import Gather
from dsnswitch.hdl.pcs.block_types import KINDS
from dsnswitch.hdl.pcs.characters import ERROR, SEQUENCE, SHORT_CODES, SIGNAL, START, TERMINATE, inverse
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, control_of, kinds_of, mii, name_bit, named, translate, type_signals
from dsnswitch.hdl.pcs.pcs260.field import FieldDecoder
from dsnswitch.hdl.pcs.pcs260.framing import ERROR_WORD, LAYOUTS, arguments, fields, says_place

__all__ = ["SlotDecoder"]


class SlotDecoder(wiring.Component):
    """Decodes a slot as a word that is not data: its fields and its characters. Combinational.

    Parameters
    ----------
    places : sequence of int
        Possible positions of the word in the block: all for slot 0, else the slot's own.

    Members
    -------
    slot : In(64)
        The slot.
    word : Out(mii())
        The word.
    kinds : Out(4)
        Kind of the word, one-hot; 0 is an error, which includes codes without a character.
    place : Out(4)
        Position that the fields give, one-hot; 0 if they give none.
    following : Out(4)
        Number of data words that follow, one-hot.
    corrected : Out(1)
        A field had one wrong bit.
    bad : Out(1)
        A field had two wrong bits, or the fields have no meaning.
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
        characters = {
            lane: translate(m, f"code_{lane}", code, inverse(SHORT_CODES), 8) for lane, code in sorted(codes.items())
        }
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
            self.bad.eq(
                ~Cat(hits.values()).any() | Cat(bad[number] & Cat(used[number]).any() for number in range(3)).any()
            ),
        ]
        return is_type, sets
