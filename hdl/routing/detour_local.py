"""The local port toward an id past failed local links, as gateware (D Table 4.3)."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.net.routing.dsn.local import alternative_hop, first_hop
from dsnswitch.net.topology.supernode import Supernode


class LocalDetour(wiring.Component):
    """The first local port that is up toward an id, in the order of preference of :func:`local_hop`. Combinational.

    The hop to every id is ready before the target is known.

    Members
    -------
    - own (In(m)): Own id, one-hot (static).
    - alternative (In(1)): Header bit: the packet has met a failed local link.
    - back (In(local ports)): One-hot port on which the packet came, which is the last choice; 0 for none.
    - dead (In(local ports)): Ports whose link has failed.
    - target (In(m)): Id to head for, one-hot, or 0 for none. It is not the own id.
    - hop (Out(local ports)): One-hot port of the hop; 0 without a target or a link.
    - next_alternative (Out(1)): Header bit after the hop.
    """

    def __init__(self, supernode: Supernode):
        self._supernode = supernode
        m, count = supernode.m, len(supernode.port_names)
        inputs = {"own": In(m), "alternative": In(1), "back": In(count), "dead": In(count), "target": In(m)}
        super().__init__(inputs | {"hop": Out(count), "next_alternative": Out(1)})

    def elaborate(self, platform):
        m = Module()
        count = len(self.dead)
        base, other = self._toward(m, "base", first_hop), self._toward(m, "other", alternative_hop)
        usable = Signal(count)
        rest = Signal(count)
        left = Mux(usable.any(), usable, self.back & ~self.dead)
        m.d.comb += [usable.eq(~self.dead & ~self.back), rest.eq(left & (~left + 1)[:count])]
        hops, changes = [], []
        for target in range(self._supernode.m):
            first = Mux(self.alternative & other[target].any(), other[target], base[target])
            fits = Signal(count, name=f"fits_{target}")
            second = Signal(count, name=f"second_{target}")
            toward = Signal(count, name=f"toward_{target}")
            m.d.comb += [
                fits.eq(first & usable),
                second.eq(Mux(self.alternative, 0, other[target] & usable)),
                toward.eq(Mux(fits.any(), fits, Mux(second.any(), second, rest))),
            ]
            hops.append(Mux(self.target[target], toward, 0))
            changes.append(self.target[target] & (self.alternative | ~fits.any()))
        m.d.comb += [self.hop.eq(reduce(or_, hops)), self.next_alternative.eq(reduce(or_, changes))]
        return m

    def _toward(self, m, name, hop_of):
        """One-hot port of ``hop_of(supernode, own, target)`` for every target: the static row of the switch's id."""
        ids, supernode = range(self._supernode.m), self._supernode
        rows = []
        for target in ids:
            row = Signal(len(self.dead), name=f"{name}_{target}")
            for port in range(len(self.dead)):
                owns = [own for own in ids if own != target and hop_of(supernode, own, target) == port]
                m.d.comb += row[port].eq((self.own & sum(1 << own for own in owns)).any())
            rows.append(row)
        return rows
