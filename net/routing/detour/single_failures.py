"""Virtual channel classes that a DSN needs so that detours deliver every packet past any single failed link.

A packet crosses the network in stages: the dimensions in routing order, then the local route to the destination's id. Its hops
in one stage depend only on the rest of this stage, so that the search takes the stages one by one:

1. the routes without failures up to every hop, with the most classes that a packet can have there;
2. from each of these hops, whose link now fails, the detour until the stage ends;
3. the stages after it. They are free of failures: a packet does not come back to the supernode or row of the failed link.

A packet that turns to y because its shortcut in x has failed goes through y, then x, then the local route instead.

All supernodes are equal. Therefore the cost grows with the length of the rings, not with the number of switches.
"""

from collections import namedtuple
from functools import cache, lru_cache
from math import inf

from dsnswitch.net.routing.detour.decisions import NO_DETOUR, Decisions, fault_free_classes

#: A pair that is not delivered if one link has failed, which leaves the switch and port of ``end``.
Lost = namedtuple("Lost", "source destination end")

#: Result of the search. ``classes``: the fewest with which every pair is delivered past any single failed link, infinite if no
#: number suffices. ``lost``: the :class:`Lost` of one class less.
SingleFailures = namedtuple("SingleFailures", "classes lost")

#: The packet with the most turns at a place: its source's id, and as far as the stages up to there determine it, its destination.
_Packet = namedtuple("_Packet", "turns source distances")

#: A place on a route without failures. ``rest``: the stage's destination relative to the supernode, and its id.
_Place = namedtuple("_Place", "own entry rest")

_Hop = namedtuple("_Hop", "port turns place detour supernode")


def detour_classes(dsn):
    """Number of virtual channel classes of every kind of port that deliver every pair past any single failed link.

    Raises :class:`ValueError` if no number does. No network is known where that is so.
    """
    classes, lost = single_failures(dsn)
    if classes == inf:
        source, destination, (switch, port) = lost
        raise ValueError(
            f"If port {dsn.ports[port].name} of {switch} has failed, no number of classes delivers packets of {dsn.spelling} "
            f"from {source} to {destination}"
        )
    return max(fault_free_classes(dsn), classes)


@lru_cache(maxsize=64)
def single_failures(dsn):
    """The :class:`SingleFailures` of a network with detours."""
    return _Search(dsn).found()


