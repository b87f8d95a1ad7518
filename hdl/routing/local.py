"""L-routing: the local hop towards another id of the same supernode (D 4.2.2, Table 4.2)."""

from functools import partial, reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import decode
from dsnswitch.net.routing.dsn.local import first_hop, wraps, xor_symmetric
from dsnswitch.net.topology.supernode import Supernode


class LocalMapSignature(wiring.Signature):
    """Row of the local routing table at one node: the local port of the first hop to each id.

    Members
    -------
    - here (Out(m)): Bit t: t is the switch's id.
    - toward_<port> (Out(m)): Bit t: the first hop to id t takes this local port. One member per local port of the shape.
    - wraps (Out(m)): Bit t: the route to id t passes between the last id and the first. It has no bits without ``wraps``.
    """

    def __init__(self, supernode: Supernode, wraps=False):
        self.supernode = supernode
        self.columns = tuple(f"toward_{name}" for name in supernode.port_names)
        members = {name: Out(supernode.m) for name in ("here", *self.columns)}
        super().__init__(members | {"wraps": Out(supernode.m * int(wraps))})


def own_set(row, name):
    """The member ``name`` of a local routing table's row, at the ids of the set of shortcuts in whose part the switch is."""
    supernode, column = row.signature.supernode, getattr(row, name)
    parts = [slice(start, start + supernode.most_levels) for start in supernode.starts]
    if len(parts) == 1 or not len(column):
        return column
    return reduce(or_, (Mux(row.here[part].any(), column[part], 0) for part in parts))


class LocalMap(wiring.Component):
    """Computes the :class:`LocalMapSignature` of the switch's id. Combinational, not on the packet's path.

    The table is derived by calling :func:`first_hop` for every pair of ids.

    Members
    -------
    - own_id (In(ceil(log2 m))): Own id (static).
    - row (Out(LocalMapSignature)): Row of the switch's id.
    """

    def __init__(self, supernode: Supernode, wraps=False):
        super().__init__({"own_id": In(range(supernode.m)), "row": Out(LocalMapSignature(supernode, wraps))})

    def elaborate(self, platform):
        m = Module()
        signature = self.row.signature
        supernode = signature.supernode
        m.d.comb += [
            self.row.here.eq(decode(self.own_id, supernode.m) if supernode.m > 1 else 1),
            self.row.wraps.eq(self._column(partial(wraps, supernode))),
        ]
        for port, name in enumerate(signature.columns):

            def is_first(own, target, port=port):
                return own != target and first_hop(supernode, own, target) == port

            m.d.comb += getattr(self.row, name).eq(self._column(is_first))
        return m

    def _column(self, holds):
        """Whether ``holds(own, target)``, for every target."""
        ids = range(len(self.row.here))
        owns = [sum(1 << own for own in ids if holds(own, target)) for target in ids]
        return Cat((self.row.here & mask).any() for mask in owns)


class FinalRouting(wiring.Component):
    """L-routing to the destination's id, which is binary: the last phase of a route. Combinational.

    Where the first hop depends on ``own_id ^ dst_id`` only (``k4x2``), that difference is decoded and the row is not used.

    Members
    -------
    - dst_id, own_id (In(ceil(log2 m)), In(ceil(log2 m))): Destination's id, and own id (static).
    - row (In(LocalMapSignature)): Own row of the local routing table (static).
    - here (Out(1)): The destination's id is the switch's id.
    - hop (Out(local ports)): One-hot local port of the hop, or 0.
    - wraps (Out(1)): The route to the destination passes between the last id and the first.
    """

    def __init__(self, supernode: Supernode, wraps=False):
        self._supernode = supernode
        row, binary = LocalMapSignature(supernode, wraps), In(range(supernode.m))
        outputs = {"here": Out(1), "hop": Out(len(supernode.port_names)), "wraps": Out(1)}
        super().__init__({"dst_id": binary, "own_id": binary, "row": In(row)} | outputs)

    def elaborate(self, platform):
        m = Module()
        supernode, row = self._supernode, self.row
        if supernode.m == 1:
            m.d.comb += self.here.eq(1)
            return m
        if not xor_symmetric(supernode):
            target = decode(self.dst_id, supernode.m)
            m.d.comb += [
                self.here.eq((target & row.here).any()),
                self.hop.eq(Cat((target & getattr(row, name)).any() for name in row.signature.columns)),
                self.wraps.eq((target & row.wraps).any()),
            ]
            return m
        difference = decode(self.dst_id ^ self.own_id, supernode.m)
        hops = [None, *(first_hop(supernode, 0, target) for target in range(1, supernode.m))]
        m.d.comb += [
            self.here.eq(difference[0]),
            self.hop.eq(
                Cat(
                    Cat(difference[r] for r, hop in enumerate(hops) if hop == port).any()
                    for port in range(len(supernode.port_names))
                )
            ),
        ]
        return m
