"""Turn classes: routes on any graph, free of deadlock, in few virtual channel classes.

Switches have ranks. A hop leads *up* if it ends at a switch of higher rank, else down. A packet starts in class 0, and its class
rises by one whenever it goes up after it went down. Order the channels by class, then up before down, then by rank, rising for up
and falling for down: this number rises with every hop of any walk, so no walks close a cycle of channels, whatever the tables
say. Up*/down* routing (Schroeder et al., Autonet, 1991) is the case of one class. More classes admit shorter routes.

Routes depend on the destination only, so those to one destination form a tree (:mod:`~dsnswitch.net.routing.next_hops`).
"""

from dataclasses import dataclass

import numpy as np

from dsnswitch.net.messages import unwatched
from dsnswitch.net.routing.balance import BALANCES, spread
from dsnswitch.net.routing.improvement import improved
from dsnswitch.net.routing.next_hops import NEVER, NextHops, needed, next_hops
from dsnswitch.net.routing.ranks import Ranks, candidates, from_root
from dsnswitch.net.routing.wiring import Channels, Targets, targets

#: Pairs of targets and switches up to which all switches choose again: for tables, and to choose the number of classes.
IMPROVED, CHOSEN = 1 << 25, 1 << 12

#: Targets on which ranks are compared, and trees that are chosen to compare their loads.
COMPARED, TRIED = 64, 1 << 10

#: One class more must reduce the greatest load by this share.
WORTH = 0.1


@dataclass(frozen=True)
class Trees:
    """A next channel of each switch towards each of ``targets``: ``channel`` (G, S), C where there is none.

    ``classes`` is the limit of all routes, ``load`` (C,) the pairs on each channel, ``longer`` the hops of all pairs beyond those
    of shortest paths.
    """

    ranks: Ranks
    classes: int
    targets: Targets
    channel: np.ndarray
    load: np.ndarray
    longer: int


def route(
    wiring: Channels,
    classes: int | None = None,
    root: int | None = None,
    balance: str = BALANCES[0],
    ranks: Ranks | None = None,
    bar=unwatched,
) -> Trees:
    """The :class:`Trees` of a graph, of at most ``classes``; None means as many as :func:`choose` finds, or ``ranks`` need.

    ``ranks`` None means those that :func:`choose` finds, or those that fall from ``root``, a switch. ``balance`` is one of
    :data:`BALANCES`. Raises :class:`UsageError` if ``ranks`` are given, and routes do not fit ``classes``.
    """
    every = targets(wiring)
    if root is not None:
        ranks = from_root(wiring, root)
    if ranks is None:
        ranks, classes = choose(wiring, classes, every)
    elif classes is None:
        classes = max(1, len(needed(ranks, every.home)))
    return spread(wiring, lambda some: trees(ranks, classes, some, bar=bar), balance)


