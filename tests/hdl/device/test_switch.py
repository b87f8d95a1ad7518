"""The switch: emitted Verilog against the golden models of core and line, and two switches joined by lines with wrong bits."""

import pytest

from .conftest import alone, whole

RING = {"topology": "ring:3:ring-2", "flit": 48, "packet": 3, "depth": 8, "hosts": 2}
TORUS = {"topology": "torus:2", "flit": 40, "packet": 3, "depth": 8, "hosts": 2}


def test_one_switch(joined):
    tests = ["random_traffic", "zero_load_latency", "broken_packets"]
    assert joined("device_bench", alone, RING, tests, own=[1, 0], packets=30) == 3


@pytest.mark.parametrize("ber", [1e-4, pytest.param(1e-3, marks=pytest.mark.regress)])
def test_two_switches(joined, ber):
    tests = ["nothing_is_lost_without_wrong_bits", "every_packet_is_accounted_for"]
    assert joined("joined_bench", whole, TORUS, tests, packets=400, ber=ber) == 2
