"""L-routing: the local hop towards an id of the own supernode (D 4.2.2, Table 4.2)."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..topology import Supernode
from .local import first_hop

__all__ = ["LRouting", "LocalMap"]


def _toward(supernode: Supernode):
    return {f"toward_{name}": supernode.m for name in supernode.port_names}


class LocalMap(wiring.Component):
    """The own row of the local routing table. Combinational, off the packet's path.

    The table is derived by running :func:`~dsnswitch.hdl.routing.local.first_hop` for every pair of ids.

    Members
    -------
    own_id : In(m)
        Own id, one-hot (static).
    toward_<port> : Out(m)
        Bit t: the first hop to id t is this local port. One output for each local port of the shape.
    """

    def __init__(self, supernode: Supernode):
        self._supernode = supernode
        super().__init__(
            {"own_id": In(supernode.m), **{name: Out(width) for name, width in _toward(supernode).items()}}
        )

    def elaborate(self, platform):
        m = Module()
        ids = range(self._supernode.m)
        for port, name in enumerate(_toward(self._supernode)):
            column = []
            for target in ids:
                owns = sum(1 << own for own in ids if own != target and first_hop(self._supernode, own, target) == port)
                column.append((self.own_id & owns).any())
            m.d.comb += getattr(self, name).eq(Cat(column))
        return m


class LRouting(wiring.Component):
    """Local port of the first hop to a target id. Combinational.

    Members
    -------
    target_id : In(m)
        Target, one-hot; 0 or the own id ask for no hop.
    toward_<port> : In(m)
        Static row of the local routing table, from :class:`LocalMap`.
    port : Out(local ports)
        One-hot local port, or 0.
    """

    def __init__(self, supernode: Supernode):
        self._supernode = supernode
        members = {name: In(width) for name, width in _toward(supernode).items()}
        super().__init__({"target_id": In(supernode.m), **members, "port": Out(len(members))})

    def elaborate(self, platform):
        m = Module()
        hits = [(self.target_id & getattr(self, name)).any() for name in _toward(self._supernode)]
        m.d.comb += self.port.eq(Cat(hits))
        return m
