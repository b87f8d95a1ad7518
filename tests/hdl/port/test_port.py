"""Two fabric ports joined by a line: emitted Verilog against the golden model of the line, with wrong bits and faults."""

import pytest

FAULTS = "port_fault_bench"


def test_line_is_legal(joined):
    assert joined(["line_is_legal"], packets=40) == 1


def test_latency(joined):
    assert joined(["flits_take_one_cycle_each_way"], stall=0) == 1


@pytest.mark.parametrize("ber", [1e-3, *(pytest.param(ber, marks=pytest.mark.regress) for ber in (1e-4, 1e-5))])
def test_random_traffic(joined, ber):
    assert joined(["random_traffic"], packets=150, ber=ber, delay=7) == 1


def test_account_is_exact(joined):
    """Up to two wrong bits in a codeword: each is corrected or flagged, and every packet is good or counted."""
    assert joined(["random_traffic"], packets=100, ber=2e-3, most=2) == 1


@pytest.mark.parametrize("ber", [2e-3, *(pytest.param(ber, marks=pytest.mark.regress) for ber in (1e-3, 1e-4))])
def test_without_pauses(joined, ber):
    """Cores that offer a flit in each cycle: a pause ends a frame, and hides what happens in an open one."""
    assert joined(["random_traffic"], packets=100, ber=ber, most=2, stall=0) == 1


#: A port that offers flits before they are corrected.
EARLY = {"speculate": "on"}


def test_early_flits(joined):
    tests = ["flits_take_one_cycle_each_way", "random_traffic"]
    assert joined(tests, values=EARLY, reader=False, packets=60, ber=2e-3, most=2, stall=0) == 2


@pytest.mark.regress
@pytest.mark.parametrize(("stall", "retry"), [(0.3, False), (0, True)])
def test_early_flits_with_faults(joined, stall, retry):
    """Afterwards all packets are good: with two wrong bits in a codeword by retransmission, with one by correction."""
    tests = ["cable_is_pulled", "one_direction_is_cut", "peer_is_stuck", "one_side_is_reset"]
    more = {"values": EARLY | {"retry": retry}, "ber": 1e-3, "most": 1 + retry}
    assert joined(tests, bench=FAULTS, optimise="-O1", packets=60, stall=stall, **more) == 4


@pytest.mark.regress
def test_line_that_stalls(joined):
    assert joined(["random_traffic"], packets=60, ber=1e-4, line_stall=0.4) == 1


def test_cable_and_resets(joined):
    tests = ["cable_is_pulled", "one_direction_is_cut", "peer_is_stuck", "one_side_is_reset"]
    assert joined([*tests, "peer_takes_nothing", "counts_are_lost"], bench=FAULTS, packets=25) == 6


SLOW = pytest.mark.regress


@pytest.mark.parametrize(
    ("stall", "delay", "values"),
    [
        pytest.param(0.3, 0, {}, marks=SLOW),
        pytest.param(0, 10, {}, marks=SLOW),
        (0.3, 0, {"retry": True}),
        pytest.param(0, 0, {"retry": True}, marks=SLOW),
    ],
)
def test_resets_are_counted(joined, stall, delay, values):
    tests = ["lost_packets_of_a_reset_are_counted"]
    assert joined(tests, bench=FAULTS, values=values, reader=False, packets=60, stall=stall, delay=delay) == 1


@pytest.mark.parametrize("stall", [0.3, pytest.param(0, marks=pytest.mark.regress)])
def test_line_is_looped(joined, stall):
    assert joined(["line_is_looped"], bench=FAULTS, packets=25, stall=stall) == 1


@pytest.mark.regress
def test_line_is_looped_with_retransmission(joined):
    assert joined(["line_is_looped"], bench=FAULTS, packets=25, values={"retry": True}) == 1


def test_silent_lines(joined):
    """The link goes down without words, although nothing that arrives shows it."""
    assert joined(["no_words_arrive", "peer_stays_in_reset"], bench=FAULTS, packets=25) == 2


