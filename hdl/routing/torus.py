"""Route logic of a torus switch: dimension-order routing with dateline classes."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.ring import RingPosition, RingTerms, RingTermsSignature
from dsnswitch.net.routing.torus import TorusRelation
from dsnswitch.net.topology.torus import Torus


class TorusRoute(RouteComponent):
    """Table-free route logic of a torus switch: dimension-order routing, see :class:`TorusRelation`.

    ``dateline`` is False for :class:`BubbleRelation`, which has one class.

    Members
    -------
    - own.dim0, .., dst.dim0, .. (In(ceil(log2 size))): Coordinates. A dimension of one switch has no port.
    - out_class (Out(1)): Virtual channel class of the next hop; only with datelines, if a dimension has at least four switches.
    """

    def __init__(self, network: Torus, node=None, dateline=True):
        self._dateline = dateline
        classes = max(TorusRelation(network).classes.values()) if dateline else 1
        super().__init__(network, node, out_class=(classes - 1).bit_length())

    def elaborate(self, platform):
        m = Module()
        turn, ports, passed = Const(1, 1), [], Const(0, 1)
        for axis, field in enumerate(self.network.fields):
            size = field.size
            if size == 1:
                continue
            m.submodules[f"static_{axis}"] = terms = RingTerms(size, True)
            m.submodules[f"ring_{axis}"] = ring = TorusRing(size, self._dateline)
            connect(m, terms.terms, ring.terms)
            after = Signal(name=f"after_{axis}")
            m.d.comb += [terms.own.eq(self._own(field.name)), ring.dst.eq(self._dst(field.name)), after.eq(turn & ring.done)]
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
    - dst (In(p)): Coordinate of the destination.
    - terms (In(RingTermsSignature)): Static terms of the switch's coordinate.
    - done (Out(1)): The destination has the switch's coordinate, and all other outputs are 0.
    - forward, backward (Out(1), Out(1)): One-hot direction.
    - passed (Out(1)): Class of the hop: 1 if the rest of the route does not pass the link between the last coordinate and the
      first. 0 without ``dateline`` and in a ring of fewer than four switches.
    """

    def __init__(self, size, dateline=True):
        terms = RingTermsSignature(size, True)
        self._has_classes = dateline and size > 3
        outputs = {name: Out(1) for name in ("done", "forward", "backward", "passed")}
        super().__init__({"dst": In(terms.levels), "terms": In(terms)} | outputs)

    def elaborate(self, platform):
        m = Module()
        m.submodules.position = position = RingPosition(self.terms.signature.flip())
        connect(m, wiring.flipped(self.terms), position.terms)
        m.d.comb += [
            position.dst.eq(self.dst),
            self.done.eq(position.done),
            self.forward.eq(~self.done & ~position.way_back),
            self.backward.eq(~self.done & position.way_back),
        ]
        if self._has_classes:
            # The route has passed the link if dst > own forward, or dst < own backward. ``wraps`` is dst < own.
            m.d.comb += self.passed.eq(~self.done & (position.way_back == position.wraps))
        return m
