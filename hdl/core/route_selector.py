"""Selector between the answers of route logic and table."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.decoders import decode
from dsnswitch.net.checks import Parameter, integer

__all__ = ["RouteSelector"]


class RouteSelector(wiring.Component):
    """Selects between the answers of route logic and table. Combinational, one packet per cycle.

    The table decides if the switch or the packet asks for it, or if the route logic's port is dead. Exactly one bit of
    ``out_port``, ``arrived``, ``invalid`` and ``no_route`` is 1. The answer of the table gives ``no_route`` if it is a
    miss, an action that names no port, or a dead port.

    A destination that does not exist is ``invalid``, whatever the table answers. The table cannot detect it: the relative
    or folded key of such a destination is also the key of one that exists, and a packet that followed it would circle for
    ever. The range check of the route logic is ready before the table's answer and masks the ports together with ``dead``,
    so that it adds no gate to the path from the table to the outputs.

    A packet that is routed by a table must be routed by tables from then on, or a later switch would send it back.
    ``by_table`` is the header bit ``packet_table`` with which it leaves.

    Parameters
    ----------
    ports : int
        Output ports of the switch.

    Members
    -------
    mode : In(1)
        Route every packet by the table.
    packet_table : In(1)
        Route this packet by the table.
    dead : In(ports)
        Ports that are reported dead.
    route_port, route_arrived, route_invalid : In(ports), In(1), In(1)
        Answer of the route logic.
    action : In(ceil(log2(ports + 1)))
        Answer of the table: the index of a port, or ``ports`` for *arrived*.
    hit : In(1)
        The table has an answer.
    out_port : Out(ports)
        One-hot output port.
    arrived : Out(1)
        The destination is this switch.
    invalid : Out(1)
        The destination does not exist.
    no_route : Out(1)
        The destination exists and the table decides, but it gives no live port.
    by_table : Out(1)
        The table decides.
    """

    ports = Parameter("Output ports of the switch.")

    def __init__(self, ports):
        self._ports = integer("Selector ports", ports, 1, 256)
        super().__init__(
            {
                "mode": In(1),
                "packet_table": In(1),
                "dead": In(ports),
                "route_port": In(ports),
                "route_arrived": In(1),
                "route_invalid": In(1),
                "action": In(range(ports + 1)),
                "hit": In(1),
                "out_port": Out(ports),
                "arrived": Out(1),
                "invalid": Out(1),
                "no_route": Out(1),
                "by_table": Out(1),
            }
        )

    @property
    def latency(self):
        """Cycles from the answers to the outputs."""
        return 0

    def elaborate(self, platform):
        m = Module()
        exists = Signal()
        usable = Signal(self._ports)
        table_port = Signal(self._ports)
        table_arrived = Signal()
        m.d.comb += [
            exists.eq(~self.route_invalid),
            usable.eq(Mux(exists, ~self.dead, 0)),
            table_port.eq(Mux(self.hit, decode(self.action, self._ports) & usable, 0)),
            table_arrived.eq(self.hit & (self.action == self._ports) & exists),
            self.by_table.eq(self.mode | self.packet_table | (self.route_port & self.dead).any()),
            self.out_port.eq(Mux(self.by_table, table_port, self.route_port)),
            self.arrived.eq(Mux(self.by_table, table_arrived, self.route_arrived)),
            self.invalid.eq(self.route_invalid),
            self.no_route.eq(self.by_table & exists & ~(table_port.any() | table_arrived)),
        ]
        return m
