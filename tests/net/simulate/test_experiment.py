"""Options of a simulation."""

import random

import pytest

from dsnswitch.net.messages import UsageError
from dsnswitch.net.simulate.experiment import experiment

DETOUR = {"topology": "grid:4x4:ring-4", "routing": "detour", "packet": 4, "flit": 64}


def failed(*words):
    one = experiment(DETOUR, fail=words)
    return one.attributes["failed"], one.failures


def test_a_share_of_the_links_fails_at_random():
    links = list(experiment(DETOUR).network.links())
    random.Random(0).shuffle(links)
    whole = tuple((link.source, link.port) for link in links)
    assert len(whole) == 128
    assert failed("5%") == (whole[:6], [])
    assert failed("10%:0") == (whole[:13], [])
    assert failed("5%:1")[0] != whole[:6]
    assert failed("2.5%@700") == ((), [(700, *link) for link in whole[:3]])


@pytest.mark.parametrize(("burst", "load"), [("100:300", 0.26), ("10:3000", 0.1), ("1:1", 0.6)])
def test_bursts_cannot_offer_more(burst, load):
    with pytest.raises(UsageError, match=f"Bursts of {burst} offer at most .* not {load}"):
        experiment(DETOUR, burst=burst, loads=(0.001, load))
    assert experiment(DETOUR, burst=burst, loads=(0.003,)).loads == (0.003,)


@pytest.mark.parametrize("word", ["5%x", "100%", "-5%", "%", "5%@x"])
def test_bad_shares(word):
    with pytest.raises(UsageError, match="link"):
        failed(word)
