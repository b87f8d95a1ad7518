"""Blocks of lines whose code is a unit of its own: scrambler and header of 256b/257b and of 256b/260b, without check bits."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import FIRST, SENT_BLOCK
from dsnswitch.hdl.pcs.characters import type_byte
from dsnswitch.hdl.pcs.dual import sent_dual_layout
from dsnswitch.hdl.pcs.pcs257 import sum_header
from dsnswitch.hdl.pcs.pcs260.framing import CONTROL, DATA, HeaderDecoder, fields
from dsnswitch.hdl.pcs.scrambler import TAPS, descramble

#: Octets in a word.
_OCTETS = 8


@dataclass(frozen=True)
class BlockFormat:
    """Octets of control blocks, as integers: of 256b/260b in the protected format, or of 256b/257b.

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


def scrambled(m, name, bits):
    """``bits`` divided by p = 1 + x^39 + x^58, up to x^256. Three XOR gates of three inputs.

    1/p = p * p^2 * p^4 up to x^256, as p^8 begins with 1 + x^312. So this is no chain as in
    :class:`Scrambler`. Bits before the block are added to ``bits`` by the caller, each a tap later.
    """
    for power in (1, 2, 4):
        product = Signal(len(bits), name=f"{name}_{power}")
        near, far = (bits.shift_left(power * tap)[: len(bits)] for tap in TAPS)
        m.d.comb += product.eq(bits ^ near ^ far)
        bits = product
    return bits


#: Bits of the body from which the scrambler looks back twice as far, so that its chain is shorter.
_FAR = 4 * TAPS[0]


def scrambled_after(m, before, plain):
    """The scrambled 256 bits of ``plain`` after the last bits sent, ``before``. Fewer gates than :func:`scrambled`, 7 XOR levels.

    Each bit is summed with those 39 and 58 bits before it on the line. With p = 1 + x^39 + x^58, 1/p = p / p^2, and p^2 has its
    taps twice as far away. So the last bits are summed with earlier plain bits first, which shortens the chain.
    """
    near, far = TAPS
    line = before
    for start in range(0, len(plain), near):
        part = plain[start : start + near]
        width = len(part)
        at = len(line)
        chunk = Signal(width, name=f"line_{start}")
        if start < _FAR:
            one, other = line[at - far : at - far + width], line[at - near :][:width]
        else:
            part = part ^ plain[start - near :][:width] ^ plain[start - far :][:width]
            one, other = line[at - 2 * far : at - 2 * far + width], line[at - 2 * near :][:width]
        m.d.comb += chunk.eq(part ^ (one ^ other) if start == 0 else part ^ one ^ other)
        line = Cat(line, chunk)
    return line[len(before) :]


#: Bits of a flit in the last bits of a body.
_LOW = 256 - FIRST


class BlockEncoder(wiring.Component):
    """Scrambles a body and puts the header before it. Latency 1 cycle, one block per cycle.

    Parameters
    ----------
    selected : bool
        With ``strict``, both formats; without, 256b/257b only.

    Members
    -------
    - is_data, carries, flit, frame_open, starts, link_word, details: The block (:func:`transmitter_members`).
    - strict: Its format is 256b/257b, else 256b/260b; with ``selected``.
    - due: A block may enter.
    - taken: The block enters in this cycle.
    - o (Out(stream of 257 bits, or of sent_dual_layout())): Blocks. The payload holds its value until it is accepted.
    """

    latency = 1

    def __init__(self, selected=False):
        self._selected = selected
        super().__init__(
            {
                **{name: In(width) for name, width in SENT_BLOCK.items()},
                **({"strict": In(1)} if selected else {}),
                "due": In(1),
                "taken": Out(1),
                "o": Out(stream.Signature(sent_dual_layout() if selected else 257)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        flit, other = self._bodies(STRICT)
        if self._selected:
            light = self._bodies(LIGHT)
            # The format is known early, and what the block is late.
            flit, other = Mux(self.strict, flit, light[0]), Mux(self.strict, other, light[1])
        # No octet moves from one of the two parts to the other.
        body = Cat(Mux(self.is_data, flit[:FIRST], other[:FIRST]), Mux(self.carries, flit[FIRST:], other[FIRST:]))
        plain = Signal(256)
        sent = Signal(TAPS[1])
        m.d.comb += plain.eq(body)
        # The last bits of the block before, each a tap later.
        near, far = (sent[TAPS[1] - tap :] for tap in TAPS)
        line = scrambled(m, "body", plain ^ near ^ far)
        ready = Signal()
        m.d.comb += [ready.eq(self.o.ready | ~self.o.valid), self.taken.eq(ready & self.due)]
        with m.If(ready):
            m.d.sync += self.o.valid.eq(self.due)
        with m.If(self.taken):
            m.d.sync += [sent.eq(line[-TAPS[1] :]), *self._send(line)]
        return m

    def _bodies(self, form):
        """A body of a flit, and a body of a control block with details, in the order of the line."""
        control = form.control(self.frame_open, self.starts, self.link_word)
        return (form.to_line(Cat(self.flit[_LOW:], self.flit[:_LOW])), form.to_line(Cat(control, form.details(self.details))))

    def _send(self, line):
        of_strict = sum_header(Cat(self.is_data, line))
        if not self._selected:
            return [self.o.payload.eq(of_strict)]
        of_light = Cat(Mux(self.is_data, DATA, CONTROL), line)
        return [self.o.payload.block.eq(Mux(self.strict, of_strict, of_light)), self.o.payload.strict.eq(self.strict)]


class BlockDecoder(wiring.Component):
    """Descrambles blocks and reads their headers. Combinational, apart from the descrambler's state.

    Parameters
    ----------
    selected : bool
        With ``strict``, both formats; without, 256b/257b only.

    Members
    -------
    - valid, coded: A block arrives.
    - strict: Its format is 256b/257b, else 256b/260b; with ``selected``.
    - is_data, no_start: It is a data block; its word 1 is no start.
    - plain: Its plain body.
    - bad: Its header is not valid; 0 in 256b/257b.
    """

    def __init__(self, selected=False):
        self._selected = selected
        super().__init__(
            {
                "valid": In(1),
                "coded": In(260 if selected else 257),
                **({"strict": In(1)} if selected else {}),
                **{name: Out(1) for name in ("is_data", "no_start", "bad")},
                "plain": Out(256),
            }
        )

    def elaborate(self, platform):
        m = Module()
        block = sum_header(self.coded[:257])
        # Octet 0 of word 1 is at the same bits in both formats.
        octet = self.plain[64:72]
        if not self._selected:
            m.d.comb += [
                self.is_data.eq(block[0]),
                self.plain.eq(STRICT.from_line(descramble(m, self.valid, block[1:]))),
                self.no_start.eq(STRICT.no_start(m, octet)),
            ]
            return m
        m.submodules.header_decoder = header = HeaderDecoder()
        plain = descramble(m, self.valid, Mux(self.strict, block[1:], self.coded[4:]))
        m.d.comb += [
            header.header.eq(self.coded[:4]),
            self.is_data.eq(Mux(self.strict, block[0], header.is_data)),
            self.bad.eq(~self.strict & header.bad),
            self.plain.eq(Mux(self.strict, STRICT.from_line(plain), LIGHT.from_line(plain))),
            self.no_start.eq(
                Mux(self.strict, STRICT.no_start(m, octet, "strict_no_start"), LIGHT.no_start(m, octet, "light_no_start"))
            ),
        ]
        return m
