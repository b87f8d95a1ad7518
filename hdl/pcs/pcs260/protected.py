"""Protected format of 256b/260b: the types and positions of all words that are not data are in fields of distance 4."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring

from dsnswitch.hdl.pcs.block_types import DATA, KINDS
from dsnswitch.hdl.pcs.body import packer_members, unpacker_members
from dsnswitch.hdl.pcs.layouts import type_bit, word_of
from dsnswitch.hdl.pcs.pcs260.slot_decoder import SlotDecoder
from dsnswitch.hdl.pcs.pcs260.slot_encoder import SlotEncoder

__all__ = ["ProtectedPacker", "ProtectedUnpacker"]


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
