"""Classes of detours: the golden model delivers every pair past any single failed link with them, but not with one less."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.detour.decisions import Decisions
from dsnswitch.net.routing.detour.single_failures import detour_classes, single_failures
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.bench.drivers.route_driver import DetourStates
from dsnswitch.sim.golden.routing.detour import ARRIVED

SMALL = {
    "grid:2x2:ring-9": 6,
    "grid:5x2:coc-3x3": 5,
    "grid:2x4:ring-5": 5,
    "grid:3x9:ring-4": 6,
    "grid:4x6:coc-2x3": 6,
    "grid:6x6:coc-2x3": 6,
    "grid:10x6:coc-2x2": 6,
    "grid:4x11:ring-4": 6,
    "grid:4x4": 5,
    "grid:3x5:coc-3x2": 5,
    "grid:1x2": 3,
    "grid:2x1:coc-2x2": 4,
    "ring:22:ring-6": 5,
    "ring:3:ring-3": 3,
    "ring:1:ring-4": 2,
}
LARGE = {"grid:8x8": 5, "grid:6x6:coc-3x3": 6, "grid:17x17": 7}
NETWORKS = [*SMALL.items(), *(pytest.param(*case, marks=pytest.mark.regress) for case in LARGE.items())]


def ends_of(network):
    """Both ends of the link at each switch and port."""
    found = {}
    for link in network.links():
        ends = {(link.source, link.port), (link.target, link.target_port)}
        found |= dict.fromkeys(ends, ends)
    return found


def routes_past_any_failed_link(network, classes):
    """Class of the last hop of every route of the golden model past any failed link of a pair's route, and how it ends.

    A translation moves any pair to one that begins in supernode 0, and a failed link elsewhere changes no route.
    """
    states, ends = DetourStates(network, classes), ends_of(network)
    for source in network.representatives():
        for target in network.switches():
            for state in states.route(source, target, set())[:-1]:
                last = states.route(source, target, ends[state.switch, states.answer(state)[0]])[-1]
                yield last.virtual_class, states.answer(last)


@pytest.mark.parametrize(("spelling", "classes"), NETWORKS)
def test_fewest_classes_that_deliver_every_pair_past_any_failed_link(spelling, classes):
    network = parse_network(spelling)
    assert detour_classes(network) == classes
    assert relation_of(network, "detour").classes["local"] == classes
    most = 0
    for last, verdict in routes_past_any_failed_link(network, classes):
        assert verdict == ARRIVED
        most = max(most, last)
    assert most == classes - 1


@pytest.mark.parametrize("spelling", [*SMALL, *LARGE, "grid:64x64"])
def test_the_pair_that_is_named_is_lost_with_one_class_less(spelling):
    network = parse_network(spelling)
    classes, lost = single_failures(network)
    failed = {lost.end, network.neighbour(*lost.end)}
    for count, delivered in ((classes - 1, False), (classes, True)):
        states = DetourStates(network, count)
        assert (states.answer(states.route(lost.source, lost.destination, failed)[-1]) == ARRIVED) == delivered


@pytest.mark.parametrize("stays", [True, False])
def test_packets_that_no_number_of_classes_saves(monkeypatch, stays):
    """They stay at the failed link, or go to and fro for ever."""
    usual = Decisions.next

    def forgetful(self, switch, entry, detour, destination, is_up):
        if stays:
            return usual(self, switch, entry, detour, destination, is_up) if is_up(0) and is_up(1) else None
        return usual(self, switch, entry, detour, destination, is_up) if entry is None else (entry, detour)

    monkeypatch.setattr(Decisions, "next", forgetful)
    single_failures.cache_clear()
    try:
        with pytest.raises(
            ValueError, match=r"If port local_up of .* has failed, no number of classes delivers packets of ring:1"
        ):
            detour_classes(parse_network("ring:1:ring-3"))
    finally:
        single_failures.cache_clear()


RING_9 = {"x": 2, "y": 2, "supernode": "ring-9", "routing": "detour"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {**RING_9, "classes": 5},
            "With fewer than 6 classes (= 5), grid:2x2:ring-9 does not survive every single failed link: port local_down of "
            "1,1,7, packet from 0,0,1 to 1,1,6",
        ),
        ({**RING_9, "classes": 3}, "Routes of grid:2x2:ring-9 without failed links take 4 classes, not 3"),
        ({**RING_9, "classes": 17}, "classes must be in 1..16, not 17"),
        ({"p": 2, "classes": 5}, "The number of classes (= 5) is a choice of routing detour, not of base"),
    ],
)
@pytest.mark.parametrize("block", ["route", "switch-core", "switch"])
def test_bad_input(values, message, block):
    with pytest.raises(UsageError) as error:
        build({**values, "block": block})
    assert str(error.value) == message


@pytest.mark.parametrize("block", ["route", "switch-core"])
def test_chosen_classes(block):
    found = build({**RING_9, "block": block, "classes": 7})
    assert {output["classes"] for output in found.interface()[1]["outputs"]} == {7}
    assert found.parameters["classes"] == 7
    assert build({**found.parameters, "block": block}).name == found.name
    default = build({**RING_9, "block": block})
    assert build({**RING_9, "block": block, "classes": 6}) == default
    assert found.name == default.name.replace("detour", "detour_c7")
