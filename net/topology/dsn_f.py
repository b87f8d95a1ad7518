"""DSN-F, the DSN that grows by single switches (F III-B, D 3.5): parameters, links and growth."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from dsnswitch.net.checks import integer
from dsnswitch.net.topology.addresses import Field
from dsnswitch.net.topology.dsn import ring
from dsnswitch.net.topology.fitting import switches_for
from dsnswitch.net.topology.network import Network, Port
from dsnswitch.net.topology.registry import Topology, of_number

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

    routings: ClassVar = {"base": "routing.dsn_f:DsnFRelation"}
    middle = 0, 0

    def __post_init__(self):
        object.__setattr__(self, "n", integer("Switches n of a DSN-F", self.n, MIN_SWITCHES, MAX_SWITCHES))

    @cached_property
    def p(self) -> int:
        """Number of levels: ``p 2^p <= n < (p + 1) 2^(p + 1)``."""
        return max(p for p in range(1, 16) if p << p <= self.n)

    @cached_property
    def base(self) -> Any:
        """Layer 0: the ring DSN of 2^p supernodes ``ring-p``."""
        return ring(1 << self.p, self.p)

    @property
    def layers(self) -> int:
        """Number of layers K."""
        return -(-self.n // self.base.nodes)

    @property
    def nodes(self) -> int:
        return self.n

    @property
    def name(self) -> str:
        return f"dsn_f_{self.n}"

    @property
    def title(self) -> str:
        return f"DSN-F of {self.n} switches, {self.p} levels, {self.layers} layers"

    @property
    def spelling(self) -> str:
        return f"dsn-f:{self.n}"

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return Field("layer", self.layers), *self.base.fields

    @property
    def number_order(self) -> Sequence[int]:
        """Order of the fields in a switch's number ``(layer * 2^p + x) * p + id``: the id runs fastest, then x, then layer."""
        return 2, 1, 0

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """Ports of layer 0, then ``layer_forward`` to the next higher layer, and ``layer_backward`` to the next lower one."""
        count, names = len(self.base.ports), ("forward", "backward") if self.layers > 1 else ()
        return *self.base.ports, *(Port(count + i, f"layer_{way}", "layer", way) for i, way in enumerate(names))

    def switches(self) -> Iterable[tuple[int, ...]]:
        return map(self.switch, range(self.n))

    def contains(self, switch: tuple[int, ...]) -> bool:
        return super().contains(switch) and self.number(switch) < self.n

    def parse_switch(self, text: str) -> tuple[int, ...]:
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

    def place(self, switch: tuple[int, ...]) -> tuple[float, ...] | None:
        """Supernodes are on a circle, as in layer 0. A switch of a higher layer is farther out than the one below it."""
        layer, *here = switch
        x, y = self.base.place(tuple(here))
        farther = 1 + 3 * layer / math.hypot(x, y)
        return x * farther, y * farther

    def cabinet_of(self, switch: tuple[int, ...]) -> tuple[int, ...] | None:
        """All layers of a supernode are in one cabinet (F III-E)."""
        return switch[1:2]

    def level(self, switch: tuple[int, ...], port: int) -> int | None:
        kind = self.ports[port].kind
        return self.base.level(switch[1:], port) if kind == "x" and switch[0] == 0 else None

    def span(self, switch: tuple[int, ...], port: int) -> int | None:
        return self.base.span(switch[1:], port) if self.level(switch, port) else None

    def link_rows(self, switch=None) -> list[dict[str, Any]]:
        """As :meth:`Network.link_rows`. Shortcuts are those of layer 0; the other links are those of a complete layer."""
        rows = [
            {"id": None, "output": port.index, "kind": "layer", "level": None, "offset": offset, "to_id": None}
            for port, offset in zip(self.ports[len(self.base.ports) :], (1, -1))
        ]
        return [*self.base.link_rows(None if switch is None else switch[1:]), *rows]

    def relabellings(self, after) -> Iterable[dict]:
        """The one relabelling, with or without a change of the number of levels p (F III-D).

        While p stays, every switch keeps its number, as in F. A cable is removed only if the last supernode is partly filled.
        This cable is the link that closes the supernode's local ring.

        From p to p + j levels, supernode S becomes supernode ``2^j S``, followed by ``2^j - 1`` others. A row is the set of
        switches of one layer in one supernode. A row keeps its levels, so all of its local links stay, except one. All shortcuts
        of layer 0 stay, except the Succ link. The rules are:

        1. Layer 0 of S becomes layer 0 of ``2^j S`` (F's S_A).
        2. A higher row stays above the row that was below it if the new network has that row (``n`` is large enough). Its layer
           links then stay too. F always splits.
        3. Otherwise the row becomes layer 0 of one of the other supernodes of S (F's S_B). If they are all taken, it becomes any
           free row.
        4. If there is no free row, the switches of the row are scattered. This happens only in layer 2. F assumes that layer 2
           has two switches in every supernode; by F's own numbering, it has p in some supernodes and none in others. The switch
           of level 1 becomes level p + 1 of the supernode before the one with its layer link, so that this cable becomes the
           Succ link. The switch of level p becomes level p + 1 of the latter supernode, so that this cable becomes a local link.
           The other switches take free addresses.

        These rules do not always keep as many cables as the best relabelling would.
        """
        if after.n <= self.n:
            raise ValueError(f"The network must grow: switches must be more than {self.n}, not {after.n}")
        if self.p == after.p:
            return [{switch: switch for switch in self.switches()}]
        rows = _place_rows(self, after)
        moved = {switch: (*rows[switch[:2]], switch[2]) for switch in self.switches() if switch[:2] in rows}
        return [_scatter(self, after, rows, moved)]

    def rewired_share(self, after) -> tuple | None:
        """F states ``(p + 7) / (4 p + 4)`` from p levels to p + 1, and 0 while p stays."""
        if after.p > self.p + 1:
            return None
        if after.p == self.p:
            return 0.0, "no change of p"
        return (self.p + 7) / (4 * self.p + 4), f"(p + 7) / (4 p + 4) with p = {self.p}"


