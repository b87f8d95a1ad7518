"""Distance to the destination in one dimension (box "Distance" of D Fig. 4.4)."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.numbers import Magnitude
from dsnswitch.hdl.routing.ring.own import RingTermsSignature

__all__ = ["Distance"]


class Distance(wiring.Component):
    """Forward and backward distance to the destination, in the forms that the jump node needs. Combinational.

    Routing needs only the leading one of the forward distance ``f = (dst - own) mod n`` and the trailing one of the
    backward distance ``b = (own - dst) mod n``, so that neither is computed. If n is not a power of two, the magnitudes of
    ``dst - own`` and ``dst - (own - n)`` are computed in parallel and ``wraps`` selects one. A difference has the trailing
    one of the XOR of its operands, so ``residue`` is ``dst ^ own`` or, where the subtraction wraps, ``dst ^ (own + n)``.

    Members
    -------
    dst : In(p)
        Coordinate of the destination, 0..n-1.
    terms : In(RingTermsSignature)
        Static terms of the switch's coordinate.
    below : Out(p)
        Thermometer code: bit j is 1 if the forward distance is less than 2**j.
    wraps : Out(1)
        ``dst < own``: the way forward passes coordinate 0.
    residue : Out(p)
        A number with the trailing one of the backward distance; only with ``backward``.
    """

    def __init__(self, terms: RingTermsSignature):
        self._backward = terms.backward
        members = {"dst": In(terms.levels), "terms": In(terms), "below": Out(terms.levels), "wraps": Out(1)}
        if terms.backward:
            members["residue"] = Out(terms.levels)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        terms, width = self.terms, len(self.dst)
        m.submodules.from_own = from_own = Magnitude(width)
        m.d.comb += [from_own.a.eq(self.dst), from_own.b.eq(terms.own), self.wraps.eq(from_own.borrow)]
        if terms.signature.power_of_two:
            m.d.comb += self.below.eq(from_own.below)
            if self._backward:
                m.d.comb += self.residue.eq(self.dst ^ terms.own)
            return m
        m.submodules.wrapped = wrapped = Magnitude(width)
        m.d.comb += [
            wrapped.a.eq(self.dst),
            wrapped.b.eq(terms.own_minus_n),
            self.below.eq(Mux(self.wraps, wrapped.below, from_own.below)),
        ]
        if self._backward:
            origin = Signal(width)
            m.d.comb += [origin.eq(Mux(self.wraps, terms.own, terms.own_plus_n)), self.residue.eq(self.dst ^ origin)]
        return m
