"""Static terms of one dimension whose size is an input."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, flipped

from dsnswitch.hdl.logic.gates import equals
from dsnswitch.hdl.routing.dsn.lrouting import LocalMapSignature
from dsnswitch.hdl.routing.ring.own import RingTermsSignature
from dsnswitch.net.topology.supernode import Supernode

__all__ = ["ShortcutRowsSignature", "SizedTerms"]


class ShortcutRowsSignature(wiring.Signature):
    """Local hop to the shortcut of each length: the row of the local routing table, with lengths in place of ids.

    Members
    -------
    near, far, back : Out(Signature)
        A member Out(p) for each column of :class:`LocalMapSignature`. Bit j: the column at the id with the shortcut
        of ``2**j`` supernodes. ``near`` and ``far`` are shortcuts taken forward: ``near`` if no distance with leading one j is
        more than half the ring. Without ``backward`` every shortcut is near.
    """

    def __init__(self, supernode: Supernode, levels, backward, wraps=False):
        self.supernode, self.levels, self.wraps = supernode, levels, wraps
        self.columns = tuple(LocalMapSignature(supernode, wraps).members)
        self.kinds = ("near", "far", "back") if backward else ("near",)
        by_length = wiring.Signature({column: Out(levels) for column in self.columns})
        super().__init__({kind: Out(by_length) for kind in self.kinds})


class SizedTerms(wiring.Component):
    """Static terms of a ring from its size and the switch's coordinate. Combinational, not on the packet's path.

    Members
    -------
    own : In(p)
        Own coordinate.
    size : In(p + 1)
        Supernodes of the ring, 1..2**p.
    row : In(LocalMapSignature)
        Own row of the local routing table.
    terms : Out(RingTermsSignature)
        Terms of the ring.
    rows : Out(ShortcutRowsSignature)
        Own row by the length of shortcuts.
    last : Out(p)
        The greatest coordinate, ``size - 1``.
    wrong : Out(1)
        The size is out of range, or the switch's coordinate does not exist.
    """

    def __init__(self, levels, supernode: Supernode, backward, wraps=False):
        self._levels, self._backward = levels, backward
        super().__init__(
            {
                "own": In(levels),
                "size": In(levels + 1),
                "row": In(LocalMapSignature(supernode, wraps)),
                "terms": Out(RingTermsSignature(None, backward, levels)),
                "rows": Out(ShortcutRowsSignature(supernode, levels, backward, wraps)),
                "last": Out(levels),
                "wrong": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        too_large = self.size[-1] & self.size[:-1].any()
        m.d.comb += [
            self.last.eq(self.size - 1),
            self.wrong.eq(~self.size.any() | too_large | (self.own > self.last)),
            self.terms.own.eq(self.own),
            self.terms.own_minus_n.eq(self.own - self.size),
        ]
        if self._backward:
            opposite = Signal(self._levels + 1)
            m.d.comb += [
                self.terms.own_plus_n.eq(self.own + self.size),
                opposite.eq(self.own + (self.size >> 1)),
                self.terms.half_wraps.eq(opposite >= self.size),
                self.terms.half.eq(Mux(self.terms.half_wraps, opposite - self.size, opposite)),
            ]
        self._rows(m)
        return m

    def _rows(self, m):
        """Rearrange the columns by length: with p levels, level ``p - j`` has length ``2**j``."""
        top, rows = self._levels, self.rows
        count = len(self.row.here)
        has = [self._has_levels(m, levels) for levels in range(top + 1)]

        def by_length(column, id_of):
            return [
                reduce(or_, (has[p] & column[id_of(p - j)] for p in range(j + 1, top + 1)), Const(0, 1))
                for j in range(top)
            ]

        near = Signal(top)
        # Every distance below 2**(j + 1) is at most half the ring. Two bits more would not change the comparison.
        short = [self.size >= (4 << j) - 2 if (4 << j) - 2 <= 1 << top else Const(0, 1) for j in range(top)]
        m.d.comb += near.eq(Cat(short) if self._backward else (1 << top) - 1)
        for name in flipped(rows).signature.columns:
            column = getattr(self.row, name)
            ahead = Signal(top, name=f"ahead_{name}")
            m.d.comb += [ahead.eq(Cat(by_length(column, lambda level: level - 1)))]
            m.d.comb += getattr(rows.near, name).eq(ahead & near)
            if self._backward:
                m.d.comb += [
                    getattr(rows.far, name).eq(ahead & ~near),
                    getattr(rows.back, name).eq(Cat(by_length(column, lambda level: level % count))),
                ]

    def _has_levels(self, m, levels):
        """Whether the ring has ``levels`` levels: ``ceil(log2(size))``."""
        found = Signal(name=f"has_{levels}_levels")
        if levels == 0:
            m.d.comb += found.eq(equals(self.size, 1))
        else:
            m.d.comb += found.eq(self.last[levels - 1] & ~self.last[levels:].any())
        return found
