"""Fabric ports on lines of the strict and the selected link: emitted Verilog against the golden models of these lines."""

import pytest

FAULTS = "port_fault_bench"
STRICT = {"link": "strict"}
SELECTED = {"link": "selected"}
#: ``[words, bits]``: one burst of 140 random bits in every 200 words. RS(528,514) cannot correct such a burst.
BURST = [200, 140]


@pytest.mark.regress
def test_strict_line(joined):
    assert joined(["line_is_legal", "latency_of_single_flits"], values=STRICT, packets=30) == 2


@pytest.mark.regress
@pytest.mark.parametrize(("ber", "counted"), [(4e-4, {}), (1e-3, {"bad_packets": 3, "lost_packets": 3})])
def test_strict_line_with_wrong_bits(joined, ber, counted):
    """RS(528,514) corrects what the light link could not. Bursts are flagged, and end as bad or lost packets."""
    errors = {"ber": ber, "delay": 7, **({"burst": BURST} if counted else {})}
    assert joined(["random_traffic"], values=STRICT, packets=600, counted=counted, **errors) == 1


@pytest.mark.regress
def test_strict_line_that_fails(joined):
    tests = ["cable_is_pulled", "one_direction_is_cut", "peer_is_stuck", "one_side_is_reset", "peer_takes_nothing"]
    tests += ["no_words_arrive", "peer_stays_in_reset", "cable_in_the_wrong_port"]
    assert joined(tests, values=STRICT, bench=FAULTS, packets=25) == 8


@pytest.mark.regress
@pytest.mark.parametrize(
    ("values", "strict", "retry"),
    [(STRICT, 1, False), (SELECTED, 1, True), (SELECTED, 0, True), (SELECTED, 0, False)],
    ids=["strict-lossy", "selected-strict-retry", "selected-light-retry", "selected-light-lossy"],
)
def test_resets_of_one_side(joined, values, strict, retry):
    more = {"packets": 100, "stall": 0, "rounds": 4, "strict": [strict] * 2}
    values = values | {"retry": retry}
    tests = ["lost_packets_of_a_reset_are_counted", "one_side_is_reset"]
    assert joined(tests, f"-{strict}", values=values, bench=FAULTS, reader=False, **more) == 2


@pytest.mark.regress
@pytest.mark.parametrize("values", [STRICT, STRICT | {"retry": True}, SELECTED], ids=["strict", "retry", "selected"])
def test_looped_line(joined, values):
    assert joined(["line_is_looped"], values=values, bench=FAULTS, packets=25, stall=0) == 1


@pytest.mark.regress
def test_strict_line_with_retransmission(joined):
    tests = ["nothing_is_lost", "line_is_legal", "a_flit_that_never_arrives"]
    values = STRICT | {"retry": True}
    assert joined(tests, values=values, packets=400, ber=4e-4, burst=BURST, delay=7, broken=20) == 3


@pytest.mark.regress
@pytest.mark.parametrize("link", [STRICT, SELECTED], ids=["strict", "selected"])
def test_full_rate(joined, link):
    """With the depth that the manifest advises, one channel alone fills 20 of 33 cycles, but for its first and last flit."""
    values = link | {"packet": 33, "depth": 192}
    packets = 60 if link is STRICT else 30
    least = 33 * packets / (33 * packets * 33 / 20 + 350)
    assert joined(["counts_are_urgent"], values=values, reader=False, stall=0, packets=packets, delay=1, least=least) == 1


@pytest.mark.regress
@pytest.mark.parametrize("strict", [1, 0], ids=["strict", "light"])
def test_selected_line(joined, strict):
    tests = ["line_is_legal", "formats_change"]
    assert joined(tests, f"-{strict}", values=SELECTED, packets=20, strict=[strict] * 2) == 2


@pytest.mark.regress
@pytest.mark.parametrize("strict", [1, 0], ids=["strict", "light"])
def test_selected_line_with_wrong_bits(joined, strict):
    errors = {"ber": 4e-4, "burst": BURST} if strict else {"ber": 5e-4, "most": 1}
    assert joined(["random_traffic"], f"-{strict}", values=SELECTED, packets=60, strict=[strict] * 2, **errors) == 1


@pytest.mark.regress
def test_selected_line_with_retransmission(joined):
    values = SELECTED | {"retry": True}
    tests = ["nothing_is_lost", "formats_change"]
    assert joined(tests, values=values, reader=False, packets=50, ber=4e-4, burst=BURST, delay=7, broken=3) == 2


@pytest.mark.regress
@pytest.mark.parametrize(("link", "other", "more"), [(STRICT, "light", {}), (STRICT, "selected", {"joins": True})])
def test_ends_with_other_codes(joined, link, other, more):
    parameters = {"second": other, "strict": [1, 0], **more}
    ends = {"values": link, "other": {"link": other}, "reader": False}
    assert joined(["other_code"], f"-{other}", **ends, packets=5, **parameters) == 1
