"""The text of a result, without a simulation."""

import copy

import pytest

from dsnswitch.net.simulate.results import HISTOGRAMS, STATISTICS
from dsnswitch.net.simulate.summary import text

POINT = {
    "load": 0.1,
    "offered": 0.1,
    "accepted": 0.1,
    "saturated": False,
    "warm_up": 1500,
    "cycles": 1000,
    "confidence": 0.1,
    "packets": 1,
    "senders": 1,
    "missing": 0,
    "marked": 0,
    "lost": {"link": 0},
    "latency": {name: dict.fromkeys(STATISTICS, 9.0) for name in HISTOGRAMS},
    "hops": {"mean": 1.0, "max": 1},
    "zero_load": None,
    "fairness": dict.fromkeys(("least", "slowest_2_percent", "greatest", "jain"), 1.0),
    "links": [],
}

RESULT = {
    "network": {"title": "ring", "switches": 5, "hosts": 5},
    "core": {"top": "core", "routing": "base", "luts": 1, "flip_flops": 1, "isa": "generic", "parameters": {}},
    "traffic": {
        "pattern": "uniform",
        "flits": "4",
        "link_delay": 0,
        "failed": [],
        "failed_links": [],
        "bit_errors": 0,
        "ordered": 1.0,
    },
    "links": [],
    "points": [POINT, POINT | {"load": 0.2, "cycles": 6000}],
    "speed": {"cycles": 1, "cycles_per_second": 1.0},
}


@pytest.fixture
def result():
    return copy.deepcopy(RESULT)


def test_failed_links(result):
    """Their number, and whether they failed during the measurement."""
    assert "links " not in text(result).replace("links of 0", "")
    link = {"from": "0", "port": "dim0_forward", "to": "1"}
    result["traffic"] |= {
        "failed": ["5%", "0:1@5000"],
        "failed_links": [link | {"cycle": None}, link | {"cycle": 5000}],
    }
    lines = text(result).splitlines()
    assert lines[3:5] == [
        "links       failed 5%, 0:1@5000: 2 links; errors 0 per bit",
        "too late    at load 0.1, the measurement ended in cycle 2500, before 1 link failed in cycle 5000",
    ]
    assert not lines[5]
    result["traffic"]["failed_links"] += [link | {"cycle": 2500}, link | {"cycle": 2499}]
    late = text(result).splitlines()[4]
    assert late.endswith("the measurement ended in cycle 2500, before 2 links failed in cycle 2500 or later")


def test_order_of_adaptive_routing(result):
    assert "order" not in text(result)
    result["core"]["parameters"]["adaptive"] = True
    result["traffic"]["ordered"] = 0.0
    assert text(result).splitlines()[3] == "order       not promised"
    result["traffic"]["ordered"] = 0.3
    assert text(result).splitlines()[3] == "order       promised for 30% of the flows, whose packets are marked"


def test_one_is_singular(result):
    """The text of a trace with a packet, and of two."""
    result["points"] = [{"completion": 11, **POINT}]
    result["network"] |= {"switches": 1, "hosts": 1}
    result["traffic"]["flits"] = "1"
    lines = text(result).splitlines()
    assert lines[0] == "network     ring: 1 switch, 1 host"
    assert lines[2].startswith("traffic     uniform, packets of 1 flit, links")
    assert lines[3] == "completion  11 cycles for 1 packet of 1 host"
    result["points"][0] |= {"packets": 2, "senders": 3, "marked": 1}
    lines = text(result).splitlines()
    assert lines[3] == "completion  11 cycles for 2 packets of 3 hosts"
    assert lines[4] == "not intact  1 packet marked bad; lost: none"
