"""Routing relation of DSN-F (F III-B)."""

from typing import Any

from dsnswitch.net.routing.dsn.relation import DsnRelation
from dsnswitch.net.routing.relation import Relation
from dsnswitch.net.topology.dsn_f import DsnF


class DsnFRelation(Relation):
    """A packet takes layer links to layer 0, the route of the ring DSN within it, then layer links to its destination.

    If source and destination have the same supernode and id, it takes layer links only. Layer 0 is complete for every n, and
    layer links lead through layers that exist. So every pair is delivered, although the last layer may be incomplete. Layer
    links have one virtual channel class: a packet takes them toward layer 0 before all other links, and away from layer 0 after
    all other links. The classes of layer 0 are those of the ring DSN.
    """

    def __init__(self, network: DsnF):
        super().__init__(network)
        self.base = DsnRelation(network.base)
        self._layer_port = {port.direction: port.index for port in network.ports if port.kind == "layer"}

    @property
    def classes(self) -> dict[str, int]:
        return {**self.base.classes, **({"layer": 1} if self._layer_port else {})}

    @property
    def bound(self) -> int | None:
        return self.base.bound + 2 * (self.network.layers - 1)

    @property
    def paper_bound(self) -> int | None:
        """``2 (p + K - 1)`` with K layers (F Theorem 1)."""
        return 2 * (self.network.p + self.network.layers - 1)

    def hops(self, switch: tuple[int, ...], arrival, destination: tuple[int, ...]) -> Any:
        (layer, *here), (to_layer, *there) = switch, destination
        if here == there:
            if layer == to_layer:
                return ()
            return ((self._layer_port["forward" if layer < to_layer else "backward"], 0),)
        if layer:
            return ((self._layer_port["backward"], 0),)
        from_layer = arrival is not None and self.network.ports[arrival.port].kind == "layer"
        return self.base.hops(tuple(here), None if from_layer else arrival, tuple(there))

    # The automaton of the deadlock search: all supernodes are alike, and layers differ only in their number.

    def states(self) -> Any:
        yield from (("base", state) for state in self.base.states())
        for layer in range(1, self.network.layers):
            yield "down", layer
        for layer in range(self.network.layers - 1):
            yield "up", layer

    def advance(self, state) -> list:
        phase, place = state
        if phase == "base":
            steps = self.base.advance(place)
            # A packet may leave layer 0 after any hop. Most packets do not, but the extra dependencies close no cycle, because
            # no packet comes back.
            leaving = [(label, ("up", 0)) for label, _ in steps] if self.network.layers > 1 else []
            return [(label, following and ("base", following)) for label, following in steps] + leaving
        label = phase, place
        if phase == "up":
            following = ("up", place + 1) if place + 2 < self.network.layers else None
            return [(label, None), (label, following)]
        if place > 1:
            return [(label, None), (label, ("down", place - 1))]
        return [(label, None), *((label, ("base", start)) for start in self.base.states())]

    def label(self, channel) -> Any:
        layer, *here = channel.switch
        port = self.network.ports[channel.port]
        if port.kind == "layer":
            return ("up" if port.direction == "forward" else "down"), layer
        if layer:
            return "unused", *channel
        return self.base.label(channel._replace(switch=tuple(here)))

    def spell_label(self, label) -> str:
        return " of layer ".join(map(str, label)) if len(label) == 2 else self.base.spell_label(label)
