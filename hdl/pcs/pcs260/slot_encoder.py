"""From a word to its slot in the protected format."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...logic import Gather
from ..block_types import DATA
from ..characters import SHORT_CODES, SIGNAL
from ..words import ALL_TYPES, mii, name_bit, translate, type_bit
from .field import field_octet
from .framing import LAYOUTS, fields

__all__ = ["SlotEncoder"]


class SlotEncoder(wiring.Component):
    """Lays a word out as :data:`~.framing.LAYOUTS` says; data as they are. Combinational.

    Parameters
    ----------
    place : int
        Place of the word in its block, 0..3.

    Members
    -------
    word : In(mii())
    types : In(16)
        One-hot; 0 is an error.
    following : In(2)
        Words of data that follow in the block.
    slot : Out(64)
    """

    def __init__(self, place):
        self._place = place
        super().__init__({"word": In(mii()), "types": In(len(ALL_TYPES)), "following": In(2), "slot": Out(64)})

    def elaborate(self, platform):
        m = Module()
        octets = [self.word.data[8 * lane : 8 * lane + 8] for lane in range(8)]
        codes = [translate(m, f"code_{lane}", octet, SHORT_CODES, 4)[0] for lane, octet in enumerate(octets)]
        nibbles = self._nibbles(m, Cat(octets[lane] == SIGNAL for lane in (0, 4)))
        slot = Gather(m, 64, "send")
        slot.put(0, "data", self.word.data, type_bit(self.types, DATA))
        for name, layout in LAYOUTS.items():
            chosen = name_bit(self.types, name)
            for place, part in enumerate(layout):
                match part[0], part[1:]:
                    case "F", number:
                        field = field_octet(nibbles[int(number) - 1])
                        slot.put(8 * place, f"field_{number}", field, chosen)
                    case "D", lane:
                        slot.put(8 * place, f"octet_{lane}", octets[int(lane)], chosen)
                    case "C", pair:
                        for half, lane in enumerate(pair):
                            if lane != ".":
                                slot.put(8 * place + 4 * half, f"code_{lane}", codes[int(lane)], chosen)
        m.d.comb += self.slot.eq(slot.value())
        return m

    def _nibbles(self, m, signals):
        """Information of the three fields: what :func:`~.framing.fields` gives, each argument in the bits that it moves."""
        parts = [Gather(m, 4, f"field_{number}") for number in (1, 2, 3)]
        inputs = {("data", 1): self.following[0], ("data", 2): self.following[1]}
        inputs |= {("set0", 1): signals[0], ("set4", 1): signals[1]}
        for name in LAYOUTS:
            chosen, base = name_bit(self.types, name), fields(name, self._place)
            for part, nibble in zip(parts, base):
                part.put(0, f"is_{nibble}", Const(nibble, 4), chosen)
            for (argument, value), bit in inputs.items():
                moved = fields(name, self._place, **{argument: value})
                for part, old, new in zip(parts, base, moved):
                    if old != new:
                        part.put((old ^ new).bit_length() - 1, f"{argument}_{value}", bit, chosen)
        nibbles = [Signal(4, name=f"nibble_{number}") for number in (1, 2, 3)]
        m.d.comb += [nibble.eq(part.value()) for nibble, part in zip(nibbles, parts)]
        return nibbles
