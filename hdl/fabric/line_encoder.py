"""From blocks to codewords of the line: scrambler and SECDED encoder as one sum of parts, chosen late."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..gf.sharing import shared
from ..link import CODE
from ..logic import xor_gates
from ..pcs.pcs260.header import CONTROL, DATA
from ..pcs.scrambler import TAPS
from .line_format import FIRST

__all__ = ["LineEncoder"]

#: Bits of the header and of a body.
_HEADER, _BODY = 4, 256


class LineEncoder(wiring.Component):
    """Scrambles a body and appends header and check bits. Latency 1 cycle, one block per cycle.

    Scrambling and encoding are linear. So the codeword is a sum of the codewords of the body's two parts and of the scrambler's
    state. What each part may be goes through its own sums, and the choice comes after them: the choice is known late.

    Members
    -------
    is_data, carries : In(1)
        The block is a data block; it has bits of a flit in its last 184 bits.
    flit : In(256)
        The flit, of which bit ``i`` is for bit ``(i + FIRST) % 256`` of the body.
    control : In(72)
        The first bits of a block that is no data block.
    details : In(184)
        The last bits of a block without a flit.
    taken : Out(1)
        The block enters the line in this cycle.
    o : Out(stream of 270 bits)
        Codewords. Always valid after the first cycle.
    """

    latency = 1

    is_data: In(1)
    carries: In(1)
    flit: In(_BODY)
    control: In(FIRST)
    details: In(_BODY - FIRST)
    taken: Out(1)
    o: Out(stream.Signature(CODE.n))

    def elaborate(self, platform):
        m = Module()
        low, high, state = range(FIRST, _BODY), range(FIRST), range(-TAPS[1], 0)
        # The state is the end of the last codeword.
        before = self._part(m, "state", self.o.payload[CODE.k - TAPS[1] : CODE.k], state)
        first = self._part(m, "flit_end", self.flit[len(low) :], high) ^ before ^ _header(DATA)
        other = self._part(m, "control", self.control, high) ^ before ^ _header(CONTROL)
        flit = self._part(m, "flit_begin", self.flit[: len(low)], low)
        details = self._part(m, "details", self.details, low)
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
        scrambled = [Const(0, 1) if bit is None else bit for bit in _scrambled(m, name, plain)]
        m.d.comb += result.eq(Cat(Const(0, _HEADER), *scrambled, checks))
        return result


#: XOR levels of the check bits.
_DEPTH = 8


def _scrambled(m, name, bits):
    """``bits`` divided by p = 1 + x^39 + x^58: 1/p = p * p^2 * p^4 up to x^256, as p^8 begins with 1 + x^312."""
    for power in (1, 2, 4):
        following = []
        for place, bit in enumerate(bits):
            terms = [bit, *(bits[place - power * tap] for tap in TAPS if place >= power * tap)]
            terms = [term for term in terms if term is not None]
            if len(terms) > 1:
                total = Signal(name=f"{name}_{power}_{place}")
                m.d.comb += total.eq(Cat(terms).xor())
                terms = [total]
            following.append(terms[0] if terms else None)
        bits = following
    return bits


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
