"""Jump node: the id inside the supernode that holds the next shortcut (D 4.2.2, Fig. 4.4)."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..logic import LeadingOne, TrailingOne

__all__ = ["JumpNode"]


class JumpNode(wiring.Component):
    """Level of the next shortcut, as the one-hot id of the node that holds its near end. Combinational.

    Forward the level is that of the leading one of the distance and the shortcut leaves id k - 1. Backward it is that
    of the trailing one and the shortcut is entered at id k mod m: the hop-by-hop form of the reversed path
    (``docs/papers.md``). Both outputs are 0 when the distance is 0.

    Members
    -------
    distance : In(p)
        Forward distance.
    residue : In(p)
        Number with the trailing one of the backward distance; only with ``backward``.
    backward : In(1)
        Direction of travel; only with ``backward``.
    forward_id : Out(m)
        One-hot id to leave from, or 0 if the way is backward.
    backward_id : Out(m)
        One-hot id to leave from, or 0 if the way is forward; only with ``backward``.
    """

    def __init__(self, levels, m, backward):
        self._levels, self._m, self._backward = levels, m, backward
        members = {"distance": In(levels), "forward_id": Out(m)}
        if backward:
            members |= {"residue": In(levels), "backward": In(1), "backward_id": Out(m)}
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        m.submodules.leading_one = leading_one = LeadingOne(self._levels)
        m.d.comb += leading_one.i.eq(self.distance)
        forward = Signal(self._levels, name="forward_length")
        m.d.comb += forward.eq(Mux(self.backward, 0, leading_one.o) if self._backward else leading_one.o)
        m.d.comb += self.forward_id.eq(self._by_id(forward, lambda level: level - 1))
        if self._backward:
            m.submodules.trailing_one = trailing_one = TrailingOne(self._levels)
            backward = Signal(self._levels, name="backward_length")
            m.d.comb += [
                trailing_one.i.eq(self.residue),
                backward.eq(Mux(self.backward, trailing_one.o, 0)),
                self.backward_id.eq(self._by_id(backward, lambda level: level % self._m)),
            ]
        return m

    def _by_id(self, length, id_of):
        """Rearrange a one-hot shortcut length (bit j for 2**j supernodes) into the one-hot id ``id_of(level)``."""
        bits = [Const(0, 1)] * self._m
        for level in range(1, self._levels + 1):
            bits[id_of(level)] = length[self._levels - level]
        return Cat(bits)
