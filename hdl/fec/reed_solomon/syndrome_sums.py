"""Syndromes of a codeword that arrives in beats."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.arithmetic.linear import linear
from dsnswitch.hdl.fec.reed_solomon.beats import Beats
from dsnswitch.hdl.gf import matrix

__all__ = ["Syndromes"]


class Syndromes(wiring.Component):
    """Computes the n - k syndromes by Horner's rule, W symbols per step. One beat per cycle.

    Parameters
    ----------
    beats : Beats
        Code and width.
    register : bool
        Put a register between the map of a beat and the sums: latency 1 cycle, else 0.

    Members
    -------
    beat : In(W * m)
        The symbols of a beat.
    enable : In(1)
        ``beat`` is valid.
    first, last : In(1)
        The beat is the first, or the last, of its codeword.
    done : Out(1)
        ``value`` has the syndromes of a whole codeword.
    value : Out((n - k) * m)
        The syndromes, syndrome 0 lowest.
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
        for index, factor in enumerate(beats.syndrome_factors()):
            rows = matrix.constant(field, factor)
            stepped.append(linear(m, rows, sums.word_select(index, field.m), f"step_{index}"))
        m.d.comb += [
            self.value.eq(share ^ Mux(first, 0, Cat(stepped))),
            self.done.eq(enable & last),
        ]
        with m.If(enable):
            m.d.sync += sums.eq(self.value)
        return m
