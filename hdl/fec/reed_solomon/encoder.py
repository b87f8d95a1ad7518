"""Reed-Solomon encoder: a beat of W symbols a cycle."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...arithmetic import linear
from ...logic import equals, stage
from .beats import Beats
from .parameters import ReedSolomonCode

__all__ = ["RsEncoder"]


class RsEncoder(wiring.Component):
    """Writes the parity behind the data. Latency 1 cycle, one beat a cycle, parity without a gap.

    The long division takes W symbols at a time by one map of a beat to a remainder. Where W does not divide k the data stand
    askew: each cycle divides the end of the beat before and the start of this one, so that the last step ends where the data
    end, and no second map is needed for a shorter one.

    Parameters
    ----------
    code : ReedSolomonCode
    width : int
        Symbols of a beat, W.

    Members
    -------
    i : In(stream of W * m bits)
        The first symbol of a beat in its lowest bits. A codeword is ``ceil(n / W)`` beats, counted from reset. What comes in
        the place of parity is ignored.
    o : Out(stream of W * m bits)
        The codeword; 0 behind its end. Holds while it is not taken.
    """

    latency = 1

    def __init__(self, code: ReedSolomonCode, width=16):
        self._beats = Beats(code, width)
        bits = self._beats.bits
        super().__init__({"i": In(stream.Signature(bits)), "o": Out(stream.Signature(bits))})

    def elaborate(self, platform):
        m = Module()
        beats, code, size = self._beats, self._beats.code, self._beats.code.field.m
        width, parity = beats.width, code.parity
        late = -code.k % width
        turn = -(-code.k // width) - 1
        symbols = [self.i.payload[size * place : size * (place + 1)] for place in range(width)]

        beat = Signal(range(beats.count))
        last = Signal()
        m.d.comb += last.eq(beat == beats.count - 1)
        # Whether the data end in this beat, and whether they have ended.
        ends_here = turn == beats.count - 1
        at_turn = last if ends_here else equals(beat, turn)
        behind = Const(0, 1) if ends_here else beat > turn if turn else beat.any()
        # The remainder so far, its highest symbol first, and the end of the beat before are only ever divided together, so
        # that one register holds their sum.
        so_far = Signal(size * max(parity, late))
        summed = Signal(beats.bits)
        m.d.comb += summed.eq(Cat(Const(0, size * late), symbols[: width - late]) ^ so_far[: beats.bits])
        divided = Signal(size * parity)
        share = _first_high(linear(m, beats.parity_map(), summed, "sum"), size)
        m.d.comb += divided.eq(share ^ so_far[beats.bits :])

        # In the beat in which the data end parity follows at once; the rest of it comes in beats of its own.
        turning = Cat(symbols[: width - late], divided)[: beats.bits]
        payload = Mux(at_turn, turning, Mux(behind, so_far[: beats.bits], self.i.payload))
        rest = divided ^ Cat(symbols[width - late :])
        if not ends_here:
            rest = Mux(behind, so_far[beats.bits :], Mux(at_turn, divided[size * late :], rest))
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += [
                self.o.payload.eq(payload),
                beat.eq(Mux(last, 0, beat + 1)),
                so_far.eq(Mux(last, 0, rest)),
            ]
        return m


def _first_high(value, size):
    """Symbols in the opposite order."""
    return Cat(value[place : place + size] for place in range(len(value) - size, -1, -size))
