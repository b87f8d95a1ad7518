"""Reed-Solomon encoder: one beat of W symbols per cycle."""

from amaranth.hdl import Cat, Const, Module, Mux, ResetSignal, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.arithmetic import linear
from dsnswitch.hdl.fec.reed_solomon.code import Beats, ReedSolomonCode
from dsnswitch.hdl.logic.gates import equals
from dsnswitch.hdl.stream.stage import stage
from dsnswitch.net.checks import Parameter


class RsEncoder(wiring.Component):
    """Reed-Solomon encoder: sends the data, then the parity. Latency 1 cycle, one beat per cycle, no gap before the parity.

    One linear map divides the W = ``width`` symbols of a beat by the generator. If W does not divide k, each cycle divides
    the end of the previous beat and the start of this one. The last step then ends with the data, so a second map for a
    shorter step is not needed.

    Members
    -------
    - i (In(stream of W * m bits)): The first symbol of a beat is in its lowest bits. A codeword is ``ceil(n / W)`` beats,
      counted from reset. Input symbols at the positions of the parity are ignored.
    - o (Out(stream of W * m bits)): The codeword, then 0. The payload holds its value until it is accepted.
    """

    latency = 1

    beats = Parameter("Code and width, as :class:`Beats`.")

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
        symbols = [self.i.payload.word_select(index, size) for index in range(width)]

        beat = Signal(range(beats.count))
        last = Signal()
        m.d.comb += last.eq(beat == beats.count - 1)
        # ``at_turn``: the data end in this beat. ``behind``: they have ended before it. ``alone``: beats of parity only.
        alone = beats.count - 1 - turn
        at_turn = last if alone == 0 else equals(beat, turn)
        behind = Const(0, 1) if alone == 0 else last if alone == 1 else Signal(name="behind")
        # The remainder so far, its highest symbol first, and the end of the previous beat are only divided together, so one
        # register holds their sum.
        so_far = Signal(size * max(parity, late), reset_less=alone > 1)
        summed = Signal(beats.bits)
        m.d.comb += summed.eq(Cat(Const(0, size * late), symbols[: width - late]) ^ so_far[: beats.bits])
        # In beats of parity nothing is divided: the remainder moves up by a beat. The last beat clears the rest of it.
        dividend = summed & ~behind.replicate(beats.bits) if alone > 1 else summed
        divided = Signal(size * parity)
        share = _first_high(linear(m, beats.parity_map(), dividend, "sum"), size)
        m.d.comb += divided.eq(share ^ so_far[beats.bits :])

        payload = Mux(behind, so_far[size * late :][: beats.bits], self.i.payload)
        rest = divided
        if late:
            # Parity begins in the beat in which the data end, and continues in beats of parity only.
            payload = Mux(at_turn, Cat(symbols[: width - late], divided)[: beats.bits], payload)
            ended = Const(0, 1) if alone == 0 else at_turn if alone == 1 else at_turn | behind
            rest = divided ^ Mux(ended, 0, Cat(symbols[width - late :]))
        left = len(so_far) if alone <= 1 else max(0, size * (parity - width * alone))
        rest = Cat(rest[:left] & ~last.replicate(left), rest[left:])
        taken = stage(m, self.i, self.o)
        if alone > 1:
            # Reset and hold are one complex gate per bit, which has less area. With ``alone <= 1`` it would add two levels to
            # the wide sums and save little.
            takes = Signal()
            holds = Signal()
            m.d.comb += [takes.eq(taken & ~ResetSignal()), holds.eq(~taken & ~ResetSignal())]
            m.d.sync += so_far.eq((rest & takes.replicate(len(so_far))) | (so_far & holds.replicate(len(so_far))))
        with m.If(taken):
            m.d.sync += [self.o.payload.eq(payload), beat.eq(Mux(last, 0, beat + 1))]
            if alone > 1:
                m.d.sync += behind.eq(Mux(last, 0, behind | at_turn))
            else:
                m.d.sync += so_far.eq(rest)
        return m


def _first_high(value, size):
    """The symbols of ``value`` in reverse order."""
    return Cat(value[start : start + size] for start in range(len(value) - size, -1, -size))
