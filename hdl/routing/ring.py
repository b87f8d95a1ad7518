"""Routing round a ring of any size: static terms, distance, direction, zero checker. All networks made of rings share it."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.numbers import Magnitude


class RingTermsSignature(wiring.Signature):
    """Static terms of a ring of ``n`` supernodes, ``p`` levels: what depends only on the coordinate of the switch.

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
    - own (Out(p)): Own coordinate.
    - own_minus_n, own_plus_n (Out(p)): Low ``p`` bits of ``own - n`` and ``own + n``: the switch's coordinate for differences
      that wrap. They have no bits if n is a power of two (both would equal ``own``), the latter also without ``backward``.
    - half (Out(p), half_wraps : Out(1)): ``(own + n // 2) mod n``, and whether it wrapped. They have bits as ``own_plus_n``
      has.
    """

    def __init__(self, n, backward, levels=None):
        self.n, self.backward = n, backward
        self.levels = (n - 1).bit_length() if levels is None else levels
        self.power_of_two = levels is None and n & (n - 1) == 0
        minus = 0 if self.power_of_two else self.levels
        both = minus if backward else 0
        widths = {"own_minus_n": minus, "own_plus_n": both, "half": both, "half_wraps": min(both, 1)}
        super().__init__({"own": Out(self.levels)} | {name: Out(width) for name, width in widths.items()})


def ring_terms(m, terms, own, size):
    """Drive ``terms``, a :class:`RingTermsSignature`, from the coordinate ``own`` and the ``size``, a constant or an input."""
    opposite = Signal(len(own) + 1)
    m.d.comb += [terms.own.eq(own), terms.own_minus_n.eq(own - size), terms.own_plus_n.eq(own + size)]
    if len(terms.half):
        m.d.comb += [
            opposite.eq(own + (size >> 1)),
            terms.half_wraps.eq(opposite >= size),
            terms.half.eq(Mux(terms.half_wraps, opposite - size, opposite)),
        ]


class RingTerms(wiring.Component):
    """Computes :class:`RingTermsSignature` of a fixed size. Combinational, not on the packet's path.

    Members
    -------
    - own (In(p)): Own coordinate, 0..n-1.
    - terms (Out(RingTermsSignature)): The static terms.
    """

    def __init__(self, n, backward):
        self._n = n
        signature = RingTermsSignature(n, backward)
        super().__init__({"own": In(signature.levels), "terms": Out(signature)})

    def elaborate(self, platform):
        m = Module()
        ring_terms(m, self.terms, self.own, Const(self._n, len(self.own) + 1))
        return m


class RingPosition(wiring.Component):
    """Where the destination is in one dimension (boxes "Distance", "Direction" and "Zero checker" of D Fig. 4.4). Combinational.

    Routing needs only the leading one of the forward distance ``f = (dst - own) mod n`` and the trailing one of the
    backward distance ``b = (own - dst) mod n``, so that neither is computed. If n is not a power of two, the magnitudes of
    ``dst - own`` and ``dst - (own - n)`` are computed in parallel and ``wraps`` selects one. A difference has the trailing
    one of the XOR of its operands, so ``residue`` is ``dst ^ own`` or, where the subtraction wraps, ``dst ^ (own + n)``.

    The direction is backward if the forward distance is more than half the ring, ``2 f > n`` (D Fig. 4.2). If n is not a
    power of two, a packet goes forward if ``dst`` is in the arc from ``own`` to the static bound ``(own + n // 2) mod n``.
    Two comparisons in parallel replace one after the distance.

    Members
    -------
    - dst (In(p)): Coordinate of the destination, 0..n-1.
    - terms (In(RingTermsSignature)): Static terms of the switch's coordinate.
    - done (Out(1)): The destination has the switch's coordinate.
    - below (Out(p)): Thermometer code: bit j is 1 if the forward distance is less than 2**j.
    - wraps (Out(1)): ``dst < own``: the way forward passes coordinate 0.
    - residue (Out(p)): A number with the trailing one of the backward distance. It has no bits without ``backward``, like the
      two below.
    - backward (Out(1)): 1 for backward, 0 for forward. For n = 2**p it is 1 also at exactly half the ring, where the packet
      goes forward: the residue then has only its top bit set, so that a user can tell.
    - way_back (Out(1)): 1 for backward, also there.
    """

    def __init__(self, terms: RingTermsSignature):
        width, back = terms.levels, int(terms.backward)
        members = {"dst": In(width), "terms": In(terms), "done": Out(1), "below": Out(width), "wraps": Out(1)}
        super().__init__(members | {"residue": Out(width * back), "backward": Out(back), "way_back": Out(back)})

    def elaborate(self, platform):
        m = Module()
        terms, width = self.terms, len(self.dst)
        m.submodules.from_own = from_own = Magnitude(width)
        m.d.comb += [
            from_own.a.eq(self.dst),
            from_own.b.eq(terms.own),
            self.wraps.eq(from_own.borrow),
            self.done.eq(self.dst == terms.own),
        ]
        if terms.signature.power_of_two:
            m.d.comb += [
                self.below.eq(from_own.below),
                self.residue.eq(self.dst ^ terms.own),
                self.backward.eq(~self.below[-1]),
                self.way_back.eq(self.backward & self.residue[:-1].any()),
            ]
            return m
        m.submodules.wrapped = wrapped = Magnitude(width)
        m.d.comb += [
            wrapped.a.eq(self.dst),
            wrapped.b.eq(terms.own_minus_n),
            self.below.eq(Mux(self.wraps, wrapped.below, from_own.below)),
        ]
        if len(self.backward):
            m.submodules.bound = bound = Magnitude(width)
            origin = Signal(width)
            beyond, wraps = bound.borrow, self.wraps
            m.d.comb += [
                bound.a.eq(terms.half),
                bound.b.eq(self.dst),
                origin.eq(Mux(self.wraps, terms.own, terms.own_plus_n)),
                self.residue.eq(self.dst ^ origin),
                self.backward.eq(Mux(terms.half_wraps, wraps & beyond, wraps | beyond)),
                self.way_back.eq(self.backward),
            ]
        return m


class Offset(wiring.Component):
    """Forward distance as a number, ``(dst - own) mod n``. Combinational.

    If n is not a power of two, the difference is computed with and without n. The packet's path then has one subtraction and
    the choice between the two.

    Members
    -------
    - dst (In(p)): Coordinate of the destination, 0..n-1.
    - terms (In(RingTermsSignature)): Static terms of the switch's coordinate.
    - distance (Out(p)): Forward distance, 0..n-1.
    """

    def __init__(self, terms: RingTermsSignature):
        super().__init__({"dst": In(terms.levels), "terms": In(terms), "distance": Out(terms.levels)})

    def elaborate(self, platform):
        m = Module()
        own, below = self.terms.own, self.terms.own_minus_n
        distance = self.dst - own
        if len(below):
            distance = Mux(self.dst < own, self.dst - below, distance)
        m.d.comb += self.distance.eq(distance)
        return m
