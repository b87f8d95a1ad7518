"""Options of a simulation."""

import random

import pytest

from dsnswitch.net.files.options import Links, Traffic
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.experiment.experiment import experiment
from dsnswitch.sim.network.workload.scenario import failures

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
    for word in ("5%@x", "5%@", "5%@-7", "5%@7-", "5%@7-8-9"):
        with pytest.raises(UsageError, match="A link fails at a cycle such as"):
            failed(word)
    with pytest.raises(UsageError, match="A link returns after the cycle 7 in which it fails, not in cycle 7"):
        failed("5%@7-7")


def test_links_that_return():
    """Failures of one link that overlap or touch are one; those of a link from the start last for ever."""
    link, other = "0,0,0:x_forward", "0,0,0:y_forward"
    network = experiment(DETOUR).network
    port = {one.name: one.index for one in network.ports}
    switch, forward = (0, 0, 0), port["x_forward"]
    end = network.neighbour(switch, forward)
    back = f"{network.spell_switch(end[0])}:{network.ports[end[1]].name}"
    assert failures(network, [f"{link}@100-200", f"{back}@200-300"]) == [(switch, forward, 100, 300)]
    assert failures(network, [f"{link}@250-400", f"{other}@7", f"{link}@100-300"])[0] == (switch, forward, 100, 400)
    assert failures(network, [f"{link}@100-400", f"{link}@150-200"]) == [(switch, forward, 100, 400)]
    assert failures(network, [f"{link}@100-200", f"{link}@300"]) == [(switch, forward, 100, 200), (switch, forward, 300, None)]
    (always,) = failures(network, [f"{link}@100-200", back])
    assert (always.begin, always.end) == (None, None)
    one = experiment(DETOUR, links=Links(fail=(f"{link}@100-200", f"{link}@300-500", other)))
    assert one.failures == [(100, switch, forward), (300, switch, forward)]
    assert one.repairs == [(200, switch, forward), (500, switch, forward)]
    assert one.attributes["failed"] == ((switch, port["y_forward"]),)
    assert [(row["cycle"], row.get("returns")) for row in one.traffic["failed_links"]] == [(100, 200), (300, 500), (None, None)]


def test_tables_are_written_after_a_failure_and_after_a_return():
    values = {"topology": "torus:4x4", "flit": 48, "packet": 2, "lookup": "table", "kind": "direct"}
    fail = ("0,0:dim0_forward@500-900", "1,1:dim1_forward@700-5000", "2,2:dim0_forward")
    one = experiment(values, links=Links(fail=fail, reroute=50))
    assert [cycle for cycle, _ in one.rewrites] == [550, 750, 950, 5050]
    whole = one.attributes["tables"].wiring.count + 2
    assert [whole - made.wiring.count for _, made in one.rewrites] == [4, 6, 4, 2]


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
