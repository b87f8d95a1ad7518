"""Hops from every id and distance to every destination id, and the ports that lie on a shortest path.

Supernodes are alike, so the rest of a packet's route depends only on the switch's id, the forward distance in each dimension and
the destination's id. The arrays here have one entry for each such combination.
"""

from collections import namedtuple
from functools import cached_property

import numpy as np

from dsnswitch.net.topology.dsn_ports import port_links

__all__ = ["Distances", "Move"]

#: A hop as it changes what is left to do: from id ``own`` by ``port`` to id ``there``; ``axis`` and ``step`` say by how much
#: the forward distance in one dimension falls (None and 0 for a local hop); ``unit``: it is a shortcut of length 1.
Move = namedtuple("Move", "own port there axis step unit")

#: A hop weighs more than all shortcuts of length 1 on a shortest path together.
HOP = 1 << 12


class Distances:
    """Shortest paths of a DSN, by own id, distances and destination id.

    Among the shortest paths those with the fewest shortcuts of length 1 are kept: these shortcuts carry the most traffic,
    because every packet with an odd distance needs one.

    Attributes
    ----------
    shape : tuple of int
        ``(m, *sizes)``: destination id, then the forward distance in each dimension.
    """

    def __init__(self, dsn):
        self.dsn = dsn
        self.shape = (dsn.m, *dsn.sizes)

    @cached_property
    def moves(self):
        """Every :class:`Move`, by own id and port."""
        dsn, found = self.dsn, []
        for own in range(dsn.m):
            for link in port_links(dsn, own):
                if link.level is None:
                    found.append(Move(own, link.port.index, link.to_id, None, 0, False))
                elif link.port.direction == "forward" or dsn.directions == "both":
                    axis = dsn.dimensions.index(link.port.kind)
                    found.append(Move(own, link.port.index, link.to_id, axis, link.offset, abs(link.offset) == 1))
        return found

    @cached_property
    def _weight(self):
        """Weight of the best path, ``[own id, *shape]``: :data:`HOP` for each hop and 1 for each shortcut of length 1."""
        weight = np.full((self.dsn.m, *self.shape), np.iinfo(np.int32).max // 2, np.int32)
        for own in range(self.dsn.m):
            weight[(own, own, *(0 for _ in self.dsn.sizes))] = 0
        while True:
            before = weight.copy()
            for move in self.moves:
                np.minimum(weight[move.own], self.after(move, weight) + HOP + move.unit, out=weight[move.own])
            if (weight == before).all():
                return weight

    @cached_property
    def hops(self):
        """Hops of a shortest path, ``[own id, destination id, *distances]``."""
        return (self._weight // HOP).astype(np.int16)

    @cached_property
    def by_hops(self):
        """Arrays of all states with hops to go, the farthest first; a state is an index of the flat ``[own id, *shape]``."""
        hops = self.hops.ravel()
        return [np.flatnonzero(hops == left) for left in range(int(hops.max()), 0, -1)]

    @cached_property
    def following(self):
        """The state after a hop, ``[own id * number of ports + port, state in the switch's id]``."""
        states = np.arange(self.hops.size).reshape(self.hops.shape)
        found = np.zeros((self.dsn.m * len(self.dsn.ports), states[0].size), np.intp)
        for move in self.moves:
            found[move.own * len(self.dsn.ports) + move.port] = self.after(move, states).ravel()
        return found

    def after(self, move, values):
        """``values[own id, *shape]`` after a move, by the state before it."""
        there = values[move.there]
        return there if move.axis is None else np.roll(there, move.step, axis=1 + move.axis)

    def candidates(self, own):
        """``{port: array of bool [destination id, *distances]}``: where each port of id ``own`` begins a best path."""
        weight = self._weight
        return {
            move.port: self.after(move, weight) + HOP + move.unit == weight[own]
            for move in self.moves
            if move.own == own
        }