class _Search:
    """The search. A stage is the index of a dimension, or :attr:`_last` for the local route to the destination's id."""

    def __init__(self, dsn):
        self._dsn, self._decisions = dsn, Decisions(dsn)
        self._last = len(dsn.sizes)
        self._home = (0,) * self._last
        self._stages = [*(axis for axis, size in enumerate(dsn.sizes) if size > 1), self._last]
        self._ends, self._after = cache(self._ends), cache(self._after)
        self._most, self._lost = -1, None

    def found(self):
        starts = {}
        for stage in self._stages:
            starts |= {(own, None): _Packet(0, own, self._home) for own in range(self._dsn.m)}
            places, starts = self._places(stage, starts)
            for place, packet in places.items():
                self._fail(stage, place, packet)
        return SingleFailures(self._most + 1, self._lost)

    def _rests(self, stage, own):
        """Every rest of a packet that has something to do in a stage."""
        if stage == self._last:
            return [(*self._home, target) for target in range(self._dsn.m) if target != own]
        return [self._rest(stage, distance) for distance in range(1, self._dsn.sizes[stage])]

    def _rest(self, axis, distance):
        return (*(distance * (index == axis) for index in range(self._last)), 0)

    def _is_done(self, stage, place):
        return place.own == place.rest[-1] if stage == self._last else not place.rest[stage]

    def _hop(self, place, detour=NO_DETOUR, failed=(), supernode=None):
        """The next :class:`_Hop`, or None. ``failed``: both ends of the failed link. Supernode 0 by default."""
        switch = (*(supernode or self._home), place.own)
        sizes = (*self._dsn.sizes, self._dsn.m)
        target = (*((at + rest) % n for at, rest, n in zip(switch[:-1], place.rest, sizes)), place.rest[-1])
        found = self._decisions.next(switch, place.entry, detour, target, lambda port: (switch, port) not in failed)
        if found is None:
            return None
        port, detour = found
        there, entry = self._dsn.neighbour(switch, port)
        rest = (*((to - at) % n for at, to, n in zip(there[:-1], target, sizes)), place.rest[-1])
        turns = self._decisions.turns(place.own, place.entry, port)
        return _Hop(port, turns, _Place(there[-1], entry, rest), detour, there[:-1])

    def _places(self, stage, starts):
        """The packet at every place of a stage, and at its ends by id and port, without failures."""
        places, ends = {}, dict(starts)
        for (own, entry), packet in starts.items():
            for rest in self._rests(stage, own):
                place, turns = _Place(own, entry, rest), packet.turns
                distances = tuple(map(sum, zip(packet.distances, rest)))
                while not self._is_done(stage, place):
                    if place in places and places[place].turns >= turns:
                        break
                    places[place] = packet._replace(turns=turns, distances=distances)
                    hop = self._hop(place)
                    place, turns = hop.place, turns + hop.turns
                else:
                    end = place.own, place.entry
                    if end not in ends or ends[end].turns < turns:
                        ends[end] = packet._replace(turns=turns, distances=distances)
        return places, ends

    def _fail(self, stage, place, packet):
        """The link of the next hop fails."""
        dsn, here = self._dsn, (*self._home, place.own)
        port = self._hop(place).port
        failed = {(here, port), dsn.neighbour(here, port)}
        passed = tuple((d - rest) % n for d, rest, n in zip(packet.distances, place.rest, dsn.sizes))
        end = (*passed, place.own), port
        is_local = dsn.ports[port].kind == "local"
        if stage == 0 and not is_local and len(self._stages) == 3:
            # With a distance in y, the packet turns to y.
            self._go_on(packet, end, place, (1, (0, place.rest[0]), self._last))
        hop, turns, seen = _Hop(port, 0, place, NO_DETOUR, self._home), packet.turns, set()
        while not self._is_done(stage, hop.place):
            seen.add(hop[2:])
            hop = self._hop(hop.place, hop.detour, failed, hop.supernode)
            if hop is None or hop[2:] in seen:
                return self._count(inf, packet, (*packet.distances, place.rest[-1]), end)
            turns += hop.turns
        packet = packet._replace(turns=turns)
        if stage == self._last:
            return self._count(turns, packet, (*packet.distances, hop.place.own), end)
        later = [following for following in self._stages if following > stage] if is_local else [self._last]
        self._go_on(packet, end, hop.place, tuple(later))

    def _go_on(self, packet, end, place, stages):
        """Count the turns of a packet that goes through ``stages`` after it has met the failed link."""
        turns, rest = self._after(stages, place.own, self._came_down(place))
        target = (*map(sum, zip(packet.distances, rest)), rest[-1])
        self._count(packet.turns + turns, packet, target, end)

    def _count(self, turns, packet, target, end):
        if turns > self._most:
            self._most, self._lost = turns, Lost((*self._home, packet.source), target, end)

    def _came_down(self, place):
        return place.entry is not None and bool(self._decisions.up[place.own][place.entry])

    def _after(self, stages, own, came_down):
        """Most turns of a packet in stages without failures, and its rest there.

        A stage that is a pair is a dimension and the distance in it, which is part of the packet's distances before.
        """
        if not stages:
            return 0, (*self._home, own)
        best = None
        for (to, down), (turns, rest) in self._ends(stages[0], own, came_down).items():
            more, later = self._after(stages[1:], to, down)
            if best is None or turns + more > best[0]:
                best = turns + more, (*map(sum, zip(rest[:-1], later)), later[-1])
        return best

    def _ends(self, stage, own, came_down):
        """``{(id, whether the last hop went down): (most turns, rest)}`` after a stage without failures."""
        if isinstance(stage, tuple):
            stage, distance = stage
            rests, found = {self._rest(stage, distance): self._rest(stage, 0)}, {}
        else:
            rests = {rest: rest for rest in self._rests(stage, own)}
            found = {(own, came_down): (0, self._rest(stage, 0))}
        for start, rest in rests.items():
            place, turns = _Place(own, None, start), 0
            while not self._is_done(stage, place):
                hop = self._hop(place)
                turns += hop.turns or (place.entry is None and came_down and bool(self._decisions.up[own][hop.port]))
                place = hop.place
            end = place.own, self._came_down(place)
            if end not in found or found[end][0] < turns:
                found[end] = turns, rest
        return found
