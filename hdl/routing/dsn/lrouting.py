"""L-routing: the local hop towards another id of the same supernode (D 4.2.2, Table 4.2)."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import decode
from dsnswitch.net.routing.dsn.local import first_hop, wraps, xor_symmetric
from dsnswitch.net.topology.supernode import Supernode

__all__ = ["FinalRouting", "LRouting", "LocalMap", "LocalMapSignature"]


class LocalMapSignature(wiring.Signature):
    """Row of the local routing table at one node: the local port of the first hop to each id.

    Members
    -------
    here : Out(m)
        Bit t: t is the switch's id.
    toward_<port> : Out(m)
        Bit t: the first hop to id t takes this local port. One member per local port of the shape.
    wraps : Out(m)
        Bit t: the route to id t passes between the last id and the first. Only with ``wraps``.
    """

    def __init__(self, supernode: Supernode, wraps=False):
        self.supernode = supernode
        self.columns = tuple(f"toward_{name}" for name in supernode.port_names)
        members = {"here": Out(supernode.m), **{name: Out(supernode.m) for name in self.columns}}
        if wraps:
            members["wraps"] = Out(supernode.m)
        super().__init__(members)


class LocalMap(wiring.Component):
    """Computes the :class:`LocalMapSignature` of the switch's id. Combinational, not on the packet's path.

    The table is derived by calling :func:`first_hop` for every pair of ids.

    Members
    -------
    own_id : In(ceil(log2 m))
        Own id (static). There is no such input for m = 1.
    row : Out(LocalMapSignature)
        Row of the switch's id.
    """

    def __init__(self, supernode: Supernode, wraps=False):
        binary = {"own_id": In(range(supernode.m))} if supernode.m > 1 else {}
        super().__init__({**binary, "row": Out(LocalMapSignature(supernode, wraps))})

    def elaborate(self, platform):
        m = Module()
        signature = self.row.signature
        supernode = signature.supernode
        ids = range(supernode.m)
        m.d.comb += self.row.here.eq(decode(self.own_id, supernode.m) if supernode.m > 1 else 1)
        for port, name in enumerate(signature.columns):
            column = []
            for target in ids:
                owns = sum(1 << own for own in ids if own != target and first_hop(supernode, own, target) == port)
                column.append((self.row.here & owns).any())
            m.d.comb += getattr(self.row, name).eq(Cat(column))
        if "wraps" in signature.members:
            column = []
            for target in ids:
                owns = sum(1 << own for own in ids if wraps(supernode, own, target))
                column.append((self.row.here & owns).any())
            m.d.comb += self.row.wraps.eq(Cat(column))
        return m


class LRouting(wiring.Component):
    """L-routing to a one-hot target id: the local port of the first hop. Combinational.

    Members
    -------
    target_id : In(m)
        Target, one-hot, or 0 for none.
    row : In(LocalMapSignature)
        Own row of the local routing table (static).
    here : Out(1)
        The target is the switch's id, so there is no hop.
    hop : Out(local ports)
        One-hot local port of the hop, or 0. Only if the shape has local ports.
    wraps : Out(1)
        The route to the target passes between the last id and the first. Only with ``wraps``.
    """

    def __init__(self, supernode: Supernode, wraps=False):
        row = LocalMapSignature(supernode, wraps)
        members = {"target_id": In(supernode.m), "row": In(row), "here": Out(1)}
        if row.columns:
            members["hop"] = Out(len(row.columns))
        if wraps:
            members["wraps"] = Out(1)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        columns = self.row.signature.columns
        m.d.comb += self.here.eq((self.target_id & self.row.here).any())
        if columns:
            m.d.comb += self.hop.eq(Cat((self.target_id & getattr(self.row, name)).any() for name in columns))
        if "wraps" in self.signature.members:
            m.d.comb += self.wraps.eq((self.target_id & self.row.wraps).any())
        return m


class FinalRouting(wiring.Component):
    """L-routing to the destination's id, which is binary: the last phase of a route. Combinational.

    Where the first hop depends on ``own_id ^ dst_id`` only (``k4x2``), that difference is decoded and the row is not used.

    Members
    -------
    dst_id, own_id : In(ceil(log2 m)), In(ceil(log2 m))
        Destination's id, and own id (static). There are no such inputs for m = 1, where the two are always equal.
    row : In(LocalMapSignature)
        Own row of the local routing table (static).
    here : Out(1)
        The destination's id is the switch's id.
    hop : Out(local ports)
        One-hot local port of the hop, or 0. Only if the shape has local ports.
    wraps : Out(1)
        The route to the destination passes between the last id and the first. Only with ``wraps``.
    """

    def __init__(self, supernode: Supernode, wraps=False):
        row = LocalMapSignature(supernode, wraps)
        self._supernode, self._wraps = supernode, wraps
        binary = In(range(supernode.m))
        members = {"dst_id": binary, "own_id": binary} if supernode.m > 1 else {}
        members |= {"row": In(row), "here": Out(1)}
        if row.columns:
            members["hop"] = Out(len(row.columns))
        if wraps:
            members["wraps"] = Out(1)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        supernode = self._supernode
        if supernode.m == 1:
            m.d.comb += self.here.eq(1)
            return m
        if not xor_symmetric(supernode):
            m.submodules.lrouting = lrouting = LRouting(supernode, self._wraps)
            wiring.connect(m, wiring.flipped(self.row), lrouting.row)
            m.d.comb += [lrouting.target_id.eq(decode(self.dst_id, supernode.m)), self.here.eq(lrouting.here)]
            if supernode.port_names:
                m.d.comb += self.hop.eq(lrouting.hop)
            if self._wraps:
                m.d.comb += self.wraps.eq(lrouting.wraps)
            return m
        difference = decode(self.dst_id ^ self.own_id, supernode.m)
        hops = [None, *(first_hop(supernode, 0, target) for target in range(1, supernode.m))]
        m.d.comb += self.here.eq(difference[0])
        if supernode.port_names:
            ports = range(len(supernode.port_names))
            m.d.comb += self.hop.eq(
                Cat(Cat(difference[r] for r, hop in enumerate(hops) if hop == port).any() for port in ports)
            )
        return m
