"""Syndromes of a codeword that comes in beats."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...arithmetic import linear
from ...gf import matrix
from .beats import Beats

__all__ = ["Syndromes"]


class Syndromes(wiring.Component):
    """n - k sums by Horner's rule, W symbols a step. One beat a cycle.

    Parameters
    ----------
    beats : Beats
    register : bool
        Between the map of a beat and the sums: latency 1 cycle, else 0.

    Members
    -------
    beat : In(W * m)
    enable : In(1)
        There is a beat.
    first, last : In(1)
        It is the first (the last) of a codeword.
    done : Out(1)
        ``value`` has the syndromes of a whole codeword.
    value : Out((n - k) * m)
        Syndrome 0 lowest.
    """

    def __init__(self, beats: Beats, register=False):
        self._beats, self._register = beats, register
        size = beats.code.parity * beats.code.field.m
        flags = {name: In(1) for name in ("enable", "first", "last")}
        super().__init__({"beat": In(beats.bits), **flags, "done": Out(1), "value": Out(size)})

    def elaborate(self, platform):
        m = Module()
        beats, field = self._beats, self._beats.code.field
        share = linear(m, beats.syndrome_map(), self.beat, "sum")
        enable, first, last = self.enable, self.first, self.last
        if self._register:
            held = Signal(len(share), reset_less=True)
            enabled = Signal()
            began = Signal()
            ended = Signal()
            m.d.sync += [held.eq(share), enabled.eq(enable), began.eq(first), ended.eq(last)]
            share, enable, first, last = held, enabled, began, ended
        sums = Signal(len(self.value), reset_less=True)
        stepped = []
        for place, factor in enumerate(beats.syndrome_factors()):
            low = place * field.m
            rows = matrix.constant(field, factor)
            stepped.append(linear(m, rows, sums[low : low + field.m], f"step_{place}"))
        m.d.comb += [
            self.value.eq(share ^ Mux(first, 0, Cat(stepped))),
            self.done.eq(enable & last),
        ]
        with m.If(enable):
            m.d.sync += sums.eq(self.value)
        return m
