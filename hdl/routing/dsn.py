"""Base routing of a DSN switch: X, then Y, then the route to the destination's id (D 4.2.3, Fig. 4.4)."""

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.classes import ClassSelection, arrival_bits, class_width
from dsnswitch.hdl.routing.local import FinalRouting, LocalMap
from dsnswitch.hdl.routing.shortcuts import RingUnit
from dsnswitch.hdl.routing.terms import DsnComponent
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.dsn import Dsn


class PhaseSignature(wiring.Signature):
    """Hop of S-routing in one dimension.

    Members
    -------
    - done (Out(1)): S-routing in this dimension is done.
    - forward, backward (Out(1), Out(1)): The packet takes the shortcut; at most one is 1, and none if done.
    - hop (Out(local_ports)): One-hot local port of the hop to the jump node; 0 at the jump node and if done.
    """

    def __init__(self, local_ports):
        super().__init__({**{name: Out(1) for name in ("done", "forward", "backward")}, "hop": Out(local_ports)})


class Selection(wiring.Component):
    """Selects the hop of the current phase: X first, then Y, then the route to the destination id (D Fig. 4.2b). Combinational.

    Exactly one bit of ``out_port``, ``arrived`` and ``invalid`` is 1, for every destination.

    Parameters
    ----------
    dimensions : tuple of str
        Dimensions that have shortcuts, in routing order.
    local_ports : int
        Number of local ports.

    Members
    -------
    - <d> (In(PhaseSignature)): The hop in dimension d.
    - final_hop (In(local_ports)): One-hot local port of the hop towards the destination id; 0 at that id.
    - final_here (In(1)): The destination id is that of the switch.
    - invalid (In(1)): The destination does not exist.
    - out_port (Out(local_ports + 2 * dimensions)): One-hot output port, in the order of the network's ``ports``.
    - arrived (Out(1)): The packet has reached its destination.
    """

    def __init__(self, dimensions, local_ports):
        self._dimensions = dimensions
        inputs = {dimension: In(PhaseSignature(local_ports)) for dimension in dimensions}
        inputs |= {"final_hop": In(local_ports), "final_here": In(1), "invalid": In(1)}
        super().__init__(inputs | {"out_port": Out(local_ports + 2 * len(dimensions)), "arrived": Out(1)})

    def elaborate(self, platform):
        m = Module()
        # From the last phase back to the first. The outputs of a dimension that is done are 0, so they need not be masked.
        local_hop, shortcuts, arrived = self.final_hop, [], self.final_here
        for dimension in reversed(self._dimensions):
            phase = getattr(self, dimension)
            arrived = phase.done & arrived
            shortcuts = [phase.forward, phase.backward, *(phase.done & shortcut for shortcut in shortcuts)]
            local_hop = (phase.hop | Mux(phase.done, local_hop, 0))[: len(local_hop)]
        m.d.comb += [self.out_port.eq(Mux(self.invalid, 0, Cat(local_hop, *shortcuts))), self.arrived.eq(~self.invalid & arrived)]
        return m


class RouteLogic(DsnComponent):
    """Table-free base routing of a DSN switch: output port and virtual channel class of a packet.

    It follows D Fig. 4.4 box by box. :class:`RingUnit` is S-routing of a ring: :class:`RingPosition` ("Distance", "Direction",
    "Zero checker"), :class:`JumpNode` ("Jumping node") and the L-routing to that node. :class:`FinalRouting` is the last
    L-routing, :class:`Selection` is "Routing selection". Static terms are not on the path from a packet's address to the port.

    Parameters
    ----------
    network, node, sized
        As for :class:`DsnComponent`.
    relation : DsnRelation, optional
        The routing, for other classes than the network's own.

    Members
    -------
    - own, dst, size, out_port, arrived, invalid: As for :class:`DsnComponent`.
    - in_port, in_class (In(ports), In(ceil(log2 classes))): Port on which the packet arrived, one-hot, and its class if that is
      a local link; all 0 from a host. Only in networks where the class of the next hop depends on it.
    - out_class (Out(ceil(log2 classes))): Virtual channel class of a local next hop (:class:`DsnRelation`); not valid if the
      next hop is a shortcut, which has one class. Only where local links have at least two classes.
    """

    def __init__(self, network: Dsn, node=None, *, sized=False, relation=None):
        self._relation = relation or relation_of(network)
        bits = arrival_bits(self._relation) | {"out_class": class_width(self._relation)}
        super().__init__(network, node, sized=sized, **bits)

    def elaborate(self, platform):
        m = Module()
        dsn, supernode = self._network, self._network.supernode
        m.submodules.selection = selection = Selection(tuple(self._rings), len(supernode.port_names))
        wraps = len(self.out_class) > 0 and "wraps" in self._relation.features
        m.submodules.static_local = local_map = LocalMap(supernode, wraps)
        m.submodules.to_destination = final = FinalRouting(supernode, wraps)
        connect(m, local_map.row, final.row)
        m.d.comb += [
            local_map.own_id.eq(self._own("id")),
            final.own_id.eq(self._own("id")),
            final.dst_id.eq(self._dst("id")),
            selection.final_here.eq(final.here),
            selection.final_hop.eq(final.hop),
        ]
        units = {}
        for name in self._rings:
            terms = self._terms(m, name, dsn.directions == "both", local_map.row)
            m.submodules[f"ring_{name}"] = units[name] = unit = RingUnit(terms.signature)
            connect(m, terms, unit.terms)
            m.d.comb += unit.dst.eq(self._dst(name))
            connect_ports(m, unit, getattr(selection, name), ("done", "forward", "backward", "hop"))
        m.d.comb += selection.invalid.eq(self._outside(m))
        self._answer(m, **{name: getattr(selection, name) for name in ("out_port", "arrived", "invalid")})
        if len(self.out_class):
            self._answer(m, out_class=self._next_class(m, units, final))
        return m

    def _next_class(self, m, units, final):
        """Virtual channel class of the next hop, from the outputs of the ring units and of the final L-routing."""
        m.submodules.class_selection = chosen = ClassSelection(self._relation)
        connect_ports(m, self, chosen, ("in_port", "in_class"))
        m.d.comb += chosen.final_wraps.eq(final.wraps)
        for name, unit in units.items():
            phase = getattr(chosen, name)
            m.d.comb += [phase.done.eq(unit.done), phase.wraps.eq(unit.wraps), phase.backward.eq(unit.way_back)]
        return chosen.out_class
