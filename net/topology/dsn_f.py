"""Parameters of DSN-F, the DSN that grows by single switches (F III-B, D 3.5)."""

from dataclasses import dataclass
from functools import cached_property

from dsnswitch.net.checks import integer
from dsnswitch.net.topology.dsn import ring
from dsnswitch.net.topology.network import Field, Network, Port

__all__ = ["MAX_SWITCHES", "MIN_SWITCHES", "DsnF"]

#: Fewest switches of a DSN-F: a ring of 4 supernodes with 2 switches each.
MIN_SWITCHES = 8

#: Most switches of a DSN-F.
MAX_SWITCHES = 1 << 14


@dataclass(frozen=True)
class DsnF(Network):
    """DSN-F: a ring DSN as layer 0, and layers above it. A layer link joins a switch to the switch of its level one layer below.

    The address is layer, supernode x and id. The last layer may be incomplete: an address exists if its number is below ``n``.
    Layer 0 is :attr:`base`, whose shortcut of the last level is F's Succ link. The other layers have local and layer links only.
    In a supernode that is partly filled, the switches of the last layer form a ring. Two switches have one link, and a single
    switch has none.

    Parameters
    ----------
    n : int
        Number of switches.
    """

    n: int

    def __post_init__(self):
        object.__setattr__(self, "n", integer("Switches n of a DSN-F", self.n, MIN_SWITCHES, MAX_SWITCHES))

    @cached_property
    def p(self):
        """Number of levels: ``p 2^p <= n < (p + 1) 2^(p + 1)``."""
        return max(p for p in range(1, 16) if p << p <= self.n)

    @cached_property
    def base(self):
        """Layer 0: the ring DSN of 2^p supernodes ``ring-p``."""
        return ring(1 << self.p, self.p)

    @property
    def layers(self):
        """Number of layers K."""
        return -(-self.n // self.base.nodes)

    @property
    def nodes(self):
        return self.n

    @property
    def name(self):
        return f"dsn_f_{self.n}"

    @property
    def title(self):
        return f"DSN-F of {self.n} switches, {self.p} levels, {self.layers} layers"

    @property
    def spelling(self):
        return f"dsn-f:{self.n}"

    @cached_property
    def fields(self):
        return Field("layer", self.layers), *self.base.fields

    @property
    def number_order(self):
        """Order of the fields in a switch's number ``(layer * 2^p + x) * p + id``: the id runs fastest, then x, then layer."""
        return 2, 1, 0

    @cached_property
    def ports(self):
        """Ports of layer 0, then ``layer_forward`` to the next higher layer, and ``layer_backward`` to the next lower one."""
        count, names = len(self.base.ports), ("forward", "backward") if self.layers > 1 else ()
        return *self.base.ports, *(Port(count + i, f"layer_{way}", "layer", way) for i, way in enumerate(names))

    def switches(self):
        return map(self.switch, range(self.n))

    def contains(self, switch):
        return super().contains(switch) and self.number(switch) < self.n

    def parse_switch(self, text):
        switch = super().parse_switch(text)
        if not self.contains(switch):
            raise ValueError(f"{self.spelling} has no node {text}: its number is {self.number(switch)}")
        return switch

    def neighbour(self, switch, port):
        layer, x, own = switch
        way = self.ports[port].direction
        if self.ports[port].kind == "layer":
            there = (layer + (1 if way == "forward" else -1), x, own)
            back = {"forward": port + 1, "backward": port - 1}[way]
            return (there, back) if self.contains(there) else None
        if layer == 0:
            end = self.base.neighbour((x, own), port)
            return end and ((0, *end[0]), end[1])
        if self.ports[port].kind != "local":
            return None
        return self._local(switch, port)

    def _local(self, switch, port):
        """Switch and port at the other end of a local link above layer 0."""
        layer, x, own = switch
        count = min(self.p, self.n - self.number((layer, x, 0)))
        if count == self.p:
            end = self.base.neighbour((x, own), port)
            return (layer, *end[0]), end[1]
        there = own + (1 if port == 0 else -1)
        if count > 2:
            return (layer, x, there % count), 1 - port
        return ((layer, x, there), 1 - port) if 0 <= there < count else None

    def level(self, switch, port):
        kind = self.ports[port].kind
        return self.base.level(switch[1:], port) if kind == "x" and switch[0] == 0 else None

    @property
    def dimensions(self):
        """The dimension that has shortcuts."""
        return self.base.dimensions

    def length(self, dimension, level):
        """Length ``2^(p - level)`` of a shortcut, in supernodes."""
        return self.base.length(dimension, level)

    def link_rows(self, switch=None):
        """As :meth:`Network.link_rows`. Shortcuts are those of layer 0; the other links are those of a complete layer."""
        rows = [
            {"id": None, "output": port.index, "kind": "layer", "level": None, "offset": offset, "to_id": None}
            for port, offset in zip(self.ports[len(self.base.ports) :], (1, -1))
        ]
        return [*self.base.link_rows(None if switch is None else switch[1:]), *rows]
