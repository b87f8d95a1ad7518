"""Route logic of a torus switch: dimension-order routing with dateline classes."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.ring.direction import Direction
from dsnswitch.hdl.routing.ring.distance import Distance
from dsnswitch.hdl.routing.ring.own import RingTerms, RingTermsSignature
from dsnswitch.hdl.routing.ring.zero_checker import ZeroChecker
from dsnswitch.net.routing.torus import TorusRelation
from dsnswitch.net.topology.torus import Torus

__all__ = ["TorusRoute"]


class TorusRoute(RouteComponent):
    """Table-free route logic of a torus switch: dimension-order routing, see :class:`TorusRelation`.

    Latency 0 cycles (combinational), or 1 with ``register``; one packet per cycle in both cases.

    Parameters
    ----------
    network : Torus
        The network.
    node : tuple of int or None
        None makes the *universal* logic, with its address as the input ``own``. An address makes the *specialised*
        logic of that switch.
    register : bool
        Register the outputs in the domain ``sync``.

    Members
    -------
    own.dim0, own.dim1, .. : In(ceil(log2 size))
        Own coordinates, static straps; only in the universal logic. A dimension of one switch has no input.
    dst.dim0, dst.dim1, .. : In(ceil(log2 size))
        Coordinates of the destination.
    out_port : Out(ports)
        One-hot output port, by the index of :attr:`Torus.ports`.
    out_class : Out(1)
        Virtual channel class of the next hop; only if a dimension has at least four switches.
    arrived : Out(1)
        The destination is this switch.
    invalid : Out(1)
        The destination or the own address does not exist. Exactly one bit of ``out_port``, ``arrived`` and ``invalid`` is set.
    """

    def __init__(self, network: Torus, node=None, *, register=False):
        classes = max(TorusRelation(network).classes.values())
        super().__init__(network, node, register, out_class=(classes - 1).bit_length())

    def elaborate(self, platform):
        m = Module()
        turn, ports, passed = Const(1, 1), [], Const(0, 1)
        for axis, field in enumerate(self.network.fields):
            size = field.size
            if size == 1:
                continue
            m.submodules[f"static_{axis}"] = terms = RingTerms(size, True)
            m.submodules[f"ring_{axis}"] = ring = TorusRing(size)
            connect(m, terms.terms, ring.terms)
            after = Signal(name=f"after_{axis}")
            m.d.comb += [
                terms.own.eq(self._own(field.name)),
                ring.dst.eq(self._dst(field.name)),
                after.eq(turn & ring.done),
            ]
            ports += [turn & ring.forward, *([turn & ring.backward] if size > 2 else [])]
            passed |= turn & ring.passed
            turn = after
        is_outside = Signal()
        m.d.comb += is_outside.eq(self._outside(m))
        port = Cat(ports) & ~is_outside.replicate(len(ports))
        self._answer(m, out_port=port, arrived=turn & ~is_outside, invalid=is_outside)
        self._answer(m, out_class=passed & ~is_outside)
        return m


class TorusRing(wiring.Component):
    """Routing in one dimension: whether the packet travels in it, and in which direction. Combinational.

    Members
    -------
    dst : In(p)
        Coordinate of the destination.
    terms : In(RingTermsSignature)
        Static terms of the switch's coordinate.
    done : Out(1)
        The destination has the switch's coordinate, and all other outputs are 0.
    forward, backward : Out(1), Out(1)
        One-hot direction.
    passed : Out(1)
        Class of the hop: 1 if the rest of the route does not pass the link between the last coordinate and the first.
    """

    def __init__(self, size):
        terms = RingTermsSignature(size, True)
        self._size = size
        outputs = {name: Out(1) for name in ("done", "forward", "backward", "passed")}
        super().__init__({"dst": In(terms.levels), "terms": In(terms)} | outputs)

    def elaborate(self, platform):
        m = Module()
        size, terms = self._size, self.terms
        m.submodules.distance = distance = Distance(terms.signature.flip())
        m.submodules.direction = direction = Direction(terms.signature.flip())
        m.submodules.zero_checker = zero_checker = ZeroChecker(len(self.dst))
        connect(m, wiring.flipped(terms), distance.terms)
        connect(m, wiring.flipped(terms), direction.terms)
        backward = Signal(name="way_back")
        m.d.comb += [
            distance.dst.eq(self.dst),
            direction.dst.eq(self.dst),
            direction.below.eq(distance.below),
            direction.wraps.eq(distance.wraps),
            zero_checker.dst.eq(self.dst),
            zero_checker.own.eq(terms.own),
            self.done.eq(zero_checker.done),
            # At half a ring of 2^p ``direction.backward`` is 1 although the packet goes forward; there only the top bit
            # differs.
            backward.eq(direction.backward & (distance.residue[:-1].any() if terms.signature.power_of_two else 1)),
            self.forward.eq(~self.done & ~backward),
            self.backward.eq(~self.done & backward),
        ]
        if size > 3:
            # The route has passed the link if dst > own forward, or dst < own backward. ``wraps`` is dst < own.
            m.d.comb += self.passed.eq(~self.done & (backward == distance.wraps))
        return m
