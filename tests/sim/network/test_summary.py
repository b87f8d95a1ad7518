"""The text of a result, without a simulation."""

import copy

import pytest

from dsnswitch.sim.network.experiment.results import HISTOGRAMS, STATISTICS
from dsnswitch.sim.network.experiment.summary import text

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
    "fairness": dict.fromkeys(("least", "slowest_2_percent", "greatest", "jain"), 1.0) | {"silent": 0, "longest_wait": 16},
    "links": [],
}

#: Sizes of a core without options.
USUAL = {"flit": 256, "packet": 33, "depth": 66}

RESULT = {
    "network": {"title": "ring", "switches": 5, "hosts": 5},
    "core": {"top": "core", "routing": "base", "luts": 1, "flip_flops": 1, "isa": "generic", "parameters": dict(USUAL)},
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
    assert "links " not in text(result, USUAL).replace("links of 0", "")
    link = {"from": "0", "port": "dim0_forward", "to": "1"}
    result["traffic"] |= {"failed": ["5%", "0:1@5000"], "failed_links": [link | {"cycle": None}, link | {"cycle": 5000}]}
    lines = text(result, USUAL).splitlines()
    assert lines[4:6] == [
        "links       failed 5%, 0:1@5000: 2 links; errors 0 per bit",
        "too late    at load 0.1, the measurement ended in cycle 2500, before 1 link failed in cycle 5000",
    ]
    assert not lines[6]
    result["traffic"]["failed_links"] += [link | {"cycle": 2500}, link | {"cycle": 2499}]
    late = text(result, USUAL).splitlines()[5]
    assert late.endswith("the measurement ended in cycle 2500, before 2 links failed in cycle 2500 or later")


def test_order_of_adaptive_routing(result):
    assert "order" not in text(result, USUAL)
    result["core"]["parameters"]["adaptive"] = True
    result["traffic"]["ordered"] = 0.0
    assert text(result, USUAL).splitlines()[4] == "order       not promised"
    result["traffic"]["ordered"] = 0.3
    assert text(result, USUAL).splitlines()[4] == "order       promised for 30% of the flows, whose packets are marked"


def test_one_is_singular(result):
    """The text of a trace with a packet, and of two."""
    result["points"] = [{"completion": 11, **POINT}]
    result["network"] |= {"switches": 1, "hosts": 1}
    result["traffic"]["flits"] = "1"
    lines = text(result, USUAL).splitlines()
    assert lines[0] == "network     ring: 1 switch, 1 host"
    assert lines[3].startswith("traffic     uniform, packets of 1 flit, links")
    assert lines[4] == "completion  11 cycles for 1 packet of 1 host"
    result["points"][0] |= {"packets": 2, "senders": 3, "marked": 1}
    lines = text(result, USUAL).splitlines()
    assert lines[4] == "completion  11 cycles for 2 packets of 3 hosts"
    assert lines[5] == "not intact  1 packet marked bad; lost: none"


def test_sizes_are_printed(result):
    """Those of the simulated core, and the defaults of Verilog if they are others."""
    line = "sizes       flits of 256 bits, packets of up to 33 flits, 66 flits per channel"
    assert text(result, USUAL).splitlines()[2] == line
    result["core"]["parameters"] |= {"packet": 4, "depth": 8}
    found = text(result, USUAL).splitlines()[2]
    assert found == line.replace("33", "4").replace("66", "8") + " (dsnswitch verilog: 256, 33, 66)"
