"""Octets of a block that the format of the line determines: 256b/260b in the protected format, or 256b/257b.

Both formats have a body of 256 bits with the same octets for flits, link words and details (:mod:`line_format`). They differ in
the octets that tell a receiver what each word is, and in the order of octets in a word.
"""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Mux, Signal

from dsnswitch.hdl.pcs.block_types import type_byte
from dsnswitch.hdl.pcs.pcs260.framing import fields

__all__ = ["LIGHT", "STRICT", "BlockFormat"]

#: Octets in a word.
_OCTETS = 8


@dataclass(frozen=True)
class BlockFormat:
    """Octets of control blocks, as integers.

    Parameters
    ----------
    closes, idles : int
        Octet 0 of word 0: a terminate in lane 7, or two ordered sets.
    with_start : int
        Bits of octet 0 of word 0 that are inverted if word 1 is a start.
    starts, other : int
        Octet 0 of word 1: a start, or two ordered sets. They differ in four bits.
    both_signal : int
        Octet 1 of a word with two ordered sets: both are signal ordered sets.
    order : tuple of int
        Octet ``i`` of a word on the line is octet ``order[i]`` of the body.
    """

    closes: int
    idles: int
    with_start: int
    starts: int
    other: int
    both_signal: int
    order: tuple = tuple(range(_OCTETS))

    def control(self, frame_open, starts, link_word):
        """The first 72 bits of a control block: word 0 with the link word, and octet 0 of word 1."""
        return Cat(
            Mux(frame_open, Const(self.closes, 8), Const(self.idles, 8)) ^ Mux(starts, self.with_start, 0),
            Const(self.both_signal, 8),
            link_word,
            Mux(starts, Const(self.starts, 8), Const(self.other, 8)),
        )

    def details(self, details):
        """Bits 72 to 255 of a control block with details, 144 bits."""
        parts = [Const(self.both_signal, 8), details[:48]]
        for word in (1, 2):
            parts += [Const(self.other, 8), Const(self.both_signal, 8), details[48 * word : 48 * word + 48]]
        return Cat(parts)

    def to_line(self, body):
        """The body with its octets in the order of the line."""
        return Cat(body.word_select(8 * (octet // 8) + self.order[octet % 8], 8) for octet in range(len(body) // 8))

    def from_line(self, body):
        """The inverse of :meth:`to_line`."""
        order = [self.order.index(octet) for octet in range(_OCTETS)]
        return Cat(body.word_select(8 * (octet // 8) + order[octet % 8], 8) for octet in range(len(body) // 8))

    def no_start(self, m, octet, name="other_start"):
        """Whether octet 0 of word 1 is no start, as signal ``name``; one wrong bit changes no decision."""
        differs = self.starts ^ self.other
        votes = [octet[bit] ^ (self.starts >> bit & 1) for bit in range(8) if differs >> bit & 1]
        no_start = Signal(name=name)
        # Of four votes for an ordered set, three are enough.
        pairs = [votes[0] & votes[1], votes[2] & votes[3]]
        m.d.comb += no_start.eq(pairs[0] & (votes[2] | votes[3]) | pairs[1] & (votes[0] | votes[1]))
        return no_start


_SETS, _SIGNAL = map(type_byte, fields("O0O4", set0=1, set4=1))

#: 256b/260b: octets 0 and 1 are fields.
LIGHT = BlockFormat(
    closes=type_byte(fields("T7", place=0)[0]),
    idles=_SETS,
    with_start=0,
    starts=type_byte(fields("S0", data=2)[0]),
    other=_SETS,
    both_signal=_SIGNAL,
)

#: 256b/257b: octet 0 of word 0 has four flags, which call words 2 and 3 data after a start, and the low nibble of the block
#: type of word 0. The codes of both ordered sets are octet 4 of their word.
STRICT = BlockFormat(
    closes=0xF0, idles=0x50, with_start=0x0C, starts=0x78, other=0x55, both_signal=0xFF, order=(0, 2, 3, 4, 1, 5, 6, 7)
)
