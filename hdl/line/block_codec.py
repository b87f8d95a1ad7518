"""Blocks of lines whose code is a unit of its own: scrambler and header of 256b/257b and of 256b/260b, without check bits."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.block_format import LIGHT, STRICT
from dsnswitch.hdl.line.line_format import FIRST
from dsnswitch.hdl.line.line_members import SENT_BLOCK
from dsnswitch.hdl.line.scrambling import scrambled
from dsnswitch.hdl.pcs.dual import sent_dual_layout
from dsnswitch.hdl.pcs.pcs257.mii import sum_header
from dsnswitch.hdl.pcs.pcs260.header import CONTROL, DATA, HeaderDecoder
from dsnswitch.hdl.pcs.scrambler import TAPS, descramble

__all__ = ["BlockDecoder", "BlockEncoder"]

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
    is_data, carries, flit, frame_open, starts, link_word, details : In
        The block (:func:`transmitter_members`).
    strict : In(1)
        Its format is 256b/257b, else 256b/260b; with ``selected``.
    due : In(1)
        A block may enter.
    taken : Out(1)
        The block enters in this cycle.
    o : Out(stream of 257 bits, or of sent_dual_layout())
        Blocks. The payload holds its value until it is accepted.
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
        before = [
            [sent[place - tap] for tap in TAPS if 0 <= place - tap + TAPS[1] < TAPS[1]] for place in range(len(plain))
        ]
        summed = [bit ^ Cat(*earlier).xor() if earlier else bit for bit, earlier in zip(plain, before)]
        line = Cat(scrambled(m, "body", summed))
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
        return (
            form.to_line(Cat(self.flit[_LOW:], self.flit[:_LOW])),
            form.to_line(Cat(control, form.details(self.details))),
        )

    def _send(self, line):
        of_strict = sum_header(Cat(self.is_data, line))
        if not self._selected:
            return [self.o.payload.eq(of_strict)]
        of_light = Cat(Mux(self.is_data, DATA, CONTROL), line)
        return [
            self.o.payload.block.eq(Mux(self.strict, of_strict, of_light)),
            self.o.payload.strict.eq(self.strict),
        ]


class BlockDecoder(wiring.Component):
    """Descrambles blocks and reads their headers. Combinational, apart from the descrambler's state.

    Parameters
    ----------
    selected : bool
        With ``strict``, both formats; without, 256b/257b only.

    Members
    -------
    valid, coded : In(1), In(257 or 260)
        A block arrives.
    strict : In(1)
        Its format is 256b/257b, else 256b/260b; with ``selected``.
    is_data, no_start : Out(1)
        It is a data block; its word 1 is no start.
    plain : Out(256)
        Its plain body.
    bad : Out(1)
        Its header is not valid; 0 in 256b/257b.
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
                Mux(
                    self.strict,
                    STRICT.no_start(m, octet, "strict_no_start"),
                    LIGHT.no_start(m, octet, "light_no_start"),
                )
            ),
        ]
        return m
