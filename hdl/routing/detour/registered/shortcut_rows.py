"""Rows of one dimension: the next shortcut of the base routing, for each coordinate of the destination."""

from amaranth.hdl import Cat, Const, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.routing.dsn.registered.rows import CoordinateRowsSignature
from dsnswitch.net.routing.dsn.relation import next_shortcut
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["ShortcutDistanceRows"]


class ShortcutDistanceRows(wiring.Component):
    """The next shortcut by forward distance. Combinational, not on the packet's path.

    Members
    -------
    dead : In(2p)
        This switch has the shortcut, and its link is down: levels forward, then levels backward.
    rows : Out(CoordinateRowsSignature)
        ``shortcut[k]``: bit f is 1 if shortcut k of that list is the next one at distance f. ``blocked``: the next shortcut
        is dead here; ``usable``: there is one, and it is not.
    """

    def __init__(self, dsn: Dsn, axis):
        self._dsn, self._axis, self._count = dsn, axis, 2 * dsn.levels[axis]
        rows = CoordinateRowsSignature(dsn.sizes[axis], ["blocked", "usable"], shortcut=self._count)
        super().__init__({"dead": In(self._count), "rows": Out(rows)})

    def elaborate(self, platform):
        m = Module()
        size, levels = self._dsn.sizes[self._axis], self._dsn.levels[self._axis]
        found = [next_shortcut(self._dsn, self._axis, distance) for distance in range(1, size)]
        places = [shortcut.level - 1 + levels * (shortcut.direction == "backward") for shortcut in found]
        for k, row in enumerate(self.rows.shortcut):
            m.d.comb += row.eq(sum(2 << f for f, place in enumerate(places) if place == k))
        blocked = Cat(Const(0, 1), *(self.dead[place] for place in places))
        going = (1 << size) - 2
        m.d.comb += [self.rows.blocked.eq(blocked), self.rows.usable.eq(~blocked & going)]
        return m
