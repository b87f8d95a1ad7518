"""Static terms of a DSN switch, from a fixed size or from one that is an input; what all route logics of a DSN share."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from dsnswitch.hdl.logic.gates import equals
from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.local import LocalMapSignature, own_set
from dsnswitch.hdl.routing.ring import RingTermsSignature, ring_terms


class DsnTermsSignature(wiring.Signature):
    """Static terms of one dimension of a DSN. Lengths take the place of levels: with p levels, level k has length ``2**(p - k)``.

    A ring of n supernodes with p levels is routed as one of 2^p, because the shortcut of level k is one of length 2^(p - k). So
    only two things depend on the size: the terms of the ring, and which id has the shortcut of each length.

    Parameters
    ----------
    ring : RingTermsSignature
        Of the dimension.
    row : LocalMapSignature
        Of the supernode.

    Members
    -------
    - ring (Out(RingTermsSignature)): Terms of the ring.
    - near, far (Out(p)): Bit j: a shortcut of length ``2**j`` is taken forward if the forward distance has leading one j;
      ``near``: whatever the direction; ``far``: only if the direction is forward. Without ``backward`` every shortcut is near.
    - back (Out(p)): Bit j: a shortcut of length ``2**j`` is taken backward if the backward distance has trailing one j.
    - ahead, behind (Out(Signature)): A member Out(p) for each column of ``row``. Bit j: the column at the id where a shortcut
      of length ``2**j`` begins (``ahead``) or ends (``behind``): where a packet takes it forward, or backward. In a double
      supernode, this id is in the switch's own half.
    """

    def __init__(self, ring: RingTermsSignature, row: LocalMapSignature):
        self.ring, self.row = ring, row
        p, back = ring.levels, ring.levels * int(ring.backward)
        members = {"ring": Out(ring), "near": Out(p), "far": Out(back), "back": Out(back)}
        for name, width in (("ahead", p), ("behind", back)):
            columns = {column: Out(width if member.shape else 0) for column, member in row.members.items()}
            members[name] = Out(wiring.Signature(columns))
        super().__init__(members)


class FixedTerms(wiring.Component):
    """Static terms of a ring of ``n`` supernodes. Combinational, not on the packet's path.

    Members
    -------
    - own (In(p)): Own coordinate, 0..n-1.
    - row (In(LocalMapSignature)): Own row of the local routing table.
    - terms (Out(DsnTermsSignature)): The static terms.
    """

    def __init__(self, n, row: LocalMapSignature, backward):
        self._n, ring = n, RingTermsSignature(n, backward)
        super().__init__({"own": In(ring.levels), "row": In(row), "terms": Out(DsnTermsSignature(ring, row))})

    def elaborate(self, platform):
        m = Module()
        terms, n, top = self.terms, self._n, len(self.own)
        ring_terms(m, terms.ring, self.own, Const(n, top + 1))
        # Distances with leading one j are forward if all of them are at most half the ring. Half of a ring of 2**p is forward.
        half = n // 2
        near = [not len(terms.far) or (2 << j) - 1 <= half or 2 << j == n for j in range(top)]
        far = [not near[j] and 1 << j <= half for j in range(top)]
        # A shortcut longer than the greatest backward distance is never taken backward.
        back = (1 << ((n - 1) // 2).bit_length()) - 1
        masks = {"near": near, "far": far, "back": [back >> j & 1 for j in range(top)]}
        for name, mask in masks.items():
            m.d.comb += getattr(terms, name).eq(sum(int(bit) << j for j, bit in enumerate(mask)))
        for name in self.row.signature.members:
            column = own_set(self.row, name)
            if len(column):
                m.d.comb += [
                    getattr(terms.ahead, name).eq(Cat(column[top - j - 1] for j in range(top))),
                    getattr(terms.behind, name).eq(Cat(column[(top - j) % len(column)] for j in range(top))),
                ]
        return m


class SizedTerms(wiring.Component):
    """Static terms of a ring whose size is an input, and of the switch's coordinate. Combinational, not on the packet's path.

    Members
    -------
    - own (In(p)): Own coordinate.
    - size (In(p + 1)): Supernodes of the ring, 1..2**p.
    - row (In(LocalMapSignature)): Own row of the local routing table.
    - terms (Out(DsnTermsSignature)): The static terms.
    - last (Out(p)): The greatest coordinate, ``size - 1``.
    - wrong (Out(1)): The size is out of range, or the switch's coordinate does not exist.
    """

    def __init__(self, levels, row: LocalMapSignature, backward):
        terms = DsnTermsSignature(RingTermsSignature(None, backward, levels), row)
        members = {"own": In(levels), "size": In(levels + 1), "row": In(row), "terms": Out(terms)}
        super().__init__(members | {"last": Out(levels), "wrong": Out(1)})

    def elaborate(self, platform):
        m = Module()
        terms, top = self.terms, len(self.own)
        too_large = self.size[-1] & self.size[:-1].any()
        m.d.comb += [self.last.eq(self.size - 1), self.wrong.eq(~self.size.any() | too_large | (self.own > self.last))]
        ring_terms(m, terms.ring, self.own, self.size)
        # Every distance below 2**(j + 1) is at most half the ring. Two bits more would not change the comparison.
        short = [self.size >= (4 << j) - 2 if (4 << j) - 2 <= 1 << top else Const(0, 1) for j in range(top)]
        all_ones = (1 << top) - 1
        m.d.comb += [
            terms.near.eq(Cat(short) if len(terms.far) else all_ones),
            terms.far.eq(~terms.near),
            terms.back.eq(all_ones),
        ]
        has = [self._has_levels(m, levels) for levels in range(top + 1)]

        def by_length(column, id_of):
            return Cat(
                reduce(or_, (has[p] & column[id_of(p - j)] for p in range(j + 1, top + 1)), Const(0, 1)) for j in range(top)
            )

        for name in self.row.signature.members:
            column = own_set(self.row, name)
            count = len(column)
            if count:
                m.d.comb += [
                    getattr(terms.ahead, name).eq(by_length(column, lambda level: level - 1)),
                    getattr(terms.behind, name).eq(by_length(column, lambda level, count=count: level % count)),
                ]
        return m

    def _has_levels(self, m, levels):
        """Whether the ring has ``levels`` levels: ``ceil(log2(size))``."""
        found = Signal(name=f"has_{levels}_levels")
        if levels == 0:
            m.d.comb += found.eq(equals(self.size, 1))
        else:
            m.d.comb += found.eq(self.last[levels - 1] & ~self.last[levels:].any())
        return found


class DsnComponent(RouteComponent):
    """Route logic of a DSN switch: its static terms come from the network, or from sizes on inputs.

    With sizes on inputs it serves every network of up to 2^p supernodes in each dimension, with the virtual channel classes of
    the largest one. The dependencies of a smaller network are part of those of the largest, so that one proof of deadlock
    freedom holds for all sizes. A port that a smaller network does not have is never chosen.

    Parameters
    ----------
    network : Dsn
        The network; with ``sized`` the largest, whose sizes are powers of two from 2.
    sized : bool
        The sizes are inputs.
    node, bits
        As for :class:`RouteComponent`.

    Members
    -------
    - own.x, own.y, own.id, dst.x, dst.y, dst.id (In): Addresses. A field with one possible value has no port, and a ring has no
      y.
    - size.x, size.y (In(p + 1)): Supernodes in each dimension, 1..2**p: static; only with ``sized``. A size out of range is
      ``invalid``.
    """

    def __init__(self, network, node, *, sized=False, **bits):
        for size in network.sizes if sized else ():
            if size < 2 or size & (size - 1):
                raise ValueError(f"The largest network must have sizes that are powers of two from 2, not {size}")
        sizes = {name: levels + 1 for name, levels in zip(network.dimensions, network.levels)} if sized else {}
        super().__init__(network, node, sizes=sizes, **bits)
        self._sized = sized
        #: Dimensions that have shortcuts, in routing order, and their sizes.
        self._rings = {name: size for name, size in zip(network.dimensions, network.sizes) if size > 1}
        #: What is wrong with the sizes and the destination in each dimension.
        self._limits = {}

    def _terms(self, m, name, backward, row=None):
        """The static terms of dimension ``name``; ``row`` is the own row of the local routing table, if the logic uses it."""
        local = wiring.Signature({}) if row is None else row.signature
        if self._sized:
            terms = SizedTerms(self._rings[name].bit_length() - 1, local, backward)
            m.d.comb += terms.size.eq(getattr(self.size, name))
            self._limits[name] = terms.wrong | (self._dst(name) > terms.last)
        else:
            terms = FixedTerms(self._rings[name], local, backward)
        m.submodules[f"static_{name}"] = terms
        if row is not None:
            connect(m, row, terms.row)
        m.d.comb += terms.own.eq(self._own(name))
        return terms.terms

    def _outside(self, m):
        return Cat(super()._outside(m), *self._limits.values()).any()
