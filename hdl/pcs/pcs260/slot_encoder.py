"""Encoder of a slot of the protected format."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gather import Gather
from dsnswitch.hdl.pcs.block_types import DATA, type_byte
from dsnswitch.hdl.pcs.characters import SHORT_CODES, SIGNAL
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, mii, name_bit, translate, type_bit
from dsnswitch.hdl.pcs.pcs260.field import field_octet
from dsnswitch.hdl.pcs.pcs260.framing import ERROR_WORD, LAYOUTS, counts_data, fields

__all__ = ["SlotEncoder"]


class SlotEncoder(wiring.Component):
    """Encodes a word as a slot with the layout of :data:`LAYOUTS`; data words are not changed. Combinational.

    Parameters
    ----------
    place : int
        Position of the word in its block, 0..3.

    Members
    -------
    word : In(mii())
        The word.
    types : In(16)
        Block type of the word, one-hot; 0 is an error.
    good : In(1)
        The word is allowed after the word before it; otherwise it is sent as an error. Arrives late.
    following : In(2)
        Number of data words that follow in the block. Arrives last.
    slot : Out(64)
        The slot.
    """

    def __init__(self, place):
        self._place = place
        super().__init__(
            {"word": In(mii()), "types": In(len(ALL_TYPES)), "good": In(1), "following": In(2), "slot": Out(64)}
        )

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
