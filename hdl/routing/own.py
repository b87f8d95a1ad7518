"""Static terms of one dimension: everything that the ring unit needs and that follows from the own coordinate alone.

Let ``f = (dst - own) mod n`` be the forward distance. Whether ``f >= c`` for a constant ``c`` is one comparison of the
destination with the static bound ``(own + c) mod n`` once it is known whether that sum wraps; so no subtraction stands
on the packet's path.
"""

from amaranth.hdl import Const, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BoundSignature", "DistanceTermsSignature", "RingTerms", "RingTermsSignature", "reaches"]


class BoundSignature(wiring.Signature):
    """Static bound of one distance ``c`` on a ring of ``levels`` levels.

    Members
    -------
    at : Out(levels)
        ``(own + c) mod n``.
    wrap : Out(1)
        The sum reached n.
    """

    def __init__(self, levels):
        super().__init__({"at": Out(levels), "wrap": Out(1)})


class DistanceTermsSignature(wiring.Signature):
    """What :class:`~.distance.Distance` needs on a ring of ``n`` supernodes, ``p`` levels.

    Members
    -------
    own : Out(p)
        Own coordinate.
    level_1 .. level_p : Out(BoundSignature)
        Bound of the shortcut length ``l_k`` of each level.
    own_plus_n : Out(p)
        Low ``p`` bits of ``own + n``. Only with ``backward`` and n not a power of two (else it equals ``own``).
    """

    def __init__(self, n, backward):
        self.n = n
        self.levels = (n - 1).bit_length()
        self.has_own_plus_n = backward and n & (n - 1) != 0
        members = {"own": Out(self.levels)}
        members |= {f"level_{k}": Out(BoundSignature(self.levels)) for k in range(1, self.levels + 1)}
        if self.has_own_plus_n:
            members["own_plus_n"] = Out(self.levels)
        super().__init__(members)


class RingTermsSignature(wiring.Signature):
    """Static terms of a ring of ``n`` supernodes.

    Members
    -------
    distance : Out(DistanceTermsSignature)
        For the distance.
    half : Out(BoundSignature)
        For the direction: bound of ``n // 2 + 1``, the least distance that goes backward. Only with ``backward`` and
        where some distance is that long (n > 2).
    """

    def __init__(self, n, backward):
        self.n = n
        self.levels = (n - 1).bit_length()
        self.has_half = backward and n > 2
        members = {"distance": Out(DistanceTermsSignature(n, backward))}
        if self.has_half:
            members["half"] = Out(BoundSignature(self.levels))
        super().__init__(members)


class RingTerms(wiring.Component):
    """Computes :class:`RingTermsSignature` from the own coordinate. Combinational, off the packet's path.

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
        signature, distance = self.terms.signature, self.terms.distance
        n, levels = signature.n, signature.levels

        def modulo(number):
            return Const(number % (1 << levels), levels)

        bounds = [(getattr(distance, f"level_{k}"), 1 << (levels - k)) for k in range(1, levels + 1)]
        if signature.has_half:
            bounds.append((self.terms.half, n // 2 + 1))
        m.d.comb += distance.own.eq(self.own)
        for bound, length in bounds:
            m.d.comb += [
                bound.wrap.eq(self.own >= Const(n - length, levels)),
                bound.at.eq(self.own + Mux(bound.wrap, modulo(length - n), modulo(length))),
            ]
        if distance.signature.has_own_plus_n:
            m.d.comb += distance.own_plus_n.eq(self.own + modulo(n))
        return m


def reaches(above, below, wrap):
    """Whether the forward distance is at least that of a bound: ``above`` is ``dst >= bound``, ``below`` ``dst < own``.

    Without a wrap the destinations are ``[bound, n)`` and ``[0, own)``; with one ``[bound, own)``. This is the majority of
    ``above``, ``below`` and ``not wrap``.
    """
    return Mux(wrap, above & below, above | below)
