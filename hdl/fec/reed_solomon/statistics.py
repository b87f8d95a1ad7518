"""Counters of a Reed-Solomon decoder."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.fec.reed_solomon.beats import Beats
from dsnswitch.hdl.logic.counter import count
from dsnswitch.hdl.logic.ones import ones, total_of

__all__ = ["AT_ONCE", "Statistics", "counters"]

#: Numbers that are added per pipeline stage.
AT_ONCE = 4


def counters(lanes):
    """Names of the counters of a decoder with this number of lanes."""
    bits = (f"corrected_bits_{lane}" for lane in range(lanes))
    return ("codewords", "corrected", "uncorrectable", "symbol_errors", *bits)


class Statistics(wiring.Component):
    """Counts codewords, corrected symbols, and the corrected bits of each lane.

    The counters follow their inputs after up to 5 cycles. The tree that sums a lane's symbols of a beat adds
    :data:`AT_ONCE` numbers per stage; each stage after the first adds a cycle.

    Parameters
    ----------
    beats : Beats
        Code and width.
    lanes : int
        Number of lanes, which divides W. Symbol i of a codeword is in lane ``i % lanes``.
    counter_width : int
        Bits of the counters, which saturate.

    Members
    -------
    valid : In(1)
        The inputs are a beat.
    pattern : In(W * m)
        Corrections of the beat: 1 for every bit that was changed.
    last : In(1)
        The beat is the last of its codeword; only with ``valid``.
    bad : In(1)
        The codeword is uncorrectable, and its corrections are not counted; read with ``last``.
    errors : In(range(t + 1))
        Number of corrected symbols of the codeword; read with ``last``.
    clear : In(1)
        Sets the counters to 0.
    codewords, corrected, uncorrectable, symbol_errors : Out(counter_width)
        Codewords; codewords with corrected symbols; uncorrectable codewords; corrected symbols.
    corrected_bits_0, corrected_bits_1, .. : Out(counter_width)
        Corrected bits of each lane.
    """

    def __init__(self, beats: Beats, lanes, counter_width=32):
        self._beats, self._lanes = beats, lanes
        super().__init__(
            {
                "valid": In(1),
                "pattern": In(beats.bits),
                "last": In(1),
                "bad": In(1),
                "errors": In(range(beats.code.t + 1)),
                "clear": In(1),
                **{name: Out(counter_width) for name in counters(lanes)},
            }
        )

    def elaborate(self, platform):
        m = Module()
        beats, code = self._beats, self._beats.code
        size, most = code.field.m, code.t * code.field.m
        ended = Signal()
        m.d.comb += ended.eq(self.valid & self.last)
        amounts, pending = {}, [[] for _ in range(self._lanes)]
        for symbol in range(beats.width):
            weight = Signal(range(size + 1), name=f"weight_{symbol}", reset_less=True)
            m.d.sync += weight.eq(ones(self.pattern.word_select(symbol, size)))
            pending[symbol % self._lanes].append(weight)
        cycles = 1
        while cycles == 1 or len(pending[0]) > 1:
            pending = [
                [
                    _registered(m, group, most, f"bits_{lane}_{cycles}_{number}")
                    for number, group in enumerate(_groups(numbers))
                ]
                for lane, numbers in enumerate(pending)
            ]
            cycles += 1
        flags = Cat(self.valid, self.last, self.bad)
        for depth in range(cycles):
            later = Signal(3, name=f"flags_{depth}")
            m.d.sync += later.eq(flags)
            flags = later
        valid, last, bad = flags
        for lane, (bits,) in enumerate(pending):
            total = Signal(range(most + 1), name=f"total_{lane}")
            amount = Signal(range(most + 1), name=f"amount_{lane}")
            summed = Signal(range(most + 1), name=f"summed_{lane}")
            m.d.comb += summed.eq(total + bits)
            with m.If(valid):
                m.d.sync += total.eq(Mux(last, 0, summed))
            m.d.sync += amount.eq(Mux(valid & last & ~bad, summed, 0))
            amounts[f"corrected_bits_{lane}"] = amount
        count(
            m,
            self,
            codewords=ended,
            corrected=ended & self.errors.any(),
            uncorrectable=ended & self.bad,
            symbol_errors=Mux(ended, self.errors, 0),
            **amounts,
        )
        return m


def _groups(numbers):
    return [numbers[start : start + AT_ONCE] for start in range(0, len(numbers), AT_ONCE)]


def _registered(m, numbers, most, name):
    """Registered sum of ``numbers``. It may overflow in an uncorrectable codeword, whose sum is not counted."""
    total = Signal(range(most + 1), name=name, reset_less=True)
    m.d.sync += total.eq(total_of(numbers))
    return total
