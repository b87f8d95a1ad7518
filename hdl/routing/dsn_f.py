"""Route logic of a DSN-F switch."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal

from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.dsn import RouteLogic
from dsnswitch.net.topology.dsn_f import DsnF


class DsnFRoute(RouteComponent):
    """Table-free route logic of a DSN-F switch (:class:`DsnFRelation`): the logic of the ring DSN, and layer links.

    Members
    -------
    - own.layer, own.x, own.id, dst.layer, dst.x, dst.id (In): Addresses. A network of one layer has no port ``own.layer`` or
      ``dst.layer``.
    - in_port, in_class (In(ports), In(ceil(log2 classes))): Port and class on which the packet arrived, as for
      :class:`RouteLogic`.
    - out_class (Out(ceil(log2 classes))): Virtual channel class of the next hop if it is local. Other ports have one class.
    """

    def __init__(self, network: DsnF, node=None):
        self._base = RouteLogic(network.base, None if node is None else node[1:])
        bits = {name: len(getattr(self._base, name)) for name in ("in_class", "out_class")}
        in_port = len(network.ports) if len(self._base.in_port) else 0
        super().__init__(network, node, in_port=in_port, **bits)

    def elaborate(self, platform):
        m = Module()
        m.submodules.base = base = self._base
        connect_ports(m, self, base, ["own", "dst", "in_class"])
        m.d.comb += base.in_port.eq(self.in_port)
        ports, arrived, in_base = [], base.arrived, Const(1, 1)
        if self._network.fields[0].width:
            layer, own = self.dst.layer, self._own("layer") if self._node is None else self._node[0]
            in_base = Const(own == 0) if self._node is not None else own == 0
            above = Signal()
            below = Signal()
            m.d.comb += [above.eq(_greater(layer, own)), below.eq(_less(layer, own))]
            ports = [base.arrived & above, Mux(base.arrived, below, ~in_base)]
            arrived = base.arrived & (layer == own)
        is_outside = Signal()
        m.d.comb += is_outside.eq(base.invalid | self._outside(m))
        port = Cat(Mux(in_base, base.out_port, 0), *ports)
        self._answer(m, out_port=Mux(is_outside, 0, port), arrived=arrived & ~is_outside, invalid=is_outside)
        self._answer(m, out_class=base.out_class)
        return m

    def _missing(self, address):
        """A bit that is set if an address is beyond the last switch of the last layer; no bit if none is."""
        network = self._network
        last, x, node = network.switch(network.n - 1)
        if not network.fields[0].width:
            return Cat()
        here = {name: address(name) for name in ("layer", "x", "id")}
        beyond = _greater(here["x"], x) | ((here["x"] == x) & _greater(here["id"], node))
        return _greater(here["layer"], last) | ((here["layer"] == last) & beyond)


def _greater(value, bound):
    """``value > bound``, without a comparison if ``bound`` is the greatest value, because that result is constant."""
    return Const(0, 1) if isinstance(bound, int) and bound + 1 == 1 << len(value) else value > bound


def _less(value, bound):
    """``value < bound``, without a comparison if ``bound`` is 0, because that result is constant."""
    return Const(0, 1) if isinstance(bound, int) and bound == 0 else value < bound
