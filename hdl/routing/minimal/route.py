"""Minimal route logic of a DSN switch: port and virtual channel class of a packet's next hop."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal

from dsnswitch.hdl.logic.gates import decode
from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.minimal.offset import Offset
from dsnswitch.hdl.routing.minimal.rule_logic import RuleLogic
from dsnswitch.hdl.routing.turns import Turns
from dsnswitch.net.routing.minimal.relation import MinimalRelation
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["MinimalRoute"]


class MinimalRoute(RouteComponent):
    """Table-free routing of one packet over a shortest path.

    Latency 0 cycles (combinational), or 1 with ``register``; one packet per cycle either way.

    Parameters
    ----------
    network : Dsn
        The network.
    node : tuple of int or None
        None makes the *universal* logic: own address as the input ``own``, one netlist for every node. An address
        makes the *specialised* logic of that node, without those inputs.
    register : bool
        Register the outputs in the domain ``sync`` (rising edge, synchronous reset to 0).

    Members
    -------
    own.x, own.y, own.id : In(p_x), In(p_y), In(ceil(log2 m))
        Own address: static straps. Only in the universal logic.
    dst.x, dst.y, dst.id : In(p_x), In(p_y), In(ceil(log2 m))
        Address of the destination. As for the straps, a field with one possible value has no port, and a ring has no y.
    in_port : In(ports)
        Port on which the packet came, one-hot; 0 from a host.
    in_class : In(ceil(log2 classes))
        Virtual channel class on which the packet came; 0 from a host.
    out_port : Out(ports)
        One-hot output port, by the index of the network's ``ports``.
    out_class : Out(ceil(log2 classes))
        Virtual channel class of the next hop, on every kind of port (:class:`MinimalRelation`). It means nothing
        with ``arrived`` and ``invalid``. This output and the two inputs exist only with two classes or more.
    arrived : Out(1)
        The destination is this node.
    invalid : Out(1)
        The destination or the own address does not exist (possible only if X, Y or m is not a power of two). Exactly one bit of
        ``out_port``, ``arrived`` and ``invalid`` is set.
    """

    def __init__(self, network: Dsn, node=None, *, register=False):
        relation = MinimalRelation(network)
        self._decisions = relation.decisions
        self._classes = max(relation.classes.values())
        width = (self._classes - 1).bit_length()
        in_port = len(network.ports) if width else 0
        super().__init__(network, node, register, in_port=in_port, in_class=width, out_class=width)

    def elaborate(self, platform):
        m = Module()
        state, here = [], []
        for field in self._network.fields:
            if not field.width:
                continue
            own, dst = self._own(field.name), self._dst(field.name)
            here.append(dst == own)
            if field.name == "id":
                state.append(dst)
                continue
            m.submodules[f"offset_{field.name}"] = offset = Offset(field.size)
            m.d.comb += [offset.own.eq(own), offset.dst.eq(dst)]
            state.append(offset.distance)
        is_here = Signal()
        is_outside = Signal()
        m.d.comb += [is_here.eq(Cat(here).all()), is_outside.eq(self._outside(m))]
        port, up = self._port(m, Cat(state), ~(is_here | is_outside))
        self._answer(m, out_port=port, arrived=is_here & ~is_outside, invalid=is_outside)
        if len(self.out_class):
            m.submodules.turns = turns = Turns(self._network, self._classes, bounded=False)
            m.d.comb += [
                turns.own.eq(decode(self._own("id"), self._network.m)),
                turns.in_port.eq(self.in_port),
                turns.in_class.eq(self.in_class),
                turns.goes_up.eq(up),
            ]
            self._answer(m, out_class=turns.out_class)
        return m

    def _port(self, m, state, going):
        """The port by the rules of the switch's id, if the packet is ``going`` on, and whether it leads to a higher id."""
        count = self._network.m
        ids = range(count) if self._node is None else [self._node[-1]]
        is_own = decode(self._own("id"), count)
        port, up = Const(0, len(self.out_port)), Const(0, 1)
        for node in ids:
            m.submodules[f"id_{node}"] = logic = RuleLogic(
                self._decisions.rules[node], self._decisions.inputs, len(self.out_port), self._decisions.rising(node)
            )
            m.d.comb += logic.state.eq(state)
            port = port | Mux(is_own[node] & going, logic.out_port, 0)
            up = up | is_own[node] & logic.up
        return port, up
