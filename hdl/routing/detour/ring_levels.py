"""The next shortcut of the base routing in one dimension, as gateware: its level, forward or backward."""

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.routing.dsn.jump_node import JumpNode
from dsnswitch.hdl.routing.ring.direction import Direction
from dsnswitch.hdl.routing.ring.distance import Distance
from dsnswitch.hdl.routing.ring.own import RingTermsSignature
from dsnswitch.hdl.routing.ring.zero_checker import ZeroChecker

__all__ = ["NextShortcutSignature", "RingLevels"]


class NextShortcutSignature(wiring.Signature):
    """Next shortcut of the base routing in a dimension of ``levels`` levels.

    Members
    -------
    done : Out(1)
        The destination has the switch's coordinate; the other members are then 0.
    forward, backward : Out(levels), Out(levels)
        Bit k - 1: the next shortcut has level k and is taken forward, or backward. Unless ``done``, exactly one bit of both is 1.
    """

    def __init__(self, levels):
        super().__init__({"done": Out(1), "forward": Out(levels), "backward": Out(levels)})


class RingLevels(wiring.Component):
    """Level of the next shortcut in a ring of ``n >= 2`` supernodes of ``m`` switches. Combinational.

    It consists of the boxes of :class:`RingUnit` up to the jump node, whose one-hot id is rearranged by level.

    Members
    -------
    dst : In(p)
        Coordinate of the destination, 0..n-1.
    terms : In(RingTermsSignature)
        Static terms of the switch's coordinate.
    done, forward, backward : Out(1), Out(p), Out(p)
        The shortcut, as in :class:`NextShortcutSignature`.
    """

    def __init__(self, n, m):
        self._terms = terms = RingTermsSignature(n, True)
        self._n, self._m = n, m
        outputs = NextShortcutSignature(terms.levels).members
        super().__init__({"dst": In(terms.levels), "terms": In(terms), **outputs})

    def elaborate(self, platform):
        m = Module()
        levels = len(self.dst)
        m.submodules.distance = distance = Distance(self._terms)
        m.submodules.direction = direction = Direction(self._terms)
        m.submodules.jump_node = jump_node = JumpNode(self._n, self._m, True)
        m.submodules.zero_checker = zero_checker = ZeroChecker(levels)
        connect(m, flipped(self.terms), distance.terms)
        connect(m, flipped(self.terms), direction.terms)
        m.d.comb += [
            distance.dst.eq(self.dst),
            direction.dst.eq(self.dst),
            direction.below.eq(distance.below),
            direction.wraps.eq(distance.wraps),
            jump_node.below.eq(distance.below),
            jump_node.residue.eq(distance.residue),
            jump_node.backward.eq(direction.backward),
            zero_checker.dst.eq(self.dst),
            zero_checker.own.eq(self.terms.own),
            self.done.eq(zero_checker.done),
            self.forward.eq(jump_node.forward_id[:levels]),
        ]
        by_level = Cat(jump_node.backward_id[level % self._m] for level in range(1, levels + 1))
        m.d.comb += self.backward.eq(Mux(direction.backward, by_level, 0))
        return m
