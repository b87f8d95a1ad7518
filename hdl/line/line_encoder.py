"""Line encoder of the light link: scrambles and encodes blocks. Scrambler and code are one sum of parts, chosen late."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring

from dsnswitch.hdl.gf.sharing import shared
from dsnswitch.hdl.line.block_format import LIGHT
from dsnswitch.hdl.line.light_fec import CODE
from dsnswitch.hdl.line.line_format import FIRST
from dsnswitch.hdl.line.line_members import transmitter_members
from dsnswitch.hdl.line.scrambling import scrambled
from dsnswitch.hdl.logic.gates import xor_gates
from dsnswitch.hdl.pcs.pcs260.header import CONTROL, DATA
from dsnswitch.hdl.pcs.scrambler import TAPS

__all__ = ["LineEncoder"]

#: Bits of the header and of a body.
_HEADER, _BODY = 4, 256


class LineEncoder(wiring.Component):
    """Scrambles a body and appends header and check bits. Latency 1 cycle, one block per cycle.

    Scrambling and encoding are linear. So the codeword is a sum of the codewords of the body's two parts and of the scrambler's
    state. What each part may be goes through its own sums, and the choice comes after them: the choice is known late.

    Members: :func:`transmitter_members`. Words are codewords of 270 bits, always valid after the first cycle.
    """

    latency = 1

    def __init__(self):
        super().__init__(transmitter_members(CODE.n))

    def elaborate(self, platform):
        m = Module()
        low, high, state = range(FIRST, _BODY), range(FIRST), range(-TAPS[1], 0)
        # The state is the end of the last codeword.
        before = self._part(m, "state", self.o.payload[CODE.k - TAPS[1] : CODE.k], state)
        first = self._part(m, "flit_end", self.flit[len(low) :], high) ^ before ^ _header(DATA)
        control = LIGHT.control(self.frame_open, self.starts, self.link_word)
        other = self._part(m, "control", control, high) ^ before ^ _header(CONTROL)
        flit = self._part(m, "flit_begin", self.flit[: len(low)], low)
        details = self._part(m, "details", LIGHT.details(self.details), low)
        m.d.comb += self.taken.eq(self.o.ready | ~self.o.valid)
        m.d.sync += self.o.valid.eq(1)
        with m.If(self.taken):
            m.d.sync += self.o.payload.eq(Mux(self.is_data, first, other) ^ Mux(self.carries, flit, details))
        return m

    def _part(self, m, name, bits, positions):
        """The codeword of ``bits`` at ``positions`` of the body, the other bits 0; before the body are the last bits sent."""
        plain = [None] * _BODY
        columns = []
        for bit, position in zip(bits, positions):
            places = [position] if position >= 0 else [position + tap for tap in TAPS if position + tap >= 0]
            for place in places:
                plain[place] = bit if plain[place] is None else plain[place] ^ bit
            columns.append(_column(places))
        rows = [sum((column >> row & 1) << bit for bit, column in enumerate(columns)) for row in range(CODE.r)]
        checks = xor_gates(m, shared(rows, len(columns), _DEPTH), bits, f"{name}_sum")
        result = Signal(CODE.n, name=f"{name}_word")
        body = [Const(0, 1) if bit is None else bit for bit in scrambled(m, name, plain)]
        m.d.comb += result.eq(Cat(Const(0, _HEADER), *body, checks))
        return result


#: XOR levels of the check bits.
_DEPTH = 8


def _column(places):
    """Check bits that change with a plain bit which enters the body at ``places``."""
    bits = [0] * _BODY
    for place in range(_BODY):
        bits[place] = (place in places) ^ (sum(bits[place - tap] for tap in TAPS if place >= tap) & 1)
    column = 0
    for place, bit in enumerate(bits):
        column ^= CODE.columns[_HEADER + place] * bit
    return column


def _header(header):
    """The codeword of a header alone."""
    checks = 0
    for bit in range(_HEADER):
        checks ^= CODE.columns[bit] * (header >> bit & 1)
    return Const(header | checks << CODE.k, CODE.n)
