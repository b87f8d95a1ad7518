"""Options of a simulation."""

import random

import pytest

from dsnswitch.net.files.options import Links, Traffic
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.experiment.experiment import experiment

DETOUR = {"topology": "grid:4x4:ring-4", "routing": "detour", "packet": 4, "flit": 64}


def failed(*words):
    one = experiment(DETOUR, links=Links(fail=words))
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
        experiment(DETOUR, Traffic(burst=burst, load=(0.001, load)))
    assert experiment(DETOUR, Traffic(burst=burst, load=(0.003,))).loads == (0.003,)


@pytest.mark.parametrize("word", ["5%x", "100%", "-5%", "%", "5%:x", "5%:", "0,0,0:5%"])
def test_bad_shares(word):
    with pytest.raises(UsageError, match=r"form PERCENT%\[:SEED\].* at least 0 and below 100, not") as error:
        failed(word)
    assert str(error.value).endswith(f"not {word!r}")


def test_a_bad_cycle():
    with pytest.raises(UsageError, match="A link fails at a cycle such as"):
        failed("5%@x")


def test_the_result_lists_the_links_that_fail():
    """One at random, and one at a cycle."""
    one = experiment(DETOUR, links=Links(fail=("1%:3", "0,0,0:x_forward@700")))
    rows = one.traffic["failed_links"]
    links = list(one.network.links())
    random.Random(3).shuffle(links)
    spell = one.network.spell_switch
    assert (rows[0]["from"], rows[0]["to"], rows[0]["cycle"]) == (spell(links[0].source), spell(links[0].target), None)
    assert (rows[1]["from"], rows[1]["port"], rows[1]["cycle"]) == ("0,0,0", "x_forward", 700)
    assert len(rows) == 2


def test_the_result_says_whether_order_is_promised():
    minimal = {"topology": "grid:4x4:ring-4", "routing": "minimal", "packet": 4, "flit": 64}
    assert experiment(minimal).traffic["ordered"] == 1
    assert experiment(minimal | {"adaptive": True}).traffic["ordered"] == 0
    assert experiment(minimal | {"adaptive": True}, Traffic(ordered=0.3)).traffic["ordered"] == 0.3
    assert experiment(DETOUR, links=Links(fail=("0,0,0:x_forward",))).traffic["ordered"] == 1
    assert experiment(DETOUR, links=Links(fail=("0,0,0:x_forward@700",))).traffic["ordered"] == 0


def test_an_exchange_takes_no_failure_at_a_cycle():
    with pytest.raises(UsageError, match="Pattern exchange takes no failure at a cycle"):
        experiment(DETOUR, Traffic(pattern="exchange:4"), Links(fail=("0,0,0:x_forward@700",)))
    assert len(experiment(DETOUR, Traffic(pattern="exchange:4"), Links(fail=("0,0,0:x_forward",))).attributes["failed"]) == 1
