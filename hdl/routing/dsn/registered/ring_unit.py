"""Selection in the rows of one dimension."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, flipped

from dsnswitch.hdl.routing.dsn.registered.rows import CoordinateRowsSignature
from dsnswitch.hdl.routing.dsn.registered.static_registers import looked_up
from dsnswitch.hdl.routing.ring.zero_checker import ZeroChecker

__all__ = ["RowsUnit"]


class RowsUnit(wiring.Component):
    """S-routing in one ring by rows: the members of :class:`RingUnit`. Combinational.

    Members
    -------
    dst, own : In(p), In(p)
        Coordinate of the destination, and own coordinate (static).
    rows : In(CoordinateRowsSignature)
        The answers by coordinate (static).
    done, forward, hop, backward, wraps, goes_backward
        As for :class:`RingUnit`.
    """

    def __init__(self, rows: CoordinateRowsSignature):
        ports = [name for name in rows.members if name.startswith("toward_")]
        members = {"dst": In(rows.levels), "own": In(rows.levels), "rows": In(rows), "done": Out(1)}
        members |= {name: Out(1) for name in rows.members if name not in ports}
        super().__init__(members | ({"hop": Out(len(ports))} if ports else {}))

    def elaborate(self, platform):
        m = Module()
        m.submodules.zero_checker = zero_checker = ZeroChecker(len(self.dst))
        m.d.comb += [zero_checker.dst.eq(self.dst), zero_checker.own.eq(self.own), self.done.eq(zero_checker.done)]
        hop = []
        for name in flipped(self.rows).signature.members:
            answer = looked_up(getattr(self.rows, name), self.dst)
            if name.startswith("toward_"):
                hop.append(answer)
            else:
                m.d.comb += getattr(self, name).eq(answer)
        if hop:
            m.d.comb += self.hop.eq(Cat(hop))
        return m
