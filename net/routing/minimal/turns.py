"""Turns of a packet's path: how often a hop up, to a higher id, follows a hop down. They decide how many classes are needed.

A packet's virtual channel class is the number of turns that it has made. The network therefore needs one class more than the
largest number of turns of any route. The shortest paths between two switches differ in their turns; this module finds the rules
that choose a path with too many.
"""

from collections import namedtuple

import numpy as np

__all__ = ["Step", "Turns"]

#: One hop of many walks at once. ``walk``: their numbers; ``place``: the states that they are in, an index of
#: ``[own id, destination id, *distances]``; ``port``: the ports that they take; ``down``: whether the hop before went down;
#: ``turns``: turns so far, this hop's included.
Step = namedtuple("Step", "walk place port down turns")


class Turns:
    """Turns on the shortest paths of a DSN.

    Parameters
    ----------
    distances : Distances
        Shortest paths.
    """

    def __init__(self, distances):
        self._distances = distances
        m, sizes = distances.dsn.m, distances.dsn.sizes
        ports = len(distances.dsn.ports)
        self._there = np.zeros((m, ports), np.intp)
        self._steps = np.zeros((len(sizes), m, ports), np.intp)
        for move in distances.moves:
            self._there[move.own, move.port] = move.there
            if move.axis is not None:
                self._steps[move.axis, move.own, move.port] = move.step
        self._least = self._fewest_left()

    @property
    def fewest(self):
        """Most turns of a route if every switch chooses best."""
        return int(self._least[0].max())

    def _fewest_left(self):
        """``[after a hop down, own id, destination id, *distances]``: turns that a packet has left at least."""
        distances = self._distances
        least = np.full((2, *distances.hops.shape), np.iinfo(np.int8).max // 2, np.int8)
        least[:, distances.hops == 0] = 0
        for left in range(1, int(distances.hops.max()) + 1):
            for move in distances.moves:
                where = distances.candidates(move.own)[move.port] & (distances.hops[move.own] == left)
                up = move.there > move.own
                following = distances.after(move, least[int(not up)])
                for down in (0, 1):
                    turned = np.where(where, following + (down and up), least[down, move.own])
                    np.minimum(least[down, move.own], turned, out=least[down, move.own])
        return least

    def steps(self, ports):
        """Follow every route at once: a :class:`Step` after the other.

        Parameters
        ----------
        ports : ndarray
            ``[own id, destination id, *distances]``: the port that is taken; -1 at the destination.
        """
        states = np.indices(ports.shape).reshape(ports.ndim, -1)
        walk = np.arange(states.shape[1])
        turns, down = np.zeros(walk.size, np.int8), np.zeros(walk.size, bool)
        while (going := (taken := ports[tuple(states)]) >= 0).any():
            states, walk, turns, down, taken = states[:, going], walk[going], turns[going], down[going], taken[going]
            up = self._there[states[0], taken] > states[0]
            turns = turns + (down & up)
            yield Step(walk, tuple(states), taken, down, turns)
            states, down = np.array(self._after(states, taken)), ~up

    def _after(self, states, taken):
        own, target, *distances = states
        moved = [(d - step[own, taken]) % n for d, step, n in zip(distances, self._steps, self._distances.dsn.sizes)]
        return (self._there[own, taken], target, *moved)

    def most(self, ports):
        """Most turns of a route."""
        return max((int(step.turns.max()) for step in self.steps(ports)), default=0)

    def bad_choices(self, ports):
        """Choices that make a route turn more often than :attr:`fewest`: ``{(own id, port): array of bool}``.

        On each such route it is the first choice with which the route turns more often than it has to from there on.
        """
        steps = list(self.steps(ports))
        excess = np.zeros(ports.size, bool)
        for step in steps:
            excess[step.walk] |= step.turns > self.fewest
        found = {}
        for step in steps:
            own, *rest = step.place
            up = self._there[own, step.port] > own
            best = self._least[(step.down.astype(np.intp), *step.place)]
            chosen = self._least[((~up).astype(np.intp), *self._after(np.array(step.place), step.port))]
            worse = excess[step.walk] & (chosen + (step.down & up) > best)
            excess[step.walk[worse]] = False
            for index in np.flatnonzero(worse):
                where = found.setdefault((int(own[index]), int(step.port[index])), np.zeros(ports.shape[1:], bool))
                where[tuple(part[index] for part in rest)] = True
        return found
