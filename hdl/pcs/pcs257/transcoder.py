"""Four 64b/66b blocks without three of their headers, and back (IEEE 802.3 91.5.2.5 and 91.5.3.5).

With a block of control among them the 256 bits of the *body* are four flags, bit j for block j, 1 data and 0 control, and
the payloads without the high nibble of the first control block's type field: the low one tells it. All above it moves
down by four bits.
"""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...logic import Lookup
from ..block_types import BLOCK_TYPES
from ..pcs66.word_encoder import CONTROL_HEADER, DATA_HEADER
from ..words import block66

__all__ = ["INVALID_HEADER", "Compressor", "Expander", "blocks66"]

#: Header of a block that is not to be believed.
INVALID_HEADER = 0b11


def blocks66():
    """Layout of four blocks, the first lowest."""
    return data.ArrayLayout(block66(), 4)


def _up_to(bits):
    """Bit j: any of bits 0..j."""
    return Cat(bits[: place + 1].any() for place in range(len(bits)))


class Compressor(wiring.Component):
    """Transcodes four blocks of 64b/66b into the 256 bits of one block. Combinational.

    Members
    -------
    blocks : In(blocks66())
        Not scrambled.
    is_data : Out(1)
        All four are data: the body is their payloads.
    body_bits : Out(256)
        If a header is invalid, as if the first block were control and with all flags 1.
    """

    blocks: In(blocks66())
    is_data: Out(1)
    body_bits: Out(256)

    def elaborate(self, platform):
        m = Module()
        headers = [self.blocks[place].header for place in range(4)]
        payloads = Cat(self.blocks[place].payload for place in range(4))
        of_data = Signal(4)
        invalid = Signal()
        m.d.comb += [
            of_data.eq(Cat(header == DATA_HEADER for header in headers)),
            invalid.eq(Cat(header[0] == header[1] for header in headers).any()),
            self.is_data.eq(of_data.all()),
        ]
        flags = Signal(4)
        gone = Signal(4)
        m.d.comb += [flags.eq(of_data | invalid.replicate(4)), gone.eq(_up_to(~of_data | Cat(invalid, 0, 0, 0)))]
        kept = [payloads[:4]]
        for place in range(4):
            start, end = 64 * place + 4, min(64 * place + 68, 252)
            kept.append(Mux(gone[place], payloads[start + 4 : end + 4], payloads[start:end]))
        m.d.comb += self.body_bits.eq(Mux(self.is_data, payloads, Cat(flags, *kept)))
        return m


class Expander(wiring.Component):
    """Transcodes the 256 bits of one block into four blocks of 64b/66b. Combinational.

    Members
    -------
    is_data : In(1)
    body_bits : In(256)
    blocks : Out(blocks66())
        All headers invalid if all flags are 1; that of the first control block if no type field has its nibble.
    """

    is_data: In(1)
    body_bits: In(256)
    blocks: Out(blocks66())

    def elaborate(self, platform):
        m = Module()
        flags, packed = self.body_bits[:4], Cat(self.body_bits[4:], Const(0, 4))
        control = Signal(4)
        gone = Signal(4)
        first = Signal(4)
        m.d.comb += [control.eq(~flags), gone.eq(_up_to(control)), first.eq(control & ~(gone << 1)[:4])]
        # The low nibble of the first control block's type, and the high one that goes with it.
        places = [packed[64 * place : 64 * place + 4] & first[place].replicate(4) for place in range(4)]
        m.submodules.nibbles = nibbles = Lookup({kind.byte & 0xF: kind.byte >> 4 for kind in BLOCK_TYPES}, 4, 4)
        m.d.comb += nibbles.value.eq(reduce(or_, places))
        high, known = nibbles.result, nibbles.known
        for place in range(4):
            start, header, payload = 64 * place, Signal(2, name=f"header_{place}"), Signal(64, name=f"payload_{place}")
            restored = Cat(packed[start : start + 4], high, packed[start + 4 : start + 60])
            moved = packed[start - 4 : start + 60] if place else packed[start : start + 64]
            here = Mux(first[place], restored, Mux(gone[place], moved, packed[start : start + 64]))
            wrong = flags.all() | first[place] & ~known
            told = Mux(wrong, INVALID_HEADER, Mux(control[place], CONTROL_HEADER, DATA_HEADER))
            m.d.comb += [
                payload.eq(Mux(self.is_data, self.body_bits[start : start + 64], here)),
                header.eq(Mux(self.is_data, DATA_HEADER, told)),
            ]
            m.d.comb += [self.blocks[place].header.eq(header), self.blocks[place].payload.eq(payload)]
        return m
