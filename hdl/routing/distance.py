"""Distance to the destination in one dimension (box "Distance" of D Fig. 4.4)."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..logic import Subtract
from .own import RingTermsSignature

__all__ = ["Distance"]


class Distance(wiring.Component):
    """Forward and backward distance, in the two forms that the jump node needs. Combinational.

    Forward ``f = (dst - own) mod n``: where n is no power of two ``dst - own`` and ``dst - (own - n)`` are found side by
    side and the borrow of the first selects. Of the backward distance ``b = (own - dst) mod n`` only the trailing one
    matters. A difference has the trailing one of the XOR of its operands, so ``residue`` is ``dst ^ own`` or, where the
    subtraction wraps, ``dst ^ (own + n)``.

    Members
    -------
    dst : In(p)
        Coordinate of the destination, 0..n-1.
    terms : In(RingTermsSignature)
        Static terms of the own coordinate.
    forward : Out(p)
        Forward distance.
    residue : Out(p)
        A number with the trailing one of the backward distance; only with ``backward``.
    """

    def __init__(self, n, backward):
        terms = RingTermsSignature(n, backward)
        self._backward = backward
        members = {"dst": In(terms.levels), "terms": In(terms), "forward": Out(terms.levels)}
        if backward:
            members["residue"] = Out(terms.levels)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        terms, width = self.terms, len(self.dst)
        m.submodules.from_own = from_own = Subtract(width)
        m.d.comb += [from_own.a.eq(self.dst), from_own.b.eq(terms.own)]
        if terms.signature.power_of_two:
            m.d.comb += self.forward.eq(from_own.o)
            if self._backward:
                m.d.comb += self.residue.eq(self.dst ^ terms.own)
            return m
        below = from_own.borrow
        m.submodules.wrapped = wrapped = Subtract(width)
        m.d.comb += [
            wrapped.a.eq(self.dst),
            wrapped.b.eq(terms.own_minus_n),
            self.forward.eq(Mux(below, wrapped.o, from_own.o)),
        ]
        if self._backward:
            origin = Signal(width)
            m.d.comb += [origin.eq(Mux(below, terms.own, terms.own_plus_n)), self.residue.eq(self.dst ^ origin)]
        return m
