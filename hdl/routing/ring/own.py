"""Static terms of one dimension: the values for the ring unit that depend only on the switch's coordinate."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RingTerms", "RingTermsSignature"]


class RingTermsSignature(wiring.Signature):
    """Static terms of a ring of ``n`` supernodes, ``p`` levels.

    Parameters
    ----------
    n : int or None
        Supernodes; None if the size is an input. The terms are then those of a size that is no power of two.
    backward : bool
        Packets travel in both directions.
    levels : int, optional
        p of the largest size, if the size is an input.

    Members
    -------
    own : Out(p)
        Own coordinate.
    own_minus_n, own_plus_n : Out(p)
        Low ``p`` bits of ``own - n`` and ``own + n``: the switch's coordinate for differences that wrap. Only if n is not a
        power of two (otherwise both equal ``own``), the latter only with ``backward``.
    half : Out(p), half_wraps : Out(1)
        ``(own + n // 2) mod n``, and whether it wrapped. Only with ``backward``, and if n is not a power of two.
    """

    def __init__(self, n, backward, levels=None):
        self.n, self.backward = n, backward
        self.levels = (n - 1).bit_length() if levels is None else levels
        self.power_of_two = levels is None and n & (n - 1) == 0
        members = {"own": Out(self.levels)}
        if not self.power_of_two:
            members["own_minus_n"] = Out(self.levels)
            if backward:
                members |= {"own_plus_n": Out(self.levels), "half": Out(self.levels), "half_wraps": Out(1)}
        super().__init__(members)


class RingTerms(wiring.Component):
    """Computes :class:`RingTermsSignature` from the switch's coordinate. Combinational, not on the packet's path.

    Members
    -------
    own : In(p)
        Own coordinate, 0..n-1.
    terms : Out(RingTermsSignature)
        The static terms.
    """

    def __init__(self, n, backward):
        signature = RingTermsSignature(n, backward)
        super().__init__({"own": In(signature.levels), "terms": Out(signature)})

    def elaborate(self, platform):
        m = Module()
        signature = self.terms.signature
        m.d.comb += self.terms.own.eq(self.own)
        for name, shift in (("own_minus_n", -signature.n), ("own_plus_n", signature.n)):
            if name in signature.members:
                shift = Const(shift % (1 << signature.levels), signature.levels)
                m.d.comb += getattr(self.terms, name).eq(self.own + shift)
        if "half" in signature.members:
            opposite = Signal(signature.levels + 1)
            m.d.comb += [
                opposite.eq(self.own + signature.n // 2),
                self.terms.half_wraps.eq(opposite >= signature.n),
                self.terms.half.eq(Mux(self.terms.half_wraps, opposite - signature.n, opposite)),
            ]
        return m
