"""Route logic of a DSN-F switch."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...checks import Parameter
from ...topology import DsnF
from ..dsn.route import RouteLogic

__all__ = ["DsnFRoute"]


class DsnFRoute(wiring.Component):
    """Table-free route logic of a DSN-F switch (:class:`~.relation.DsnFRelation`): the logic of the ring DSN, and layer links.

    Latency 0 cycles (combinational), or 1 with ``register``; one packet per cycle in both cases.

    Parameters
    ----------
    network : DsnF
        The network.
    node : tuple of int or None
        None makes the *universal* logic, with the own address on the ``own_*`` inputs. An address makes the *specialised*
        logic of that switch.
    register : bool
        Register the outputs in the domain ``sync`` (rising edge, synchronous reset to 0).

    Members
    -------
    own_layer, own_x, own_id : In(ceil(log2 K)), In(p), In(ceil(log2 p))
        Own address: static straps, which must be valid. Only in the universal logic. A network of one layer has no port
        ``own_layer`` or ``dst_layer``.
    dst_layer, dst_x, dst_id : In(ceil(log2 K)), In(p), In(ceil(log2 p))
        Address of the destination.
    in_local, in_x, in_class
        Kind and class of the packet's previous hop, as for :class:`~..dsn.route.RouteLogic`; all 0 from a host or a layer link.
    out_port : Out(ports)
        One-hot output port, by the index of :attr:`DsnF.ports`.
    out_class : Out(ceil(log2 classes))
        Virtual channel class of the next hop if it is local. Other ports have one class.
    arrived : Out(1)
        The destination is this switch.
    invalid : Out(1)
        The destination does not exist. Exactly one bit of ``out_port``, ``arrived`` and ``invalid`` is set.
    """

    network = Parameter("The network.")
    node = Parameter("Own address as a constant, or None.")
    register = Parameter("Whether the outputs are registered.")

    def __init__(self, network: DsnF, node=None, *, register=False):
        self._network, self._node, self._register = network, node, bool(register)
        self._base = RouteLogic(network.base, None if node is None else node[1:])
        members = dict(self._base.signature.members)
        width = network.fields[0].width
        if width:
            layers = {"dst_layer": In(width)} | ({"own_layer": In(width)} if node is None else {})
            members = layers | members
        members["out_port"] = Out(len(network.ports))
        super().__init__(members)

    @property
    def latency(self):
        """Cycles from the destination to the outputs."""
        return int(self._register)

    def elaborate(self, platform):
        m = Module()
        m.submodules.base = base = self._base
        inputs = [name for name, member in base.signature.members.items() if member.flow == In]
        m.d.comb += [getattr(base, name).eq(getattr(self, name)) for name in inputs]
        ports, arrived, in_base = [], base.arrived, Const(1, 1)
        if self._network.fields[0].width:
            own = self.own_layer if self._node is None else self._node[0]
            in_base = Const(own == 0) if self._node is not None else own == 0
            above = Signal()
            below = Signal()
            m.d.comb += [above.eq(_greater(self.dst_layer, own)), below.eq(_less(self.dst_layer, own))]
            ports = [base.arrived & above, Mux(base.arrived, below, ~in_base)]
            arrived = base.arrived & (self.dst_layer == own)
        is_outside = Signal()
        m.d.comb += is_outside.eq(base.invalid | self._outside())
        port = Cat(Mux(in_base, base.out_port, 0), *ports)
        domain = m.d.sync if self._register else m.d.comb
        domain += [
            self.out_port.eq(Mux(is_outside, 0, port)),
            self.arrived.eq(arrived & ~is_outside),
            self.invalid.eq(is_outside),
        ]
        if "out_class" in self.signature.members:
            domain += self.out_class.eq(base.out_class)
        return m

    def _outside(self):
        """Whether the destination is beyond the last switch of the last layer."""
        network = self._network
        last, x, node = network.switch(network.n - 1)
        if not network.fields[0].width:
            return Const(0, 1)
        beyond = _greater(self.dst_x, x) | ((self.dst_x == x) & _greater(self.dst_id, node))
        return _greater(self.dst_layer, last) | ((self.dst_layer == last) & beyond)


def _greater(value, bound):
    """``value > bound``, without a comparison if ``bound`` is the greatest value, because that result is constant."""
    return Const(0, 1) if isinstance(bound, int) and bound + 1 == 1 << len(value) else value > bound


def _less(value, bound):
    """``value < bound``, without a comparison if ``bound`` is 0, because that result is constant."""
    return Const(0, 1) if isinstance(bound, int) and bound == 0 else value < bound
