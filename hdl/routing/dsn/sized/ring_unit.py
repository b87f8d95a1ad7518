"""Ring unit of a ring whose size is an input."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from dsnswitch.hdl.logic.numbers import TrailingOne
from dsnswitch.hdl.routing.dsn.ring_unit import ring_outputs
from dsnswitch.hdl.routing.dsn.sized.terms import ShortcutRowsSignature
from dsnswitch.hdl.routing.ring.direction import Direction
from dsnswitch.hdl.routing.ring.distance import Distance
from dsnswitch.hdl.routing.ring.own import RingTermsSignature
from dsnswitch.hdl.routing.ring.zero_checker import ZeroChecker
from dsnswitch.net.topology.supernode import Supernode

__all__ = ["SizedRingUnit"]


class SizedRingUnit(wiring.Component):
    """S-routing in one ring of 1 to ``2**levels`` supernodes: as :class:`RingUnit`, for any size. Combinational.

    Members
    -------
    dst : In(levels)
        Coordinate of the destination, below the size.
    terms : In(RingTermsSignature), rows : In(ShortcutRowsSignature)
        Static terms.
    done, forward, hop, backward, wraps, goes_backward
        As for :class:`RingUnit`.
    """

    def __init__(self, levels, supernode: Supernode, backward=True, features=frozenset()):
        self._terms = terms = RingTermsSignature(None, backward, levels)
        self._rows = rows = ShortcutRowsSignature(supernode, levels, backward, "wraps" in features)
        self._backward = backward
        members = {"dst": In(levels), "terms": In(terms), "rows": In(rows)}
        super().__init__(members | ring_outputs(len(supernode.port_names), backward, features))

    def elaborate(self, platform):
        m = Module()
        m.submodules.distance = distance = Distance(self._terms)
        m.submodules.zero_checker = zero_checker = ZeroChecker(len(self.dst))
        connect(m, flipped(self.terms), distance.terms)
        m.d.comb += [
            distance.dst.eq(self.dst),
            zero_checker.dst.eq(self.dst),
            zero_checker.own.eq(self.terms.own),
            self.done.eq(zero_checker.done),
        ]
        leading = Signal(len(self.dst))
        # ``below`` has a last bit of 1 in effect: every distance is less than 2**levels.
        m.d.comb += leading.eq(Cat(distance.below[1:], 1) & ~distance.below)
        direction = trailing = None
        if self._backward:
            direction, trailing = self._way_back(m, distance)

        def chosen(column):
            near, *others = (getattr(getattr(self.rows, kind), column) for kind in self._rows.kinds)
            ahead = (leading & near).any()
            if not others:
                return ahead, None
            far, back = others
            return ahead | ~direction & (leading & far).any(), direction & (trailing & back).any()

        forward, backward = chosen("here")
        m.d.comb += self.forward.eq(forward)
        if self._backward:
            m.d.comb += self.backward.eq(backward)
        for member, columns in (
            ("hop", [name for name in self._rows.columns if name[:7] == "toward_"]),
            ("wraps", ["wraps"]),
        ):
            if member in self.signature.members:
                ways = [chosen(column) for column in columns]
                m.d.comb += getattr(self, member).eq(
                    Cat(ahead if back is None else ahead | back for ahead, back in ways)
                )
        if "goes_backward" in self.signature.members:
            m.d.comb += self.goes_backward.eq(direction)
        return m

    def _way_back(self, m, distance):
        """Direction, and the trailing one of the backward distance, one-hot."""
        m.submodules.direction = direction = Direction(self._terms)
        m.submodules.trailing_one = trailing_one = TrailingOne(len(self.dst))
        connect(m, flipped(self.terms), direction.terms)
        m.d.comb += [
            direction.dst.eq(self.dst),
            direction.below.eq(distance.below),
            direction.wraps.eq(distance.wraps),
            trailing_one.i.eq(distance.residue),
        ]
        return direction.backward, trailing_one.o