def _rows(network):
    """``{(layer, x): switches}`` of all rows that are not empty."""
    rows = {}
    for layer, x, _ in network.switches():
        rows[layer, x] = rows.get((layer, x), 0) + 1
    return rows


def _place_rows(before, after):
    """``{row before: row after}`` of all rows whose switches stay together."""
    split = 1 << (after.p - before.p)
    lengths, free = _rows(before), _rows(after)
    placed = {}

    def place(row, choices):
        chosen = next((choice for choice in choices if free.get(choice, 0) >= lengths[row]), None)
        if chosen is not None:
            placed[row] = chosen
            del free[chosen]

    for layer, x in lengths:
        if layer == 0:
            place((layer, x), [(0, split * x)])
        else:
            above, below = placed[layer - 1, x]
            place((layer, x), [(above + 1, below), *((0, split * x + part) for part in range(1, split))])
    for row in lengths:
        if row not in placed:
            place(row, list(free))
    return placed


def _scatter(before, after, rows, moved):
    """``moved``, and new addresses of the switches whose rows are not in ``rows``."""
    moved, single = dict(moved), []
    for switch in before.switches():
        layer, x, own = switch
        if switch in moved:
            continue
        upper = rows[layer - 1, x]
        if own == 0:
            moved[switch] = (0, upper[1] - 1, before.p)
        elif own == before.p - 1:
            moved[switch] = (0, upper[1], before.p)
        else:
            single.append(switch)
    taken = set(moved.values())
    free = (switch for switch in after.switches() if switch not in taken)
    return moved | dict(zip(single, free))


def _fitting(hosts, radix):
    needed = switches_for(hosts, radix, 5)
    if needed:
        yield f"dsn-f:{max(needed, 8)}"


DSN_F = Topology("dsn-f:N", "DSN-F of N switches, which grows by single switches (F III).", of_number(DsnF), fitting=_fitting)
