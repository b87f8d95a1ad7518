"""Adaptive relations: Duato's condition on escape channels, on a minimal adaptive torus."""

import pytest

from dsnswitch.net.routing.dependencies import EscapeError, cycle, dependencies
from dsnswitch.net.routing.relation import Relation
from dsnswitch.net.routing.torus import TorusRelation
from dsnswitch.net.topology.torus import Torus


class Adaptive(TorusRelation):
    """Dimension-order routing on the escape classes, or any port on a shortest path on one more class."""

    def __init__(self, torus, *, escapes=True, always=True):
        super().__init__(torus)
        self.escapes, self.always = escapes, always

    @property
    def adaptive(self):
        return max(super().classes.values())

    @property
    def classes(self):
        return dict.fromkeys(super().classes, self.adaptive + 1)

    # The symmetry of the base class does not apply to adaptive paths, so all pairs are searched.
    states, advance, label = Relation.states, Relation.advance, Relation.label

    def hops(self, switch, arrival, destination):
        found = super().hops(switch, arrival, destination)
        more = [(port, self.adaptive) for port in self.shorter(switch, destination)]
        if not self.always and len(more) > 1:
            return tuple(more)
        return (*found, *more)

    def shorter(self, switch, destination):
        for axis, size in enumerate(self.network.sizes):
            ahead = (destination[axis] - switch[axis]) % size
            for way, near in (("forward", 2 * ahead <= size), ("backward", 2 * ahead >= size and size > 2)):
                if ahead and near:
                    yield self.network.port_index(axis, way)

    def is_escape(self, label):
        return not self.escapes or label[2] != self.adaptive


def test_escape_channels_make_adaptive_routing_free_of_deadlock():
    found = dependencies(Adaptive(Torus((4, 4))))
    assert cycle(found) is None
    assert all(label[2] < 2 for label in found)


def test_without_escape_channels_there_is_a_cycle():
    assert cycle(dependencies(Adaptive(Torus((4, 4)), escapes=False)))


def test_a_packet_without_an_escape_channel_is_refused():
    with pytest.raises(EscapeError, match="no escape channel"):
        dependencies(Adaptive(Torus((4, 4)), always=False))


def test_dependencies_through_other_channels_count():
    steps = {0: [("first", 1)], 1: [("adaptive", 2), ("near", None)], 2: [("far", None)]}

    class Steps:
        @staticmethod
        def states():
            return [0]

        @staticmethod
        def advance(state):
            return steps[state]

        @staticmethod
        def is_escape(label):
            return label != "adaptive"

    assert dependencies(Steps()) == {"first": {"near", "far"}, "near": set(), "far": set()}
