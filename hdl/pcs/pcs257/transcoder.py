"""Transcoder between four 64b/66b blocks and one block of 256b/257b (IEEE 802.3 91.5.2.5 and 91.5.3.5).

A 256b/257b block is a header bit and the 256 bits of the *body*. If all four blocks are data, the body is their payloads.
Otherwise the body begins with four flags: bit j is 1 if block j is data and 0 if it is control. The payloads follow without
the high nibble of the first control block's type field, which the low nibble determines; all bits above it move down by
four.
"""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.decoders import Lookup
from dsnswitch.hdl.pcs.block_types import BLOCK_TYPES
from dsnswitch.hdl.pcs.layouts import block66
from dsnswitch.hdl.pcs.pcs66.word_encoder import CONTROL_HEADER, DATA_HEADER

__all__ = ["INVALID_HEADER", "Compressor", "Expander", "blocks66"]

#: Header that marks an invalid block.
INVALID_HEADER = 0b11


def blocks66():
    """Layout of four 64b/66b blocks, the first lowest."""
    return data.ArrayLayout(block66(), 4)


def _up_to(bits):
    """Prefix OR: bit j is the OR of bits 0..j."""
    return Cat(bits[: index + 1].any() for index in range(len(bits)))


class Compressor(wiring.Component):
    """Transcodes four blocks of 64b/66b into the 256 bits of one block. Combinational.

    Members
    -------
    blocks : In(blocks66())
        The blocks, not scrambled.
    is_data : Out(1)
        All four blocks are data, and the body is their payloads.
    body_bits : Out(256)
        The body. If a header is invalid, all flags are 1, and the payloads are as if the first block were control.
    """

    blocks: In(blocks66())
    is_data: Out(1)
    body_bits: Out(256)

    def elaborate(self, platform):
        m = Module()
        headers = [self.blocks[index].header for index in range(4)]
        payloads = Cat(self.blocks[index].payload for index in range(4))
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
        for index in range(4):
            start, end = 64 * index + 4, min(64 * index + 68, 252)
            kept.append(Mux(gone[index], payloads[start + 4 : end + 4], payloads[start:end]))
        m.d.comb += self.body_bits.eq(Mux(self.is_data, payloads, Cat(flags, *kept)))
        return m


class Expander(wiring.Component):
    """Transcodes the 256 bits of one block into four blocks of 64b/66b. Combinational.

    Members
    -------
    is_data : In(1)
        All four blocks are data.
    body_bits : In(256)
        The body.
    blocks : Out(blocks66())
        The blocks. All headers are invalid if all flags are 1. The header of the first control block is invalid if no type
        field has its nibble.
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
        # The low nibble of the first control block's type field determines the high nibble.
        low = [packed[64 * index : 64 * index + 4] & first[index].replicate(4) for index in range(4)]
        m.submodules.nibbles = nibbles = Lookup({kind.byte & 0xF: kind.byte >> 4 for kind in BLOCK_TYPES}, 4, 4)
        m.d.comb += nibbles.value.eq(reduce(or_, low))
        high, known = nibbles.result, nibbles.known
        for index in range(4):
            start, header, payload = 64 * index, Signal(2, name=f"header_{index}"), Signal(64, name=f"payload_{index}")
            restored = Cat(packed[start : start + 4], high, packed[start + 4 : start + 60])
            moved = packed[start - 4 : start + 60] if index else packed[start : start + 64]
            here = Mux(first[index], restored, Mux(gone[index], moved, packed[start : start + 64]))
            wrong = flags.all() | first[index] & ~known
            of_control = Mux(wrong, INVALID_HEADER, Mux(control[index], CONTROL_HEADER, DATA_HEADER))
            m.d.comb += [
                payload.eq(Mux(self.is_data, self.body_bits[start : start + 64], here)),
                header.eq(Mux(self.is_data, DATA_HEADER, of_control)),
            ]
            m.d.comb += [self.blocks[index].header.eq(header), self.blocks[index].payload.eq(payload)]
        return m
