"""What a decoder has found, counted."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...logic import count, ones, total_of
from .beats import Beats

__all__ = ["AT_ONCE", "Statistics", "counters"]

#: Numbers that are added in a cycle.
AT_ONCE = 4


def counters(lanes):
    """Names of the counters of a decoder of so many lanes."""
    bits = (f"corrected_bits_{lane}" for lane in range(lanes))
    return ("codewords", "corrected", "uncorrectable", "symbol_errors", *bits)


class Statistics(wiring.Component):
    """Counts codewords, corrected symbols, and corrected bits of each lane. Up to 5 cycles behind its inputs, one more for
    each time that :data:`AT_ONCE` is multiplied by itself to reach the symbols of a beat's lane.

    Parameters
    ----------
    beats : Beats
    lanes : int
        Symbol i of a codeword is lane ``i % lanes``; divides W.
    counter_width : int
        Bits of the counters, which stay at their greatest value.

    Members
    -------
    valid : In(1)
        There is a beat.
    pattern : In(W * m)
        Its corrections.
    last : In(1)
        It ends a codeword; only with ``valid``.
    bad : In(1)
        The codeword could not be corrected, and its corrections count for nothing; with ``last``.
    errors : In(range(t + 1))
        Symbols that were corrected; with ``last``.
    clear : In(1)
        Sets the counters to 0.
    codewords, corrected, uncorrectable, symbol_errors : Out(counter_width)
        Codewords; those with a symbol corrected; those that could not be; symbols that were corrected.
    corrected_bits_0, corrected_bits_1, .. : Out(counter_width)
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
        for place in range(beats.width):
            weight = Signal(range(size + 1), name=f"weight_{place}", reset_less=True)
            m.d.sync += weight.eq(ones(self.pattern[size * place : size * (place + 1)]))
            pending[place % self._lanes].append(weight)
        cycles = 1
        while cycles == 1 or len(pending[0]) > 1:
            pending = [
                [
                    _registered(m, group, most, f"bits_{lane}_{cycles}_{place}")
                    for place, group in enumerate(_groups(numbers))
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
        for lane, (found,) in enumerate(pending):
            total = Signal(range(most + 1), name=f"total_{lane}")
            amount = Signal(range(most + 1), name=f"amount_{lane}")
            summed = Signal(range(most + 1), name=f"summed_{lane}")
            m.d.comb += summed.eq(total + found)
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
    return [numbers[place : place + AT_ONCE] for place in range(0, len(numbers), AT_ONCE)]


def _registered(m, numbers, most, name):
    """Sum of ``numbers`` behind a register. In an uncorrectable codeword there may be more than ``most``: nobody reads it."""
    found = Signal(range(most + 1), name=name, reset_less=True)
    m.d.sync += found.eq(total_of(numbers))
    return found
