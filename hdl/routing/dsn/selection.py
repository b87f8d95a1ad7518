"""Routing selection: the output port of the first phase that is not done (D Fig. 4.4, bottom)."""

from amaranth.hdl import Cat, Const, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["PhaseSignature", "Selection"]


class PhaseSignature(wiring.Signature):
    """Hop of S-routing in one dimension.

    Members
    -------
    done : Out(1)
        S-routing in this dimension is done.
    forward, backward : Out(1), Out(1)
        The packet takes the shortcut; at most one is 1, and none if done.
    local : Out(local_ports)
        One-hot local port of the hop to the jump node; 0 at the jump node and if done. Only if there are local ports.
    """

    def __init__(self, local_ports):
        local = {"local": Out(local_ports)} if local_ports else {}
        super().__init__({name: Out(1) for name in ("done", "forward", "backward")} | local)


class Selection(wiring.Component):
    """Selects the hop of the current phase: X first, then Y, then the route to the destination id (D Fig. 4.2b). Combinational.

    Exactly one bit of ``out_port``, ``arrived`` and ``invalid`` is 1, for every destination.

    Parameters
    ----------
    dimensions : tuple of str
        Dimensions that have shortcuts, in routing order.
    local_ports : int
        Number of local ports. With 0 there are no inputs ``local`` and ``final_local``.

    Members
    -------
    <d> : In(PhaseSignature)
        The hop in dimension d.
    final_local : In(local_ports)
        One-hot local port of the hop towards the destination id; 0 at that id.
    final_here : In(1)
        The destination id is that of the switch.
    invalid : In(1)
        The destination does not exist.
    out_port : Out(local_ports + 2 * dimensions)
        One-hot output port, in the order of the network's ``ports``.
    arrived : Out(1)
        The packet has reached its destination.
    """

    def __init__(self, dimensions, local_ports):
        self._dimensions, self._local_ports = dimensions, local_ports
        members = {dimension: In(PhaseSignature(local_ports)) for dimension in dimensions}
        if local_ports:
            members["final_local"] = In(local_ports)
        members |= {
            "final_here": In(1),
            "invalid": In(1),
            "out_port": Out(local_ports + 2 * len(dimensions)),
            "arrived": Out(1),
        }
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        # From the last phase back to the first. The outputs of a dimension that is done are 0, so they need not be masked.
        local_hop, shortcuts, arrived = self.final_local if self._local_ports else Const(0, 0), [], self.final_here
        for dimension in reversed(self._dimensions):
            phase = getattr(self, dimension)
            arrived = phase.done & arrived
            shortcuts = [phase.forward, phase.backward, *(phase.done & shortcut for shortcut in shortcuts)]
            if self._local_ports:
                local_hop = phase.local | Mux(phase.done, local_hop, 0)
        m.d.comb += [
            self.out_port.eq(Mux(self.invalid, 0, Cat(local_hop, *shortcuts))),
            self.arrived.eq(~self.invalid & arrived),
        ]
        return m
