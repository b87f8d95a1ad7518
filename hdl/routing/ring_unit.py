"""Ring unit: S-routing in one dimension (D 4.2.2). Used once in a ring DSN and twice in a grid DSN."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .direction import Direction
from .distance import Distance
from .jump_node import JumpNode
from .own import RingTermsSignature
from .zero_checker import ZeroChecker

__all__ = ["RingUnit"]


class RingUnit(wiring.Component):
    """Distance, direction, jump node and zero checker of one ring of ``n >= 2`` supernodes. Combinational.

    Members
    -------
    dst : In(p)
        Coordinate of the destination, 0..n-1.
    terms : In(RingTermsSignature)
        Static terms of the own coordinate.
    own_id : In(m)
        Own id, one-hot (static).
    done : Out(1)
        The destination is in this supernode's column (or row): nothing to do here.
    jump_id : Out(m)
        One-hot id of the jump node; 0 when done.
    forward, backward : Out(1), Out(1)
        This node is the jump node: take its shortcut. ``backward`` only with ``backward=True``.
    """

    def __init__(self, n, m, backward=True):
        terms = RingTermsSignature(n, backward)
        self._n, self._m, self._backward = n, m, backward
        members = {
            "dst": In(terms.levels),
            "terms": In(terms),
            "own_id": In(m),
            "done": Out(1),
            "jump_id": Out(m),
            "forward": Out(1),
        }
        if backward:
            members["backward"] = Out(1)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        levels = self.terms.signature.levels
        m.submodules.distance = distance = Distance(self._n, self._backward)
        m.submodules.jump_node = jump_node = JumpNode(levels, self._m, self._backward)
        m.submodules.zero_checker = zero_checker = ZeroChecker(levels)
        connect(m, flipped(self.terms), distance.terms)
        m.d.comb += [
            distance.dst.eq(self.dst),
            zero_checker.dst.eq(self.dst),
            zero_checker.own.eq(self.terms.own),
            self.done.eq(zero_checker.done),
            jump_node.distance.eq(distance.forward),
            self.jump_id.eq(jump_node.forward_id),
            self.forward.eq((jump_node.forward_id & self.own_id).any()),
        ]
        if self._backward:
            m.submodules.direction = direction = Direction(self._n)
            m.d.comb += [
                direction.forward.eq(distance.forward),
                direction.residue.eq(distance.residue),
                jump_node.backward.eq(direction.backward),
                jump_node.residue.eq(distance.residue),
                self.jump_id.eq(jump_node.forward_id | jump_node.backward_id),
                self.backward.eq((jump_node.backward_id & self.own_id).any()),
            ]
        return m
