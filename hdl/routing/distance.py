"""Distance to the destination in one dimension (box "Distance" of D Fig. 4.4)."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..logic import AtLeast
from .own import DistanceTermsSignature, reaches

__all__ = ["Distance"]


class Distance(wiring.Component):
    """Forward and backward distance, in the two forms that the jump node needs. Combinational.

    The forward distance ``f`` comes as a thermometer code over the shortcut lengths, for its leading one. Of the backward
    distance ``b = (own - dst) mod n`` only the trailing one matters. A difference has the trailing one of the XOR of its
    operands, so ``residue`` is ``dst ^ own`` or, where the subtraction wraps, ``dst ^ (own + n)``.

    Members
    -------
    dst : In(p)
        Coordinate of the destination, 0..n-1.
    terms : In(DistanceTermsSignature)
        Static terms of the own coordinate.
    below : Out(1)
        ``dst < own``.
    reach : Out(p)
        Bit j is ``f >= 2**j``.
    residue : Out(p)
        A number with the trailing one of ``b``; only with ``backward``.
    """

    def __init__(self, n, backward):
        terms = DistanceTermsSignature(n, backward)
        self._backward = backward
        members = {"dst": In(terms.levels), "terms": In(terms), "below": Out(1), "reach": Out(terms.levels)}
        if backward:
            members["residue"] = Out(terms.levels)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        terms = self.terms
        m.submodules.compare_own = compare_own = AtLeast(len(self.dst))
        m.d.comb += [compare_own.a.eq(self.dst), compare_own.b.eq(terms.own), self.below.eq(~compare_own.o)]
        reach = []
        for k in range(1, terms.signature.levels + 1):
            bound = getattr(terms, f"level_{k}")
            m.submodules[f"compare_{k}"] = compare = AtLeast(len(self.dst))
            m.d.comb += [compare.a.eq(self.dst), compare.b.eq(bound.at)]
            reach.append(reaches(compare.o, self.below, bound.wrap))
        m.d.comb += self.reach.eq(Cat(reversed(reach)))
        if self._backward:
            origin = Signal.like(terms.own)
            wrapped = terms.own_plus_n if terms.signature.has_own_plus_n else terms.own
            m.d.comb += [origin.eq(Mux(self.below, terms.own, wrapped)), self.residue.eq(self.dst ^ origin)]
        return m
