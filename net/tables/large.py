"""Up*/down* routing of large networks without a closed form: routes, hops and loads by blocks of destinations."""

from functools import lru_cache
from typing import Any

import numpy as np

from dsnswitch.net import limits
from dsnswitch.net.messages import unwatched
from dsnswitch.net.routing.relation import Relation
from dsnswitch.net.routing.routes import centre, updown
from dsnswitch.net.routing.wiring import Wiring

#: Destinations of a block.
BLOCK = 256


class Block:
    """Routes to some destinations.

    Attributes
    ----------
    ends : array (B,)
        Numbers of the destinations.
    cost : array (S, B)
        Hops of the route from each switch.
    place : array (S, B)
        Place of the next channel in the list of the switch, :attr:`LargeRelation.near`; 0 at the destination.
    shortest : array (S, B)
        Hops of a shortest path.
    """

    def __init__(self, ends, cost, place, shortest):
        self.ends, self.cost, self.place, self.shortest = ends, cost, place, shortest


class LargeRelation(Relation):
    """The routes of :func:`~dsnswitch.net.routing.routes.updown` from the centre of a network.

    Of several next channels, consecutive switches and destinations take different ones. Routes are chosen by blocks of
    destinations.

    Attributes
    ----------
    near, port, kind : arrays (S, most)
        Neighbours of each switch, the ports that lead to them, and whether these channels go up; padded with S, -1 and -1.
        Switches have the numbers of :class:`Wiring`.
    """

    bound, has_blocks = 0, True

    def __init__(self, network):
        limits.at_most(limits.MOST_ROUTED, network.nodes, f"Switches of a network without a closed form, {network.spelling},")
        super().__init__(network)
        self.wiring = wiring = Wiring(network)
        self.choices = updown(wiring, centre(wiring))
        self.near, self.port, self.kind = (wiring.target[wiring.out], wiring.port[wiring.out], self.choices.kind[wiring.out])
        self.near[wiring.out == wiring.count] = wiring.size
        self.bound = int(self.choices.cost.max())
        self._descends = (self.kind == 0).any(axis=1).tolist()
        self._place = dict(zip(network.switches(), wiring.place.tolist()))
        self._to = lru_cache(maxsize=256)(lambda end: self.block(np.array([end])))

    def blocks(self, bar=unwatched) -> Any:
        """The :class:`Block` of each run of destinations with hosts."""
        ends = np.flatnonzero(self.wiring.hosts)
        for first in bar(range(0, len(ends), BLOCK), "destinations"):
            yield self.block(ends[first : first + BLOCK])

    def block(self, ends) -> Block:
        """The :class:`Block` of the destinations ``ends``."""
        small = np.uint8 if max(self.bound, self.near.shape[1]) < 250 else np.int16
        cost, need = self.choices.cost[:, ends].astype(small), self.choices.need[:, ends].astype(bool)
        never, neither = np.array([252, 253], small)
        # A switch that sends down goes on to one that sends down; a switch that sends up to any. No other two values are equal.
        # Rows of both kinds of channels follow each other, so that a channel's row is its switch and kind.
        size, sends = len(cost), need[None] == np.array([0, 1])[:, None, None]
        sought = np.where(sends, cost - 1, never).reshape(2 * size, -1)
        offered = np.vstack([np.where(need, neither, cost), cost, np.full((1, len(ends)), neither)])
        count, usable = np.zeros(cost.shape, small), []
        for near, kinds in zip(self.near.T, self.kind.T):
            up = (kinds == 1) * size
            fits = offered[np.where(near < size, near + up, 2 * size)] == sought[up + np.arange(size)]
            count += fits
            usable.append(np.packbits(fits))
        turn = np.add.outer(np.arange(len(cost)), ends).astype(small) % np.maximum(count, 1)
        chosen, passed = np.zeros(cost.shape, small), np.zeros(cost.shape, small)
        for place, bits in enumerate(usable):
            fits = np.unpackbits(bits, count=cost.size).view(bool).reshape(cost.shape)
            np.copyto(chosen, place, where=fits & (passed == turn), casting="unsafe")
            passed += fits
        return Block(ends, cost, chosen, self.wiring.distance[:, ends])

    def load(self, block) -> np.ndarray:
        """Number of pairs of different switches with hosts whose route to the block uses each channel, an array (S, most)."""
        size, width = block.cost.shape
        through = np.repeat((self.wiring.hosts > 0)[:, None], width, axis=1).astype(float).ravel()
        cost = block.cost.ravel()
        order = np.argsort(cost, kind="stable")
        starts = np.searchsorted(cost[order], np.arange(1, int(cost.max()) + 2))
        channel = np.arange(size)[:, None] * self.near.shape[1] + block.place
        onward = (self.near.ravel()[channel] * width + np.arange(width)).ravel()
        for level in reversed(range(len(starts) - 1)):
            flat = order[starts[level] : starts[level + 1]]
            through += np.bincount(onward[flat], through[flat], size * width)
        routed = cost > 0
        found = np.bincount(channel.ravel()[routed], through[routed], self.near.size)
        return found.reshape(self.near.shape)

    def hops(self, switch, arrival, destination) -> tuple[()] | tuple[tuple[int, int]]:
        if switch == destination:
            return ()
        block, place = self._to(self._place[destination]), self._place[switch]
        return ((int(self.port[place, block.place[place, 0]]), 0),)

    # The automaton of the deadlock search: every channel, and the channels that may follow it in any route.

    def states(self):
        for place in range(len(self.near)):
            yield place, 1

    def advance(self, state):
        at, climbing = state
        rows = zip(self.near[at].tolist(), self.port[at].tolist(), self.kind[at].tolist())
        usable = [(near, port, up) for near, port, up in rows if port >= 0 and climbing >= up]
        return [((at, port), (near, up) if up or self._descends[near] else None) for near, port, up in usable]

    def label(self, channel):
        return self._place[channel.switch], channel.port

    def spell_label(self, label) -> str:
        return self._spell(self.wiring.names[label[0]], label[1], 0)