@pytest.mark.regress
def test_cable_and_resets_without_pauses(joined):
    tests = ["cable_is_pulled", "one_direction_is_cut", "peer_is_stuck", "one_side_is_reset"]
    assert joined(tests, bench=FAULTS, packets=60, stall=0) == 4


def test_cable_in_the_wrong_port(joined):
    assert joined(["cable_in_the_wrong_port"], bench=FAULTS, packets=10) == 1


@pytest.mark.regress
def test_parameters_that_differ(joined):
    more = {"depth": 14, "packet": 6, "flit": 128, "channels": "local=2", "retry": True}
    names = ["version", "flit", "channels", "depth", "packet", "replay"]
    assert joined(["other_parameters_differ"], "-other", bench=FAULTS, other=more, version=9, differs=names) == 1


#: Two virtual networks, the first with two channels per class, and small flits.
NETWORKS = {"topology": "torus:3", "flit": 48, "virtual_networks": 2, "channels": "dim0=2/1"}


def test_virtual_networks(joined):
    """Packets with wrong bits and without pauses; a virtual network that waits stops no other; resets."""
    more = {"values": NETWORKS, "reader": False, "packets": 25}
    assert joined(["random_traffic"], **more, ber=2e-3, most=2, stall=0) == 1
    assert joined(["one_network_takes_nothing", "one_side_is_reset"], bench=FAULTS, **more) == 2


@pytest.mark.regress
def test_virtual_networks_on_the_line(joined):
    """The model of the line reads flits of three virtual networks."""
    assert joined(["line_is_legal"], values=NETWORKS | {"virtual_networks": 3, "channels": "1"}, packets=25) == 1


@pytest.mark.regress
@pytest.mark.parametrize("stall", [0.3, 0])
def test_virtual_networks_with_retransmission(joined, stall):
    values = NETWORKS | {"retry": True, "virtual_networks": 3, "channels": "1"}
    tests = ["one_network_takes_nothing", "cable_is_pulled", "one_side_is_reset", "counts_are_lost"]
    assert joined(tests, bench=FAULTS, values=values, reader=False, packets=25, stall=stall) == 4


@pytest.mark.regress
@pytest.mark.parametrize("link", ["strict", "selected"])
def test_virtual_networks_on_other_links(joined, link):
    """A line that does not take a block in each cycle describes every virtual network."""
    assert joined(["random_traffic"], values=NETWORKS | {"link": link}, reader=False, packets=40, ber=1e-5) == 1


#: What differs in the second port; what each end names, and the virtual networks of which it says that sizes differ.
OTHERS = {
    "channels": ({"channels": "dim0=1/1"}, [["channels"]] * 2, [1, 1]),
    "depth": ({"pool": "dim0=0/5"}, [["depth"]] * 2, [2, 2]),
    "both": ({"channels": "dim0=1/2", "pool": "dim0=0/40"}, [["channels", "depth"]] * 2, [3, 3]),
    "number": (
        {"virtual_networks": 3, "channels": "dim0=2/1/1"},
        [["channels", "depth", "virtual_networks"], ["virtual_networks"]],
        [0, 0],
    ),
    # The only virtual network of the other end is the first of this one.
    "one": ({"virtual_networks": 1, "channels": "dim0=2"}, [["version", "virtual_networks"], ["version"]], [0, None]),
}


@pytest.mark.parametrize(
    "name", ["depth", *(pytest.param(name, marks=pytest.mark.regress) for name in OTHERS if name != "depth")]
)
def test_virtual_networks_that_differ(joined, name):
    other, differs, networks = OTHERS[name]
    values = NETWORKS | ({"channels": "dim0=2/2"} if name == "one" else {})
    more = {"other": NETWORKS | other, "reader": False, "packets": 10}
    assert joined(["networks_differ"], f"-{name}", bench=FAULTS, values=values, **more, differs=differs, networks=networks) == 1


@pytest.mark.regress
def test_credits_at_full_speed(joined):
    """Buffers of two longest packets of 33 flits, as in the core's default."""
    more = {"packet": 33, "depth": 66}
    assert joined(["counts_are_urgent"], values=more, stall=0, packets=30, least=0.8) == 1
