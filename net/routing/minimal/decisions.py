"""The port that each switch of a network takes: rules of every id, found once per network."""

from collections import namedtuple
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dsnswitch.net.routing.minimal.rules import Search, balanced, mirrored
from dsnswitch.net.topology.dsn import port_links

# Hops from every id and distance to every destination id, and the ports that lie on a shortest path.

#: A hop as it changes what is left to do: from id ``own`` by ``port`` to id ``there``; ``axis`` and ``step`` say by how much
#: the forward distance in one dimension falls (None and 0 for a local hop); ``unit``: it is a shortcut of length 1.
Move = namedtuple("Move", "own port there axis step unit")

#: A hop weighs more than all shortcuts of length 1 on a shortest path together.
HOP = 1 << 12


class Distances:
    """Shortest paths of a DSN, by own id, distances and destination id.

    Among the shortest paths those with the fewest shortcuts of length 1 are kept: these shortcuts carry the most traffic, because
    every packet with an odd distance needs one. ``shape`` is ``(m, *sizes)``: destination id, then the forward distance in each
    dimension.
    """

    def __init__(self, dsn):
        self.dsn = dsn
        self.shape = (dsn.m, *map(len, self.codes))

    @cached_property
    def codes(self) -> Any:
        """For each dimension, the field of the input for each value of the index."""
        return [np.arange(size) for size in self.dsn.sizes]

    @property
    def ends(self):
        """For each dimension, the values of the index without any distance."""
        return [[0] for _ in self.dsn.sizes]

    @cached_property
    def starts(self) -> np.ndarray:
        """Where routes may begin, ``[own id, destination id, *distances]``."""
        return self.hops >= 0

    @cached_property
    def moves(self) -> Any:
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
            weight[np.ix_([own], [own], *self.ends)] = 0
        while True:
            before = weight.copy()
            for move in self.moves:
                np.minimum(weight[move.own], self.after(move, weight) + HOP + move.unit, out=weight[move.own])
            if (weight == before).all():
                return weight

    @cached_property
    def hops(self) -> Any:
        """Hops of a shortest path, ``[own id, destination id, *distances]``."""
        return (self._weight // HOP).astype(np.int16)

    @cached_property
    def by_hops(self) -> list:
        """Arrays of all states with hops to go, the farthest first; a state is an index of the flat ``[own id, *shape]``."""
        hops = self.hops.ravel()
        return [np.flatnonzero(hops == left) for left in range(int(hops.max()), 0, -1)]

    @cached_property
    def following(self) -> Any:
        """The state after a hop, ``[own id * number of ports + port, state in the switch's id]``."""
        states = np.arange(self.hops.size).reshape(self.hops.shape)
        found = np.zeros((self.dsn.m * len(self.dsn.ports), states[0].size), np.intp)
        for move in self.moves:
            found[move.own * len(self.dsn.ports) + move.port] = self.after(move, states).ravel()
        return found

    def after(self, move, values) -> np.ndarray:
        """``values[own id, *shape]`` after a move, by the state before it."""
        there = values[move.there]
        return there if move.axis is None else np.roll(there, move.step, axis=1 + move.axis)

    # The input of the logic: a number whose fields are the distances, then the destination id, from the least significant bit.

    @cached_property
    def widths(self) -> Any:
        """Bits of each field of the input."""
        return (*self.dsn.levels, (self.dsn.m - 1).bit_length())

    @property
    def inputs(self) -> int:
        """Bits of the input."""
        return sum(self.widths)

    @cached_property
    def numbers(self) -> np.ndarray:
        """Inputs of all states of a switch, in the shape :attr:`shape`."""
        found = np.zeros(self.shape, np.int64)
        shift = 0
        codes = [*self.codes, np.arange(self.dsn.m)]
        for axis, width, code in zip((*range(1, len(self.widths)), 0), self.widths, codes):
            shape = [1] * len(self.widths)
            shape[axis] = -1
            found += code.reshape(shape) << shift
            shift += width
        return found

    def table(self, states) -> np.ndarray:
        """An array of bool by input: where ``states``, in the shape :attr:`shape`, holds."""
        found = np.zeros(1 << self.inputs, bool)
        found[self.numbers] = states
        return found

    def free(self, own) -> np.ndarray:
        """As :meth:`table`, the inputs that a switch of id ``own`` need not answer: its own, and those that no packet brings."""
        return ~self.table(self.hops[own] > 0)

    def candidates(self, own) -> dict[int, np.ndarray]:
        """``{port: array of bool [destination id, *distances]}``: where each port of id ``own`` begins a best path."""
        weight = self._weight
        return {move.port: self.after(move, weight) + HOP + move.unit == weight[own] for move in self.moves if move.own == own}


# Turns of a packet's path: how often a hop up, to a higher id, follows a hop down. They decide how many classes are needed.

#: One hop of many walks at once. ``walk``: their numbers; ``place``: the states that they are in, an index of
#: ``[own id, destination id, *distances]``; ``port``: the ports that they take; ``down``: whether the hop before went down;
#: ``turns``: turns so far, this hop's included.
Step = namedtuple("Step", "walk place port down turns")


class Turns:
    """Turns on the shortest paths of a DSN."""

    def __init__(self, distances):
        self._distances = distances
        self._there = np.zeros((distances.dsn.m, len(distances.dsn.ports)), np.intp)
        for move in distances.moves:
            self._there[move.own, move.port] = move.there
        #: ``[after a hop down, own id, destination id, *distances]``: turns that a packet has left at least.
        self.least = self._fewest_left()

    @property
    def fewest(self):
        """Most turns of a route if every switch chooses best."""
        return int(self.least[0][self._distances.starts].max())

    def _fewest_left(self):
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

    def steps(self, ports) -> Any:
        """Follow every route at once: a :class:`Step` after the other.

        ``ports[own id, destination id, *distances]`` is the port that is taken; -1 at the destination.
        """
        states = np.array(np.nonzero(self._distances.starts))
        walk = np.arange(states.shape[1])
        turns, down = np.zeros(walk.size, np.int8), np.zeros(walk.size, bool)
        while (going := (taken := ports[tuple(states)]) >= 0).any():
            states, walk, turns, down, taken = states[:, going], walk[going], turns[going], down[going], taken[going]
            up = self._there[states[0], taken] > states[0]
            turns = turns + (down & up)
            yield Step(walk, tuple(states), taken, down, turns)
            states, down = np.array(self._after(states, taken)), ~up

    def _after(self, states, taken):
        distances = self._distances
        own, *rest = states
        links = own * len(distances.dsn.ports) + taken
        following = distances.following[links, np.ravel_multi_index(rest, distances.shape)]
        return np.unravel_index(following, distances.hops.shape)

    def most(self, ports):
        """Most turns of a route."""
        return max((int(step.turns.max()) for step in self.steps(ports)), default=0)

    def bad_choices(self, ports) -> dict:
        """Choices that make a route turn more often than :attr:`fewest`: ``{(own id, port): array of bool}``.

        On each such route it is the first choice with which the route turns more often than it has to from there on.
        """
        steps = list(self.steps(ports))
        excess = np.zeros(np.count_nonzero(self._distances.starts), bool)
        for step in steps:
            excess[step.walk] |= step.turns > self.fewest
        found = {}
        for step in steps:
            own, *rest = step.place
            up = self._there[own, step.port] > own
            best = self.least[(step.down.astype(np.intp), *step.place)]
            chosen = self.least[((~up).astype(np.intp), *self._after(np.array(step.place), step.port))]
            worse = excess[step.walk] & (chosen + (step.down & up) > best)
            excess[step.walk[worse]] = False
            for index in np.flatnonzero(worse):
                where = found.setdefault((int(own[index]), int(step.port[index])), np.zeros(ports.shape[1:], bool))
                where[tuple(part[index] for part in rest)] = True
        return found


#: Most bits of distances and destination id from which rules are found; the time grows with their power of two.
MOST_INPUTS = 13

#: Steps of the search for short rules, and the product of steps and inputs' combinations, at most: seconds for each network.
MOST_STEPS, MOST_WORK = 300, 1 << 17

#: Steps for an id whose rules must change because a route turns too often.
MORE_STEPS = 4

#: Steps for each id at the end, for more rules to choose from.
LAST_STEPS = 16


class Decisions:
    """Rules of every id of a DSN.

    The input of a rule is a number of :attr:`inputs` bits: forward distance in x, then in y, then the destination's id, from the
    least significant bit. ``distances`` and ``turns`` are those of its shortest paths.

    Attributes
    ----------
    rules : tuple of list of Rule
        By own id.
    ports : ndarray of int8
        ``[own id, destination id, *distances]``: the port that the rules name; -1 at the destination.
    """

    def __init__(self, dsn, distances=None):
        self.dsn = dsn
        self.distances = Distances(dsn) if distances is None else distances
        self.turns = Turns(self.distances)
        self.rules = tuple(search.best.rules for search in self._searched())
        self.ports = np.stack([self.ports_of(own, rules) for own, rules in enumerate(self.rules)])

    @property
    def inputs(self) -> int:
        """Bits of the input."""
        return self.distances.inputs

    def number(self, distances, target):
        """The input for forward distances and a destination id."""
        return int(self.distances.numbers[(target, *distances)])

    def _searched(self):
        """A finished search for each id: short rules that spread the load, with no more turns than necessary."""
        searches = [self._search(own) for own in range(self.dsn.m)]
        for search in searches:
            search.run(min(MOST_STEPS, MOST_WORK >> self.inputs))
        self._balance(searches, [self._with_mirrors(search.pool) for search in searches])
        self._repair(searches)
        repaired = [search.best for search in searches]
        for search in searches:
            search.run(LAST_STEPS)
        pools = [[first, *search.pool] for first, search in zip(repaired, searches)]
        self._balance(searches, pools, lambda ports: self.turns.most(ports) <= self.turns.fewest)
        return searches

    def _balance(self, searches, pools, allowed=lambda ports: True):
        for search, found in zip(searches, balanced(self.distances, pools, self.ports_of, allowed)):
            search.go_on_from(found)

    def _repair(self, searches):
        """Change the rules until no route turns more often than it must."""
        bad = True
        while bad:
            ports = np.stack([self.ports_of(own, search.best.rules) for own, search in enumerate(searches)])
            bad = self.turns.bad_choices(ports)
            for (own, port), where in bad.items():
                searches[own].forbid(port, self.distances.table(where))
            for own in {own for own, _ in bad}:
                searches[own].run(MORE_STEPS)

    def _search(self, own):
        tables = {port: self.distances.table(where) for port, where in self.distances.candidates(own).items()}
        return Search(tables, self.distances.free(own), self.rising(own))

    def rising(self, own):
        """Ports of id ``own`` that lead to a higher id."""
        return {move.port for move in self.distances.moves if move.own == own < move.there}

    def _with_mirrors(self, pool):
        if len(set(self.dsn.sizes)) == len(self.dsn.sizes):
            return pool
        return pool + [mirrored(self.dsn, found, self.distances.widths[0]) for found in pool]

    def ports_of(self, own, rules) -> np.ndarray:
        """The ports that rules choose at id ``own``, in the shape of :attr:`Distances.shape`."""
        inputs = np.arange(1 << self.inputs)
        found = np.full(inputs.size, -1, np.int8)
        for rule in reversed(rules):
            for mask, value in rule.cubes:
                found[inputs & mask == value] = rule.port
        return np.where(self.distances.hops[own] > 0, found[self.distances.numbers], np.int8(-1))


@lru_cache(maxsize=16)
def decisions(dsn):
    """The :class:`Decisions` of a network.

    Raises :class:`ValueError` if the network is too large, or its supernodes have one switch.
    """
    inputs = sum(dsn.levels) + (dsn.m - 1).bit_length()
    if dsn.m < 2:
        raise ValueError(f"Minimal routing needs supernodes of at least 2 nodes, not {dsn.supernode.name}")
    if inputs > MOST_INPUTS:
        raise ValueError(
            f"Minimal routing takes at most {MOST_INPUTS} bits of distances and destination id, not {inputs} ({dsn.spelling})"
        )
    return Decisions(dsn)
