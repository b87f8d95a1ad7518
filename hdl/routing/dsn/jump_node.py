"""Jump node: the id inside the supernode that holds the next shortcut (D 4.2.2, Fig. 4.4)."""

from amaranth.hdl import Cat, Const, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.numbers import TrailingOne

__all__ = ["JumpNode"]


class JumpNode(wiring.Component):
    """Node that holds the next shortcut: the level of the shortcut as the one-hot id of its near end. Combinational.

    Forward, the leading one of the distance gives level k, and the shortcut leaves id k - 1. Backward, the trailing one
    gives it, and the packet enters the shortcut at id k mod m: the hop-by-hop form of the reversed path
    (``docs/papers.md``). Both outputs are 0 if the distance is 0.

    The direction arrives late, and hardly anything here depends on it: distances well below half the ring are always
    forward, and ``backward_id`` is computed for either direction.

    Members
    -------
    below : In(p)
        Forward distance as a thermometer code: bit j is 1 if it is less than 2**j.
    residue : In(p)
        A number with the trailing one of the backward distance; only with ``backward``.
    backward : In(1)
        Output of :class:`Direction`; only with ``backward``.
    forward_id : Out(m)
        One-hot id of the node whose shortcut the packet takes forward; 0 if the direction is backward.
    backward_id : Out(m)
        One-hot id of the node whose shortcut the packet takes if the direction is backward; only with ``backward``.
    """

    def __init__(self, n, m, backward):
        levels = (n - 1).bit_length()
        self._n, self._levels, self._m, self._backward = n, levels, m, backward
        members = {"below": In(levels), "forward_id": Out(m)}
        if backward:
            members |= {"residue": In(levels), "backward": In(1), "backward_id": Out(m)}
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        if not self._backward:
            forward = [self._leading(length) for length in range(self._levels)]
            m.d.comb += self.forward_id.eq(self._by_id(forward, lambda level: level - 1))
            return m
        m.submodules.trailing_one = trailing_one = TrailingOne(self._levels)
        m.d.comb += trailing_one.i.eq(self.residue)
        forward = [self._forward(length, trailing_one.o) for length in range(self._levels)]
        # A shortcut longer than the greatest backward distance, (n - 1) // 2, is never taken backward.
        longest = ((self._n - 1) // 2).bit_length()
        backward = [*trailing_one.o[:longest], *[Const(0, 1)] * (self._levels - longest)]
        m.d.comb += [
            self.forward_id.eq(self._by_id(forward, lambda level: level - 1)),
            self.backward_id.eq(self._by_id(backward, lambda level: level % self._m)),
        ]
        return m

    def _forward(self, length, trailing):
        """The leading one of the forward distance is bit ``length`` and the way is forward: at most half the ring."""
        half = self._n // 2
        if 1 << length > half:
            return Const(0, 1)
        if 2 << length == self._n:  # exactly half the ring, which is forward although ``backward`` may be 1
            return trailing[length]
        if (2 << length) - 1 > half:
            return self._leading(length) & ~self.backward
        return self._leading(length)  # short enough to be forward

    def _leading(self, length):
        """The leading one of the forward distance is bit ``length``."""
        if length == self._levels - 1:
            return ~self.below[length]
        return self.below[length + 1] & ~self.below[length]

    def _by_id(self, length, id_of):
        """Rearrange a one-hot shortcut length (bit j for 2**j supernodes) into the one-hot id ``id_of(level)``."""
        bits = [Const(0, 1)] * self._m
        for level in range(1, self._levels + 1):
            bits[id_of(level)] = length[self._levels - level]
        return Cat(bits)
