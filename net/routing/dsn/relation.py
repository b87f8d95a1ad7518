"""Routing relation of the DSN: X first, then Y, then the local route to the destination's id (D 4.2.1, Fig. 4.2b)."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from dsnswitch.net.routing.dependencies import dependencies
from dsnswitch.net.routing.dsn.classes import GRANULARITIES, Purpose, fewest_classes, merged
from dsnswitch.net.routing.dsn.local import first_hop, wraps
from dsnswitch.net.routing.relation import Arrival, Relation
from dsnswitch.net.topology.dsn import Dsn

# The next shortcut of a packet in one dimension, in plain integers (D 4.2.1, Fig. 4.2; docs/papers.md).


@dataclass(frozen=True)
class Shortcut:
    """A shortcut in the ``direction`` (``forward`` or ``backward``) in which a packet takes it.

    Its ``level`` is 1..p. ``leaves`` and ``enters`` are the ids of the nodes at its two ends, in the direction of travel;
    ``distance`` is the forward distance in supernodes that remains after it.
    """

    level: int
    direction: str
    leaves: int
    enters: int
    distance: int


def next_shortcut(dsn, axis, distance, own=0) -> Shortcut:
    """The shortcut that a packet at id ``own`` takes next at a forward distance of ``distance`` supernodes, which must not be 0.

    Forward, the leading one of the distance gives the level. Backward, the trailing one of the backward distance gives it:
    the reversed path of D Fig. 4.2, hop by hop. In a double supernode, two ids have a shortcut of this level in this
    direction, one in each half. The packet takes that of its own half, which is at most one local hop away.
    """
    n, p, half = dsn.sizes[axis], dsn.levels[axis], dsn.supernode.most_levels
    start = own - own % half
    if dsn.backward(axis, distance):
        back = n - distance
        level = p - ((back & -back).bit_length() - 1)
        leaves = start + level % half
        return Shortcut(level, "backward", leaves, (leaves - 1) % dsn.m, (distance + dsn.length(axis, level)) % n)
    level = p - (distance.bit_length() - 1)
    leaves = start + level - 1
    return Shortcut(level, "forward", leaves, (leaves + 1) % dsn.m, distance - dsn.length(axis, level))


class ByIdRelation(Relation):
    """A routing of a DSN that is alike in all supernodes: the labels of channels are ids."""

    def label(self, channel) -> Any:
        return channel.switch[-1], channel.port, channel.virtual_class

    def spell_label(self, label) -> str:
        return self._spell(f"id {label[0]}", *label[1:])


class DsnRelation(ByIdRelation):
    """Routing of a :class:`Dsn`, hop by hop.

    Shortcuts have one virtual channel class. Local links have as many classes as the purposes of local hops need
    (:mod:`classes`). The assignment is computed for each network when it is first used. It is that of ``like``, by default the
    network itself: a larger one of 2^p supernodes in each dimension, whose dependencies include those of this network.
    """

    def __init__(self, dsn: Dsn, like: Dsn | None = None):
        super().__init__(dsn)
        self._like = like or dsn
        self._final = len(dsn.sizes)

    @cached_property
    def assignment(self):
        """``(granularity, {purpose: class})`` of the local links."""
        return _assignment(self._like)

    @property
    def classes(self) -> dict[str, int]:
        local = max(self.assignment[1].values(), default=0) + 1
        return {port.kind: local if port.kind == "local" else 1 for port in self.network.ports}

    @property
    def bound(self) -> int | None:
        """Bound for a local route before each shortcut and at the end. D 4.2.1 has a lower bound for most shapes."""
        dsn = self.network
        return sum((dsn.supernode.m + 1) * (levels + 1) for levels in dsn.levels) + dsn.supernode.m

    @property
    def paper_bound(self) -> int | None:
        """``3 Delta + ceil(log2 X) + 1 + ceil(log2 Y) + 1`` (D 4.2.1); one phase less on a ring."""
        dsn = self.network
        return (len(dsn.sizes) + 1) * dsn.supernode.diameter + sum(levels + 1 for levels in dsn.levels)

    def hops(self, switch: tuple[int, ...], arrival, destination: tuple[int, ...]) -> Any:
        phase, target = self._phase(switch, destination)
        if target is None:
            return ()
        port, purpose = self._hop(phase, switch[-1], arrival, target)
        return ((port, 0 if purpose is None else self.class_of(purpose)),)

    def field_hop(self, switch, axis, target) -> tuple:
        port, _ = self._hop(axis, switch[-1], None, target)
        if axis == self._final:
            return port, f"to node {target} of this supernode"
        dsn, shortcut = self.network, next_shortcut(self.network, axis, target, switch[-1])
        remark = f"length-{dsn.length(axis, shortcut.level)} {dsn.dimensions[axis]} shortcut {shortcut.direction}"
        return port, remark if switch[-1] == shortcut.leaves else f"to node {shortcut.leaves} for the {remark}"

    def class_of(self, purpose) -> int | None:
        """Class of a local hop with this :class:`Purpose`; None if no route has it."""
        granularity, of = self.assignment
        return of.get(merged(purpose, granularity))

    @property
    def features(self) -> set[str]:
        """Fields of :class:`Purpose` on which the class of a local hop depends, besides the phase."""
        _, of = self.assignment
        return {
            name
            for name in ("between", "wraps", "backward")
            for purpose, number in of.items()
            if of.get(purpose._replace(**{name: not getattr(purpose, name)}), number) != number
        }

    def _phase(self, switch, destination):
        """``(phase, target)``: the target is the rest of the forward distance, or in the last phase the destination's id.

        It is None at the destination.
        """
        for axis, n in enumerate(self.network.sizes):
            if distance := (destination[axis] - switch[axis]) % n:
                return axis, distance
        return self._final, None if switch[-1] == destination[-1] else destination[-1]

    def _hop(self, phase, own, arrival, target):
        """Port, and :class:`Purpose` of a local hop or None for a shortcut."""
        dsn = self.network
        backward = False
        if phase < self._final:
            shortcut = next_shortcut(dsn, phase, target, own)
            if own == shortcut.leaves:
                return self._port[dsn.dimensions[phase], shortcut.direction], None
            target, backward = shortcut.leaves, shortcut.direction == "backward"
        port = first_hop(dsn.supernode, own, target)
        between = self._between(phase, arrival, backward)
        return port, Purpose(phase, between, wraps(dsn.supernode, own, target), backward)

    @cached_property
    def _port(self):
        return {(port.kind, port.direction): port.index for port in self.network.ports}

    def _between(self, phase, arrival, backward):
        """Whether the packet has taken a shortcut in this phase, by the channel on which it arrived."""
        if arrival is None or phase == self._final:
            return False
        kind = self.network.ports[arrival.port].kind
        if kind != "local":
            return kind == self.network.dimensions[phase]
        return arrival.virtual_class in self.between_classes[phase, backward]

    @cached_property
    def between_classes(self) -> dict[tuple[int, bool], set[int]]:
        """By phase and direction, the classes that only a packet between two shortcuts uses, not one before its first."""
        granularity, of = self.assignment
        classes = {}
        for phase in range(self._final):
            for backward in (False, True):
                keep = backward and "backward" in granularity
                here = [p for p in of if p.phase == phase and p.backward == keep]
                first, between = ({of[p] for p in here if p.between == value} for value in (False, True))
                classes[phase, backward] = between - first
        return classes

    # The automaton of the deadlock search. All supernodes are equal, and a phase depends only on its own distance.

    def states(self) -> Any:
        for own in range(self.network.m):
            yield from self._entering(0, own, None)

    def _entering(self, phase, own, arrival):
        """States of a packet at id ``own`` whose phases before ``phase`` are done: every possible continuation."""
        for axis in range(phase, self._final):
            for distance in range(1, self.network.sizes[axis]):
                yield axis, own, arrival, distance
        for target in range(self.network.m):
            if target != own:
                yield self._final, own, arrival, target

    def advance(self, state) -> list:
        phase, own, arrival, target = state
        port, purpose = self._hop(phase, own, arrival, target)
        virtual_class = 0 if purpose is None else self.class_of(purpose)
        there, entry = self.network.neighbour((0,) * self._final + (own,), port)
        arrival = Arrival(entry, virtual_class)
        label = self._label(own, port, virtual_class, purpose)
        if purpose is not None:
            if phase == self._final and there[-1] == target:
                return [(label, None)]
            return [(label, (phase, there[-1], arrival, target))]
        left = next_shortcut(self.network, phase, target).distance
        if left:
            return [(label, (phase, there[-1], arrival, left))]
        return [(label, following) for following in self._entering(phase + 1, there[-1], arrival)] or [(label, None)]

    def _label(self, own, port, virtual_class, purpose):
        return own, port, virtual_class


class _ByPurpose(DsnRelation):
    """The routing with a separate class for every purpose, from whose dependency graph the assignment is computed."""

    @cached_property
    def assignment(self):
        every = [
            Purpose(phase, between, wraps, backward)
            for phase in range(self._final + 1)
            for between in (False, True)
            for wraps in (False, True)
            for backward in (False, True)
        ]
        return GRANULARITIES[-1], {purpose: index for index, purpose in enumerate(every)}

    def _label(self, own, port, virtual_class, purpose):
        return own, port, purpose


@lru_cache(maxsize=64)
def _assignment(dsn):
    graph = dependencies(_ByPurpose(dsn))
    assignments = [(granularity, fewest_classes(graph, granularity)) for granularity in GRANULARITIES]
    assignments = [(granularity, of) for granularity, of in assignments if of is not None]
    return min(assignments, key=lambda pair: max(pair[1].values(), default=0))
