"""S-routing in one dimension: the next shortcut, and the local hop to the id that has it (D 4.2.2, Fig. 4.4)."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.logic.numbers import TrailingOne
from dsnswitch.hdl.routing.ring import RingPosition, RingTermsSignature
from dsnswitch.hdl.routing.terms import DsnTermsSignature


class JumpNode(wiring.Component):
    """Length of the next shortcut (box "Jumping node" of D Fig. 4.4). Combinational.

    :class:`DsnTermsSignature` says which id has it. Forward, the leading one of the distance gives it. Backward, the trailing
    one gives it: the hop-by-hop form of the reversed path (``docs/papers.md``). Both outputs are 0 if the distance is 0. They do
    not wait for the direction, which is late: distances well below half the ring are always forward, and ``behind`` is
    computed for either direction.

    Members
    -------
    - below, residue (In(p), In(p)): Outputs of :class:`RingPosition`.
    - ahead (Out(p)): Bit j: going forward, the next shortcut has length ``2**j``.
    - behind (Out(p)): The same going backward. It has no bits without ``backward``, like ``residue``.
    """

    def __init__(self, terms: RingTermsSignature):
        self._half_is_forward = terms.power_of_two and terms.backward
        p, back = terms.levels, terms.levels * int(terms.backward)
        super().__init__({"below": In(p), "residue": In(back), "ahead": Out(p), "behind": Out(back)})

    def elaborate(self, platform):
        m = Module()
        # Every distance is less than 2**p.
        leading = Signal(len(self.below))
        m.d.comb += [leading.eq(Cat(self.below[1:], 1) & ~self.below), self.ahead.eq(leading)]
        if len(self.behind):
            m.submodules.trailing_one = trailing_one = TrailingOne(len(self.residue))
            m.d.comb += [trailing_one.i.eq(self.residue), self.behind.eq(trailing_one.o)]
            if self._half_is_forward:
                # A leading one in the highest bit is half the ring or more. Only half the ring is forward.
                m.d.comb += self.ahead.eq(Cat(leading[:-1], trailing_one.o[-1]))
        return m


class RingUnit(wiring.Component):
    """S-routing in one ring of ``n >= 2`` supernodes: the shortcut to take, or the local hop to the node that has it.

    Combinational. The local hops to both jump nodes, forward and backward, are computed in parallel with the direction.

    Members
    -------
    - dst (In(p)): Coordinate of the destination, 0..n-1.
    - terms (In(DsnTermsSignature)): Static terms.
    - done (Out(1)): The destination has the switch's coordinate, and all other outputs but ``way_back`` are 0.
    - hop (Out(local ports)): One-hot local port of the hop to the jump node; 0 at the jump node.
    - forward, backward (Out(1), Out(1)): This node is the jump node, and the packet takes its shortcut.
    - wraps (Out(1)): The local route to the jump node passes between the last id and the first.
    - way_back (Out(1)): The packet takes the next shortcut backward.
    """

    def __init__(self, terms: DsnTermsSignature):
        outputs = {name: Out(1) for name in ("done", "forward", "backward", "wraps", "way_back")}
        hop = {"hop": Out(len(terms.row.columns))}
        super().__init__({"dst": In(terms.ring.levels), "terms": In(terms), **outputs, **hop})

    def elaborate(self, platform):
        m = Module()
        terms = self.terms
        signature = terms.ring.signature
        m.submodules.position = position = RingPosition(signature.flip())
        m.submodules.jump_node = jump_node = JumpNode(signature.flip())
        connect(m, flipped(terms.ring), position.terms)
        m.d.comb += [
            position.dst.eq(self.dst),
            jump_node.below.eq(position.below),
            jump_node.residue.eq(position.residue),
            self.done.eq(position.done),
            self.way_back.eq(position.way_back),
        ]
        is_back = position.backward.any()

        def at_jump_node(column):
            """Whether a column of the local routing table holds at the jump node forward, and at that backward."""
            ahead, behind = getattr(terms.ahead, column), getattr(terms.behind, column)
            near, far, back = ahead & terms.near, ahead & terms.far, behind & terms.back  # static
            forward = (jump_node.ahead & near).any() | ~is_back & (jump_node.ahead & far).any()
            return forward, is_back & (jump_node.behind & back).any()

        forward, backward = at_jump_node("here")
        hops = [Cat(at_jump_node(name)).any() for name in terms.signature.row.columns]
        m.d.comb += [
            self.forward.eq(forward),
            self.backward.eq(backward),
            self.hop.eq(Cat(hops)),
            self.wraps.eq(Cat(at_jump_node("wraps")).any()),
        ]
        return m
