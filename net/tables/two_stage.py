"""Routing over a random switch, for every network, as a relation; and the turn classes of cores that route so by tables."""

from collections.abc import Iterator
from functools import cached_property, lru_cache

import numpy as np

from dsnswitch.net import limits
from dsnswitch.net.messages import UsageError, unwatched
from dsnswitch.net.routing.turns import Trees, route
from dsnswitch.net.routing.two_stage import classes_over, loads_over, longest, walks
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import MOST_CLASSES, MOST_SWITCHES, Tables, compile_tables
from dsnswitch.net.tables.relation import BLOCK, GraphRelation

#: Fewest turn classes that admit two stages: in one class, no packet goes up after it went down.
LEAST_CLASSES = 2


class TwoStageRelation(GraphRelation):
    """The routes of :class:`GraphRelation` over a random switch with hosts, or straight.

    ``hops`` are those of a packet that goes straight: where a packet goes first is no decision of the switches on its way.

    Parameters
    ----------
    network : Network
    classes : int or None
        Virtual channel classes of every port; None means as many as shortest paths in two stages take.
    always : bool
        Every packet takes two stages (routing ``indirect``). Otherwise its source chooses (``ugal``), and lengths and loads are
        those of packets that go straight, which all do as long as no output is loaded.
    """

    def __init__(self, network, classes=None, always=True):
        limits.at_most(MOST_SWITCHES, network.nodes, f"Switches of a network with routes in two stages, {network.spelling},")
        self._limit, self.always = classes, always
        super().__init__(network, classes)
        self.needed = max(LEAST_CLASSES, _classes_of(self.trees))
        stage = self.trees.classes
        text = f"over a random switch: {self.needed} classes, {stage} without"
        self.notes = (("routes", text if always else f"straight or {text}"),)

    def _routes(self, wiring, classes) -> Trees:
        return fitting(lambda most: route(wiring, most, balance="switch"), _classes_of, classes)

    @property
    def most_classes(self) -> int:
        return self._limit or self.needed

    @cached_property
    def bound(self) -> int:
        return self.longest[0]

    @cached_property
    def longest(self) -> tuple[int, int, int]:
        """The most hops of a route, and the places of its ends in the wiring."""
        trees = self.trees
        return longest(walks(trees.ranks, trees.targets.home, trees.channel), trees.targets.home, self.wiring.hosts > 0)

    def lengths(self, bar=unwatched) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """As :meth:`GraphRelation.lengths`: means over all intermediate switches, if every packet takes two stages."""
        if not self.always:
            yield from super().lengths(bar)
            return
        homes, sources = self.trees.targets.home, self.wiring.hosts > 0
        hops = np.concatenate([found for _, found in super().lengths(bar)]).astype(float)
        # Hops from every switch to all intermediate ones, and from these to every destination.
        outward, inward = hops.sum(axis=0), hops[:, sources].sum(axis=1)
        among = max(1, np.count_nonzero(sources) - 1)
        for first in range(0, len(homes), BLOCK):
            home = homes[first : first + BLOCK]
            found = (outward[None, :] + inward[first : first + BLOCK, None] - hops[first : first + BLOCK]) / among
            found[np.arange(len(home)), home] = 0
            yield home, found

    def loads(self) -> np.ndarray:
        """Pairs of hosts on each channel under uniform traffic."""
        return loads_over(self.trees) if self.always else super().loads()


def _classes_of(trees):
    return classes_over(trees.ranks, trees.targets.home, trees.channel)


def fitting(make, classes_of, classes=None):
    """What ``make(classes of a stage)`` gives, with the most classes of a stage whose two stages fit ``classes``.

    ``classes_of`` gives the classes of two stages. None means any number: as :func:`route` does by default. Raises
    :class:`UsageError` if two stages fit no routes.
    """
    if classes is not None and classes < LEAST_CLASSES:
        raise UsageError(f"Routes in two stages need at least {LEAST_CLASSES} turn classes, not {classes}")
    made = make(None)
    if classes is None or classes_of(made) <= classes:
        return made
    for most in range(classes, 0, -1):
        made = make(most)
        if classes_of(made) <= classes:
            return made
    raise AssertionError("one class goes up, then down, so that two stages turn once")


def classes_of_tables(made: Tables) -> int:
    """Turn classes of packets that take two stages by compiled tables; with a choice of hops, as many as any choices may need.

    Raises :class:`UsageError` if the tables have layers.
    """
    if made.ranks is None:
        raise UsageError(
            f"Routes in two stages need tables by turn classes: {made.routing} tables do not state which ports lead up"
        )
    if made.chooses:
        return 2 * made.layers
    wiring, actions = made.wiring, made.actions()
    ports = np.where(actions < 0, -1, actions & (1 << made.port_bits) - 1)
    return max(LEAST_CLASSES, classes_over(made.ranks, wiring.ends.home, wiring.channels_at(ports).T))


def tables_in_two_stages(network, classes=None, **more) -> Tables:
    """Tables of :func:`compile_tables` whose routes fit ``classes`` in two stages; ``more`` are its other arguments."""
    return fitting(lambda most: compile_tables(network, most, **more), classes_of_tables, classes)


@lru_cache(64)
def usual_classes(network, adaptive=False) -> int:
    """Turn classes of a core whose packets take two stages, by default: as many as shortest paths take, or any choices of hops.

    Raises :class:`UsageError` if these are more than a core has.
    """
    limits.at_most(MOST_SWITCHES, network.nodes, f"Switches of a network with routes in two stages, {network.spelling},")
    trees = route(Wiring(network))
    found = 2 * trees.classes if adaptive else max(LEAST_CLASSES, _classes_of(trees))
    limits.at_most(MOST_CLASSES, found, "Turn classes of a core")
    return found
