"""Ring unit: S-routing in one dimension (D 4.2.2). A ring DSN has one, a grid DSN two."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.routing.dsn.jump_node import JumpNode
from dsnswitch.hdl.routing.dsn.lrouting import LocalMapSignature, LRouting
from dsnswitch.hdl.routing.ring.direction import Direction
from dsnswitch.hdl.routing.ring.distance import Distance
from dsnswitch.hdl.routing.ring.own import RingTermsSignature
from dsnswitch.hdl.routing.ring.zero_checker import ZeroChecker
from dsnswitch.net.topology.supernode import Supernode

__all__ = ["RingUnit", "ring_outputs"]


def ring_outputs(hops, backward, features):
    """Members for the outputs of S-routing in one ring: ``hops`` local links, shortcuts backward, and ``features``.

    ``features`` are those of :class:`RingUnit`.
    """
    wanted = {"done": 1, "forward": 1, "hop": hops, "backward": int(backward)}
    wanted |= {"wraps": int("wraps" in features), "goes_backward": int("backward" in features)}
    return {name: Out(width) for name, width in wanted.items() if width}


class RingUnit(wiring.Component):
    """S-routing in one ring of ``n >= 2`` supernodes: the shortcut to take, or the local hop to the node that has it.

    Combinational. It consists of distance, direction, jump node, zero checker and L-routing. The local hops to both jump
    nodes, forward and backward, are computed in parallel with the direction.

    Members
    -------
    dst : In(p)
        Coordinate of the destination, 0..n-1.
    terms : In(RingTermsSignature)
        Static terms of the switch's coordinate.
    row : In(LocalMapSignature)
        Static row of the local routing table.
    done : Out(1)
        The destination has the switch's coordinate, and all other outputs are 0.
    hop : Out(local ports)
        One-hot local port of the hop to the jump node; 0 at the jump node. Only if the shape has local ports.
    forward, backward : Out(1), Out(1)
        This node is the jump node, and the packet takes its shortcut. ``backward`` exists only with ``backward=True``.
    wraps, goes_backward : Out(1), Out(1)
        The local route to the jump node passes between the last id and the first; the packet takes the next shortcut
        backward. Only if named in ``features``.
    """

    def __init__(self, n, supernode: Supernode, backward=True, features=frozenset()):
        self._terms = terms = RingTermsSignature(n, backward)
        self._n, self._supernode, self._backward = n, supernode, backward
        self._wraps = "wraps" in features
        row = LocalMapSignature(supernode, self._wraps)
        members = {"dst": In(terms.levels), "terms": In(terms), "row": In(row)}
        super().__init__(members | ring_outputs(len(row.columns), backward, features))

    def elaborate(self, platform):
        m = Module()
        supernode = self._supernode
        m.submodules.distance = distance = Distance(self._terms)
        m.submodules.jump_node = jump_node = JumpNode(self._n, supernode.m, self._backward)
        m.submodules.zero_checker = zero_checker = ZeroChecker(self.terms.signature.levels)
        m.submodules.to_forward = to_forward = LRouting(supernode, self._wraps)
        connect(m, flipped(self.terms), distance.terms)
        connect(m, flipped(self.row), to_forward.row)
        m.d.comb += [
            distance.dst.eq(self.dst),
            zero_checker.dst.eq(self.dst),
            zero_checker.own.eq(self.terms.own),
            self.done.eq(zero_checker.done),
            jump_node.below.eq(distance.below),
            to_forward.target_id.eq(jump_node.forward_id),
            self.forward.eq(to_forward.here),
        ]
        local_hop = to_forward.hop if supernode.port_names else None
        wraps = to_forward.wraps if self._wraps else None
        if self._backward:
            m.submodules.direction = direction = Direction(self._terms)
            m.submodules.to_backward = to_backward = LRouting(supernode, self._wraps)
            connect(m, flipped(self.terms), direction.terms)
            connect(m, flipped(self.row), to_backward.row)
            m.d.comb += [
                direction.dst.eq(self.dst),
                direction.below.eq(distance.below),
                direction.wraps.eq(distance.wraps),
                jump_node.backward.eq(direction.backward),
                jump_node.residue.eq(distance.residue),
                to_backward.target_id.eq(jump_node.backward_id),
                self.backward.eq(direction.backward & to_backward.here),
            ]
            if supernode.port_names:
                local_hop = local_hop | Mux(direction.backward, to_backward.hop, 0)
            if self._wraps:
                wraps = wraps | direction.backward & to_backward.wraps
            if "goes_backward" in self.signature.members:
                # At half a ring of 2^p ``direction.backward`` is 1 although the packet goes forward; there only the top bit
                # of the residue is 1.
                tie = self.terms.signature.power_of_two
                m.d.comb += self.goes_backward.eq(direction.backward & (distance.residue[:-1].any() if tie else 1))
        if supernode.port_names:
            m.d.comb += self.hop.eq(local_hop)
        if self._wraps:
            m.d.comb += self.wraps.eq(wraps)
        return m
