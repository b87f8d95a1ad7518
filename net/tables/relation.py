"""Routing of any graph as a relation: shortest paths in turn classes."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from dsnswitch.net import limits
from dsnswitch.net.messages import unwatched
from dsnswitch.net.routing.relation import Relation
from dsnswitch.net.routing.turns import Trees, route
from dsnswitch.net.routing.wiring import Wiring

#: Destinations whose routes are measured at once.
BLOCK = 256


class GraphRelation(Relation):
    """The routes of :func:`~dsnswitch.net.routing.turns.route`, decided from addresses alone.

    A packet begins in class 0. It rises to the next class when it comes from a switch of higher rank and goes on to one.
    ``classes`` None means as many as shortest paths take; with fewer, some routes are longer.
    """

    by_turns = True

    def __init__(self, network, classes: int | None = None):
        limits.at_most(limits.MOST_ROUTED, network.nodes, f"Switches of a network without a closed form, {network.spelling},")
        super().__init__(network)
        self.wiring = wiring = Wiring(network)
        self.trees: Trees = self._routes(wiring, classes)
        self._place, self._tree = wiring.place, np.full(wiring.size, -1)
        self._tree[self.trees.targets.home] = np.arange(len(self.trees.targets.home))
        self._up = [0] * wiring.size
        up = np.flatnonzero(self.trees.ranks.up)
        for number, port in zip(wiring.number[wiring.source[up]].tolist(), wiring.port[up].tolist()):
            self._up[number] |= 1 << port

    def _routes(self, wiring, classes) -> Trees:
        return route(wiring, classes, balance="switch")

    @property
    def most_classes(self) -> int:
        """Classes of every port between switches."""
        return self.trees.classes

    @property
    def classes(self) -> dict[str, int]:
        return {port.kind: self.most_classes for port in self.network.ports}

    @cached_property
    def bound(self) -> int:
        return max(int(lengths.max()) for _, lengths in self.lengths())

    def lengths(self, bar=unwatched) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Hops of all routes, by blocks of destinations: their places in the wiring (B,), and hops from every place (B, S)."""
        wiring, homes = self.wiring, self.trees.targets.home
        onward = np.append(wiring.target[:-1], 0)
        for first in bar(range(0, len(homes), BLOCK), "destinations"):
            home, channel = homes[first : first + BLOCK], self.trees.channel[first : first + BLOCK]
            at = np.tile(np.arange(wiring.size), (len(home), 1))
            found = np.zeros(at.shape, np.int16)
            while len(going := np.flatnonzero(at != home[:, None])):
                found.ravel()[going] += 1
                row = going // wiring.size
                at.ravel()[going] = onward[channel[row, at.ravel()[going]]]
            yield home, found

    @property
    def longest(self) -> tuple[int, int, int] | None:
        """The most hops of a route, and the places of its ends in the wiring, if :meth:`lengths` gives means."""
        return None

    def loads(self) -> np.ndarray:
        """Pairs of hosts whose route uses each channel (C,)."""
        return self.trees.load

    # The automaton of the deadlock search: any walk that does not run out of classes, so also every route.

    def states(self):
        for place in range(self.wiring.size):
            yield place, 0, False

    def advance(self, state):
        place, virtual_class, fell = state
        steps = []
        for port, end, up in self._channels[place]:
            following = virtual_class + (fell and up)
            if following < self.most_classes:
                ends = not up and following == self.most_classes - 1 and all(up for _, _, up in self._channels[end])
                steps.append(((place, port, following), None if ends else (end, following, not up)))
        return steps

    def label(self, channel):
        return int(self._place[self.network.number(channel.switch)]), channel.port, channel.virtual_class

    def spell_label(self, label) -> str:
        return self._spell(self.wiring.names[label[0]], *label[1:])

    @cached_property
    def _channels(self):
        """``(port, place at its end, whether it leads up)`` of every channel, by its source."""
        wiring, up = self.wiring, self.trees.ranks.up
        found = [[] for _ in range(wiring.size)]
        for source, *channel in zip(*(values[:-1].tolist() for values in (wiring.source, wiring.port, wiring.target, up))):
            found[source].append(tuple(channel))
        return found

    def ports_up(self, switch) -> int:
        """The mask of the ports of a switch that lead to switches of higher rank."""
        return self._up[self.network.number(switch)]

    def hops(self, switch, arrival, destination) -> Any:
        if switch == destination:
            return ()
        here, end = (self._place[self.network.number(at)] for at in (switch, destination))
        port = int(self.wiring.port[self.trees.channel[self._tree[end], here]])
        if arrival is None:
            return ((port, 0),)
        up = self.ports_up(switch)
        return ((port, arrival.virtual_class + (up >> arrival.port & up >> port & 1)),)
