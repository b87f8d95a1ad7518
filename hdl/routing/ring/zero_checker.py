"""Zero checker: is the distance in this dimension 0? (D Fig. 4.4, "S-Routing X done")"""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["ZeroChecker"]


class ZeroChecker(wiring.Component):
    """Zero checker: ``done = dst == own``. It tests the distance for 0 by comparing the coordinates. Combinational.

    Members
    -------
    dst : In(width)
        Coordinate of the destination.
    own : In(width)
        Own coordinate (static).
    done : Out(1)
        S-routing in this dimension is done.
    """

    def __init__(self, width):
        super().__init__({"dst": In(width), "own": In(width), "done": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.done.eq(self.dst == self.own)
        return m
