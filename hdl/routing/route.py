"""Route logic of a DSN switch: where a packet leaves, from its destination and the switch's own address (D 4.2.3)."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from ..logic import decode
from ..topology import Address, Dsn, ports
from .lrouting import LocalMap, LRouting
from .own import RingTerms
from .ring_unit import RingUnit
from .selection import Selection

__all__ = ["RouteLogic"]


class RouteLogic(wiring.Component):
    """Table-free routing of one packet.

    Latency 0 cycles (combinational), or 1 with ``register``; one packet a cycle either way.

    Parameters
    ----------
    dsn : Dsn
        The network.
    node : Address or None
        None makes the *universal* logic: own address on the ``own_*`` inputs, one netlist for every node. An address
        makes the *specialised* logic of that node, without those inputs.
    register : bool
        Register the outputs in the domain ``sync`` (rising edge, synchronous reset to 0).

    Members
    -------
    own_x, own_y, own_id : In(p_x), In(p_y), In(ceil(log2 m))
        Own address: static straps, which must be valid. Only in the universal logic.
    dst_x, dst_y, dst_id : In(p_x), In(p_y), In(ceil(log2 m))
        Address of the destination. As for the straps, a field with one possible value has no port, and a ring has no y.
    port : Out(ports)
        One-hot output port, by the index of :func:`dsnswitch.hdl.topology.ports`.
    arrived : Out(1)
        The destination is this node.
    invalid : Out(1)
        The destination does not exist (possible only if X, Y or m is not a power of two). Exactly one bit of ``port``,
        ``arrived`` and ``invalid`` is set.
    """

    def __init__(self, dsn: Dsn, node: Address | None = None, *, register=False):
        self._dsn, self._node, self.register = dsn, node, bool(register)
        self._fields = {}
        for name, size in (*zip(dsn.dimensions, dsn.sizes), ("id", dsn.m)):
            if size > 1:
                self._fields[name] = size
        widths = {name: (size - 1).bit_length() for name, size in self._fields.items()}
        members = {}
        if node is None:
            members |= {f"own_{name}": In(width) for name, width in widths.items()}
        members |= {f"dst_{name}": In(width) for name, width in widths.items()}
        members |= {"port": Out(len(ports(dsn))), "arrived": Out(1), "invalid": Out(1)}
        super().__init__(members)

    @property
    def latency(self):
        """Cycles from the destination to the outputs."""
        return int(self.register)

    def elaborate(self, platform):
        m = Module()
        dsn, supernode = self._dsn, self._dsn.supernode
        backward = dsn.directions == "both"
        dimensions = tuple(name for name in dsn.dimensions if name in self._fields)
        m.submodules.selection = selection = Selection(dimensions, len(supernode.port_names))

        own_id = Signal(dsn.m, name="own_id_onehot")
        dst_id = Signal(dsn.m, name="dst_id_onehot")
        m.d.comb += own_id.eq(decode(self._own("id"), dsn.m))
        m.d.comb += dst_id.eq(decode(self.dst_id if "id" in self._fields else Const(0, 0), dsn.m))
        m.submodules.static_local = local_map = LocalMap(supernode)
        m.d.comb += local_map.own_id.eq(own_id)

        def local_route(name, target_id):
            """Local hop of one phase towards a one-hot id, into the selection."""
            if not supernode.port_names:
                return
            m.submodules[f"local_{name}"] = lrouting = LRouting(supernode)
            m.d.comb += lrouting.target_id.eq(target_id)
            for port in supernode.port_names:
                m.d.comb += getattr(lrouting, f"toward_{port}").eq(getattr(local_map, f"toward_{port}"))
            m.d.comb += getattr(selection, f"{name}_local").eq(lrouting.port)

        for name in dimensions:
            size = self._fields[name]
            m.submodules[f"static_{name}"] = terms = RingTerms(size, backward)
            m.submodules[f"ring_{name}"] = unit = RingUnit(size, dsn.m, backward)
            connect(m, terms.terms, unit.terms)
            m.d.comb += [
                terms.own.eq(self._own(name)),
                unit.dst.eq(getattr(self, f"dst_{name}")),
                unit.own_id.eq(own_id),
                getattr(selection, f"{name}_done").eq(unit.done),
                getattr(selection, f"{name}_forward").eq(unit.forward),
                getattr(selection, f"{name}_backward").eq(unit.backward if backward else 0),
            ]
            local_route(name, unit.jump_id)

        local_route("final", dst_id)
        outside = [getattr(self, f"dst_{name}") >= size for name, size in self._fields.items() if size & (size - 1)]
        m.d.comb += [
            selection.final_done.eq((dst_id & own_id).any()),
            selection.invalid.eq(Cat(outside).any()),
        ]
        domain = m.d.sync if self.register else m.d.comb
        domain += [
            self.port.eq(selection.port),
            self.arrived.eq(selection.arrived),
            self.invalid.eq(selection.invalid),
        ]
        return m

    def _own(self, name):
        """Own address field ``name``: a strap of the universal logic, a constant of the specialised one."""
        size = self._fields.get(name, 1)
        if size > 1 and self._node is None:
            return getattr(self, f"own_{name}")
        if self._node is None:
            return Const(0, 0)
        place = dict(zip(self._dsn.dimensions, self._node.coordinates), id=self._node.id)
        return Const(place[name], (size - 1).bit_length())
