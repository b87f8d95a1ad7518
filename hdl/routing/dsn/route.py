"""Route logic of a DSN switch: the output port of a packet from its destination and the switch's address (D 4.2.3)."""

from amaranth.hdl import Module
from amaranth.lib.wiring import connect

from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.dsn.class_selection import ClassSelection, arrival_ports, class_width
from dsnswitch.hdl.routing.dsn.lrouting import FinalRouting, LocalMap
from dsnswitch.hdl.routing.dsn.ring_unit import RingUnit
from dsnswitch.hdl.routing.dsn.selection import Selection
from dsnswitch.hdl.routing.ring.own import RingTerms
from dsnswitch.net.routing.dsn.relation import DsnRelation
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["RouteLogic"]


class RouteLogic(RouteComponent):
    """Table-free route logic of a DSN switch: output port and virtual channel class of a packet.

    Latency 0 cycles (combinational), or 1 with ``register``; one packet per cycle in both cases.

    Parameters
    ----------
    network : Dsn
        The network.
    node : tuple of int or None
        None makes the *universal* logic, one netlist for every node, with its address as the input ``own``. An
        address makes the *specialised* logic of that node, without these inputs.
    register : bool
        Register the outputs in the domain ``sync`` (rising edge, synchronous reset to 0).
    relation : DsnRelation, optional
        The routing, for other classes than the network's own.

    Members
    -------
    own.x, own.y, own.id : In(p_x), In(p_y), In(ceil(log2 m))
        Own address: static straps. Only in the universal logic.
    dst.x, dst.y, dst.id : In(p_x), In(p_y), In(ceil(log2 m))
        Address of the destination. A field with one possible value has no port (nor has its strap), and a ring has no y.
    in_port, in_class : In(ports), In(ceil(log2 classes))
        Port on which the packet arrived, one-hot, and its class if that is a local link; all 0 from a host. Only in networks
        where the class of the next hop depends on it.
    out_port : Out(ports)
        One-hot output port, by the index of the network's ``ports``.
    out_class : Out(ceil(log2 classes))
        Virtual channel class of a local next hop (:class:`DsnRelation`); not valid if the next hop is a
        shortcut, which has one class. Only where local links have at least two classes.
    arrived : Out(1)
        The destination is this node.
    invalid : Out(1)
        The destination or the own address does not exist (possible only if X, Y or m is not a power of two). Exactly one bit of
        ``out_port``, ``arrived`` and ``invalid`` is set.
    """

    def __init__(self, network: Dsn, node=None, *, register=False, relation=None, sizes=()):
        self._relation = relation or DsnRelation(network)
        self._arrival, self._class_width = arrival_ports(self._relation), class_width(self._relation)
        super().__init__(network, node, register, sizes=sizes, **self._arrival, out_class=self._class_width)
        self._fields = {field.name: field.size for field in network.fields if field.width}

    def elaborate(self, platform):
        m = Module()
        dsn, supernode = self._network, self._network.supernode
        backward = dsn.directions == "both"
        dimensions = tuple(name for name in dsn.dimensions if name in self._fields)
        m.submodules.selection = selection = Selection(dimensions, len(supernode.port_names))

        features = self._relation.features if self._class_width else set()
        wraps = "wraps" in features
        m.submodules.static_local = local_map = LocalMap(supernode, wraps)
        final = self._final(m, local_map.row, wraps)
        m.d.comb += selection.final_here.eq(final.here)
        if "id" in self._fields:
            ids = [local_map.own_id, *([final.own_id] if hasattr(final, "own_id") else [])]
            m.d.comb += [*(port.eq(self._own("id")) for port in ids), final.dst_id.eq(self._dst("id"))]
        if supernode.port_names:
            m.d.comb += selection.final_local.eq(final.hop)

        units = {}
        for name in dimensions:
            units[name] = unit = self._ring(m, name, local_map.row, features)
            phase = getattr(selection, name)
            m.d.comb += [
                unit.dst.eq(self._dst(name)),
                phase.done.eq(unit.done),
                phase.forward.eq(unit.forward),
                phase.backward.eq(unit.backward if backward else 0),
            ]
            if supernode.port_names:
                m.d.comb += phase.local.eq(unit.hop)

        m.d.comb += selection.invalid.eq(self._outside(m))
        self._answer(m, **{name: getattr(selection, name) for name in ("out_port", "arrived", "invalid")})
        if self._class_width:
            self._answer(m, out_class=self._next_class(m, units, final))
        return m

    def _final(self, m, row, wraps):
        """The L-routing to the destination's id, with its static terms."""
        m.submodules.to_destination = final = FinalRouting(self._network.supernode, wraps)
        connect(m, row, final.row)
        return final

    def _ring(self, m, name, row, features):
        """The ring unit of dimension ``name``, with its static terms."""
        size, backward = self._fields[name], self._network.directions == "both"
        m.submodules[f"static_{name}"] = terms = RingTerms(size, backward)
        m.submodules[f"ring_{name}"] = unit = RingUnit(size, self._network.supernode, backward, features)
        connect(m, terms.terms, unit.terms)
        connect(m, row, unit.row)
        m.d.comb += terms.own.eq(self._own(name))
        return unit

    def _next_class(self, m, units, final):
        """Virtual channel class of the next hop, from the outputs of the ring units and of the final L-routing."""
        m.submodules.class_selection = chosen = ClassSelection(self._relation)
        m.d.comb += [getattr(chosen, name).eq(getattr(self, name)) for name in self._arrival]
        for name, unit in units.items():
            phase = getattr(chosen, name)
            m.d.comb += phase.done.eq(unit.done)
            if "wraps" in chosen.features:
                m.d.comb += phase.wraps.eq(unit.wraps)
            if "backward" in chosen.features:
                m.d.comb += phase.backward.eq(unit.goes_backward)
        if "wraps" in chosen.features:
            m.d.comb += chosen.final_wraps.eq(final.wraps)
        return chosen.out_class
