"""The switch: emitted Verilog against the golden models of core and line, and switches joined by lines with wrong bits."""

import pytest

from dsnswitch.sim.run import SimulationError

from .conftest import ONE, alone, whole

RING = {"topology": "ring:3:ring-2", "flit": 48, "packet": 3, "depth": 8, "hosts": 2}
SQUARE = {"topology": "torus:2x2", "flit": 32, "packet": 3, "depth": 8}
NODE = {"topology": "ring:1:ring-2", "flit": 32, "packet": 3, "depth": 8, "hosts": 2, "node": "0,1"}
TORUS = {"topology": "torus:2", "flit": 72, "packet": 3, "depth": 8, "hosts": 2}
JOINED = ["nothing_is_lost_without_wrong_bits", "every_packet_is_accounted_for"]
UNTAKEN, REPEATED = ["one_host_takes_nothing"], ["lines_repeat_words"]


@pytest.mark.regress
@pytest.mark.parametrize("values", [SQUARE, RING], ids=["2x2", "ring"])
def test_one_switch(joined, values):
    """A universal switch with an address of two fields."""
    assert joined("switch_bench", alone, values, ONE, own=[1, 0], packets=20) == len(ONE)


@pytest.mark.regress
def test_one_node(joined):
    """A specialised switch without registers. Another one is in test_registers.py."""
    assert joined("switch_bench", alone, NODE, ONE, packets=12) == len(ONE)


def test_two_switches_of_two_fields(joined):
    """The smallest network of universal switches, with wrong bits."""
    values = SQUARE | {"topology": "torus:1x2"}
    assert joined("joined_bench", whole, values, JOINED, packets=100, ber=5e-4, quiet=120) == 2


def test_a_host_that_takes_nothing_does_not_stop_the_others(joined):
    assert joined("joined_bench", whole, SQUARE | {"topology": "torus:1x2"}, UNTAKEN, packets=40, quiet=120) == 1


#: Two virtual networks, the first with two channels per class on each line.
NETWORKS = SQUARE | {"topology": "torus:1x2", "flit": 40, "virtual_networks": 2, "channels": "dim1=2/1"}


def test_a_host_that_takes_nothing_stops_its_virtual_network_only(joined):
    tests = ["one_network_takes_nothing", JOINED[0]]
    assert joined("joined_bench", whole, NETWORKS, tests, packets=30, quiet=120) == 2


@pytest.mark.regress
@pytest.mark.parametrize("more", [{}, {"retry": True, "round_trip": 16}, {"virtual_networks": 3, "channels": "1"}])
def test_switches_with_virtual_networks(joined, more):
    """Wrong bits, and with priorities: packets of network 1 first."""
    values = NETWORKS | {"priorities": "0/1" if "channels" not in more else "0/1/1"} | more
    assert joined("joined_bench", whole, values, JOINED, packets=400, ber=5e-4, quiet=120) == 2


@pytest.mark.regress
@pytest.mark.parametrize("stall", [0.3, 0])
def test_one_switch_with_virtual_networks(joined, stall):
    assert joined("switch_bench", alone, RING | {"virtual_networks": 2}, ONE, packets=20, own=[1, 0], stall=stall) == len(ONE)


@pytest.mark.regress
def test_packets_that_a_line_has_changed_are_marked(joined):
    """A line that repeats words has no wrong bits: without an end-to-end check, changed packets arrive without a mark."""
    values = SQUARE | {"topology": "torus:1x2"}
    assert joined("joined_bench", whole, values, REPEATED, packets=1000, faults=90, noticed=7, quiet=120) == 1


@pytest.mark.regress
def test_changed_packets_arrive_without_the_check(joined):
    values = SQUARE | {"topology": "torus:1x2", "end_to_end": "none"}
    with pytest.raises(SimulationError, match=r"corrupted|0 wrong checks"):
        joined("joined_bench", whole, values, REPEATED, packets=1000, faults=90, noticed=7, quiet=120)