def choose(wiring: Channels, classes: int | None, targets: Targets) -> tuple[Ranks, int]:
    """Of the ranks that need the fewest classes, or that fit ``classes``, those with the least :func:`sharing`; and the classes.

    If no ranks fit, of those from a root. ``classes`` None means as many as shortest paths take, and more as long as one more
    reduces the greatest load by :data:`WORTH`. Classes and loads are those of some targets, which only the longest routes of a
    large graph do not follow; ranks without a single top fit all targets. In a tree, there is one route for each pair, which fits
    one class.
    """
    if wiring.count == 2 * (wiring.size - 1):
        return from_root(wiring, int(wiring.distance.sum(axis=1).argmin())), classes or 1
    found = [(len(needed(ranks, _some(targets, COMPARED).home)), ranks) for ranks in candidates(wiring)]
    limit = max(1, min(count for count, _ in found)) if classes is None else classes
    tops = [ranks for _, ranks in found if ranks.top is not None]
    equal = [ranks for count, ranks in found if count <= limit] or tops
    some = _some(targets, TRIED // len(equal))
    equal = [ranks for ranks in equal if _fits(ranks, limit, some)] or tops

    def greatest(ranks, limit, improve):
        return int(trees(ranks, limit, some, improve=improve).load.max(initial=0))

    if len(equal) > 1:
        equal.sort(key=lambda one: sharing(trees(one, limit, some, improve=False)))
    ranks = next(one for one in [*equal, *tops] if _fits(one, limit, targets))
    if classes is None:
        improve = len(targets.home) * wiring.size <= CHOSEN
        load = greatest(ranks, limit, improve)
        while (lower := greatest(ranks, limit + 1, improve)) < (1 - WORTH) * load:
            load, limit = lower, limit + 1
    return ranks, limit


def _fits(ranks, classes, targets):
    """Whether there are routes to all targets: always from a single top, else if the shortest paths fit."""
    return ranks.top is not None or len(needed(ranks, targets.home)) <= classes


def sharing(made: Trees) -> float:
    """Mean number of pairs on a channel in the class of a packet: packets of one class wait for each other."""
    wiring, none = made.ranks.wiring, made.ranks.wiring.count
    load = np.zeros((none + 1) * made.classes)
    for channel, weight in zip(made.channel, made.targets.weight):
        at, virtual_class, came_down = np.flatnonzero(wiring.hosts), 0, False
        pairs = (wiring.hosts * weight)[at]
        while len(at):
            onward = channel.take(at)
            virtual_class = virtual_class + (came_down & (up := made.ranks.up.take(onward)))
            load += np.bincount(onward * made.classes + virtual_class, pairs, len(load))
            on = np.flatnonzero(onward != none)
            at, virtual_class, came_down = wiring.target.take(onward.take(on)), virtual_class.take(on), ~up.take(on)
            pairs = pairs.take(on)
    load = load[: none * made.classes]
    return float(load @ load / max(load.sum(), 1))


def _some(targets, most):
    """At most this many of the targets."""
    places = np.linspace(0, len(targets.home) - 1, min(len(targets.home), most)).astype(int)
    return Targets([targets.members[at] for at in places], targets.home[places], targets.weight[places])


def trees(ranks: Ranks, classes: int, targets: Targets, improve: bool = True, bar=unwatched) -> Trees:
    """Trees with routes of :func:`next_hops` to each target and even load, chosen one after another.

    Then all switches choose again (:func:`improved`), unless the graph is large.
    """
    wiring, none = ranks.wiring, ranks.wiring.count
    count, longer = len(targets.home), 0
    channel = np.full((count, wiring.size), none, np.int32)
    cost = np.zeros((count, wiring.size) if count * wiring.size <= IMPROVED else (1, wiring.size), np.int16)
    load = np.zeros(none + 1)
    for number, home in enumerate(bar(targets.home, "routes")):
        offers, hops = next_hops(ranks, home, classes, wiring.hosts > 0)
        weight = wiring.hosts * targets.weight[number]
        channel[number], through = offers.tree(classes, weight, load, number)
        load += np.bincount(channel[number], through, none + 1)
        load[-1] = 0
        longer += int((hops - wiring.distance[home]) @ weight)
        cost[number % len(cost)] = hops
    if improve and len(cost) == count:
        channel, load = improved(ranks, classes, targets, channel, cost, bar)
    return Trees(ranks, classes, targets, channel, load[:-1].astype(np.int64), longer)


def second_trees(made: Trees, bar=unwatched) -> np.ndarray:
    """Another channel of each switch towards each target of ``made``, C where there is none: (G, S), as :meth:`NextHops.second`.

    Channels are those of the costs of the first ones, so that either choice leads a hop nearer.
    """
    wiring, ranks, found = made.ranks.wiring, made.ranks, np.full(made.channel.shape, made.ranks.wiring.count, np.int32)
    load = np.append(made.load.astype(float), 0)
    for number in bar(range(len(made.targets.home)), "second ports"):
        home = int(made.targets.home[number])
        cost = hops_along(wiring, made.channel[number], home)
        offers = NextHops(ranks, cost)
        weight = wiring.hosts * made.targets.weight[number]
        through = passing(wiring, made.channel[number], cost, weight)
        found[number] = offers.second(made.classes, weight, load, made.channel[number], through)
    return found


def hops_along(wiring: Channels, channel, home) -> np.ndarray:
    """Hops from every switch to ``home`` by the channels ``channel`` (S,); :data:`NEVER` where they do not lead there."""
    cost = np.full(wiring.size, NEVER, np.int64)
    cost[home], onward = 0, np.where(channel == wiring.count, home, wiring.target[channel])
    for hops in range(1, wiring.size):
        new = (cost == NEVER) & (channel != wiring.count) & (cost[onward] == hops - 1)
        if not new.any():
            break
        cost[new] = hops
    return cost


def passing(wiring: Channels, channel, cost, weight) -> np.ndarray:
    """The pairs that begin at or pass every switch by the channels ``channel`` (S,), whose hops are ``cost`` (S,)."""
    through = weight.astype(float)
    for at in np.argsort(-cost, kind="stable").tolist():
        if channel[at] != wiring.count:
            through[wiring.target[channel[at]]] += through[at]
    return through
