"""L-routing to the destination's id by the switch's row of the local routing table."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.routing.dsn.lrouting import LocalMapSignature
from dsnswitch.hdl.routing.dsn.registered.static_registers import looked_up
from dsnswitch.net.topology.supernode import Supernode

__all__ = ["FinalRows"]


class FinalRows(wiring.Component):
    """As :class:`FinalRouting`: selects the bit of the destination's id in each column of the row. Combinational.

    Members
    -------
    dst_id : In(ceil(log2 m))
        Destination's id. There is no such input for m = 1.
    row : In(LocalMapSignature)
        Own row of the local routing table (static).
    here, hop, wraps
        As for :class:`FinalRouting`.
    """

    def __init__(self, supernode: Supernode, wraps=False):
        self._supernode, self._wraps = supernode, wraps
        row = LocalMapSignature(supernode, wraps)
        members = {"dst_id": In(range(supernode.m))} if supernode.m > 1 else {}
        members |= {"row": In(row), "here": Out(1)}
        if row.columns:
            members["hop"] = Out(len(row.columns))
        super().__init__(members | ({"wraps": Out(1)} if wraps else {}))

    def elaborate(self, platform):
        m = Module()

        def of(column):
            values = getattr(self.row, column)
            return looked_up(values, self.dst_id) if self._supernode.m > 1 else values

        m.d.comb += self.here.eq(of("here"))
        columns = self.row.signature.columns
        if columns:
            m.d.comb += self.hop.eq(Cat(of(name) for name in columns))
        if self._wraps:
            m.d.comb += self.wraps.eq(of("wraps"))
        return m