def test_a_looped_line_does_not_freeze_two_switches(joined):
    values = SQUARE | {"topology": "torus:1x2"}
    assert joined("joined_bench", whole, values, ["lines_are_looped_or_crossed"], packets=40, quiet=120) == 1


@pytest.mark.regress
def test_boundaries_move_and_switches_are_reset(joined):
    values, tests = SQUARE | {"topology": "torus:1x2"}, ["boundaries_move_and_switches_are_reset"]
    assert joined("joined_bench", whole, values, tests, packets=40, quiet=120, moved=True, ber=5e-4, rounds=6) == 1


@pytest.mark.regress
def test_looped_and_crossed_lines_do_not_freeze_four_switches(joined):
    tests = ["lines_are_looped_or_crossed"]
    assert joined("joined_bench", whole, SQUARE, tests, packets=40, quiet=120, crossed=True, rounds=20) == 1


@pytest.mark.regress
def test_a_host_that_takes_nothing_among_four_switches(joined):
    assert joined("joined_bench", whole, SQUARE, UNTAKEN, packets=40, quiet=120) == 1


@pytest.mark.regress
def test_a_host_that_takes_nothing_among_sixteen(joined):
    """Without patience, all 16 stop within 1,000 cycles; with it, 15 go on."""
    values = SQUARE | {"topology": "torus:2x2x4", "flit": 72}
    assert joined("joined_bench", whole, values, UNTAKEN, packets=20, quiet=200, cycles=1000, alone=8000) == 1


@pytest.mark.regress
def test_four_switches(joined):
    assert joined("joined_bench", whole, SQUARE, JOINED, packets=100, ber=5e-4, quiet=120) == 2


@pytest.mark.regress
@pytest.mark.parametrize(("ber", "stall"), [(1e-3, 0.2), (1e-6, 0)])
def test_two_switches(joined, ber, stall):
    assert joined("joined_bench", whole, TORUS, JOINED, packets=1500, ber=ber, stall=stall) == 2


@pytest.mark.regress
@pytest.mark.parametrize(("ber", "stall"), [(1e-4, 0.2), (1e-3, 0)])
def test_two_switches_with_retransmission(joined, ber, stall):
    retry = TORUS | {"retry": True, "round_trip": 16}
    assert joined("joined_bench", whole, retry, JOINED, packets=1500, ber=ber, stall=stall) == 2


@pytest.mark.regress
def test_ring_of_four(joined):
    assert joined("joined_bench", whole, TORUS | {"topology": "torus:4", "hosts": 1}, JOINED, packets=1500, ber=1e-4) == 2


@pytest.mark.regress
@pytest.mark.parametrize(("ber", "retry"), [(1e-3, False), (1e-4, True)])
def test_two_switches_with_pools(joined, ber, retry):
    """Channels of a line share a RAM; broken packets and new sessions lose none of its words."""
    pools = TORUS | {"channels": "dim0=2", "pool": "dim0=18"} | ({"retry": True, "round_trip": 16} if retry else {})
    assert joined("joined_bench", whole, pools, JOINED, packets=1500, ber=ber) == 2


@pytest.mark.regress
@pytest.mark.parametrize("link", ["strict", "selected"])
def test_two_switches_on_other_links(joined, link):
    """RS(528,514) corrects all wrong bits of 1e-4; at 1e-3, one codeword in six is uncorrectable."""
    values = TORUS | {"link": link, "hosts": 1}
    assert joined("joined_bench", whole, values, JOINED, packets=600, ber=1e-4, breaks=1e-3) == 2
    assert joined("joined_bench", whole, values, JOINED[1:], packets=600, ber=8e-4, breaks=5e-4) == 1


@pytest.mark.regress
def test_two_switches_on_the_strict_link_with_retransmission(joined):
    values = TORUS | {"link": "strict", "hosts": 1, "retry": True}
    assert joined("joined_bench", whole, values, JOINED, packets=600, ber=6e-4, breaks=5e-4) == 2
