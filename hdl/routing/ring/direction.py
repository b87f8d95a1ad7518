"""Direction of travel in one dimension (the sign bit of D Fig. 4.4)."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.numbers import Magnitude
from dsnswitch.hdl.routing.ring.own import RingTermsSignature

__all__ = ["Direction"]


class Direction(wiring.Component):
    """Direction of travel: backward if the forward distance f is more than half the ring, ``2 f > n`` (D Fig. 4.2).

    Combinational. For n = 2**p the output is 1 also at exactly half the ring, where the packet goes forward: the residue
    then has only its top bit set, and :class:`JumpNode` uses that. For other n the
    packet goes forward if ``dst`` is in the arc from ``own`` to the static bound ``(own + n // 2) mod n``. Two comparisons
    in parallel replace one after the distance.

    Members
    -------
    dst : In(p)
        Coordinate of the destination, 0..n-1.
    terms : In(RingTermsSignature)
        Static terms of the switch's coordinate.
    below : In(p), wraps : In(1)
        Outputs of :class:`Distance`.
    backward : Out(1)
        1 for backward (for n = 2**p also at exactly half the ring), 0 for forward.
    """

    def __init__(self, terms: RingTermsSignature):
        width = terms.levels
        members = {"dst": In(width), "terms": In(terms), "below": In(width), "wraps": In(1), "backward": Out(1)}
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        terms = self.terms
        if terms.signature.power_of_two:
            m.d.comb += self.backward.eq(~self.below[-1])
            return m
        m.submodules.bound = bound = Magnitude(len(self.dst))
        m.d.comb += [bound.a.eq(terms.half), bound.b.eq(self.dst)]
        beyond, wraps = bound.borrow, self.wraps
        m.d.comb += self.backward.eq(Mux(terms.half_wraps, wraps & beyond, wraps | beyond))
        return m
