"""Retransmission of the fabric link: with wrong bits on the line nothing is lost, nothing arrives twice, and order is kept."""

import pytest

#: Round trip of the bench: two cables of seven cycles, and both ends.
RETRY = {"retry": True, "round_trip": 32}


def test_nothing_is_lost(joined):
    """Up to two wrong bits in a codeword, so that all of them are corrected or flagged; and what does not depend on them."""
    tests = ["nothing_is_lost", "flits_take_one_cycle_each_way", "a_flit_that_never_arrives"]
    narrow = RETRY | {"flit": 64}
    assert joined(tests, values=narrow, reader=False, packets=25, ber=2e-3, most=2, delay=7, broken=20) == 3


def test_nothing_is_lost_if_nothing_is_corrected(joined):
    """Any number of wrong bits: each codeword with one is counted as uncorrectable, and none is missed."""
    values = {"retry": True, "packet": 33, "depth": 160, "flit": 64, "detect": True}
    more = {"packets": 20, "ber": 5e-4, "delay": 7, "broken": 20}
    assert joined(["nothing_is_lost"], values=values, patience=4096, reader=False, **more) == 1


@pytest.mark.regress
@pytest.mark.parametrize("stall", [0.3, 0])
def test_nothing_is_lost_with_early_flits(joined, stall):
    values = RETRY | {"flit": 64, "speculate": "on"}
    errors = {"ber": 2e-3, "most": 2, "delay": 7, "broken": 20}
    assert joined(["nothing_is_lost"], values=values, reader=False, optimise="-O1", packets=500, stall=stall, **errors) == 1


@pytest.mark.regress
def test_line_is_legal(joined):
    assert joined(["line_is_legal"], values=RETRY, packets=25) == 1


@pytest.mark.regress
@pytest.mark.parametrize("ber", [1e-3, 1e-5])
def test_nothing_is_lost_in_many_flits(joined, ber):
    """More than 10^5 flits. Codewords with more wrong bits may be missed, and may change what is in them."""
    errors = {"ber": ber, "delay": 7, "broken": int(5e4 * ber)}
    assert joined(["nothing_is_lost"], values=RETRY, optimise="-O1", packets=12_000, **errors) == 1


@pytest.mark.regress
@pytest.mark.parametrize("packet", [5, 33])
def test_nothing_is_lost_without_pauses(joined, packet):
    values = RETRY | {"flit": 64, "packet": packet, "depth": 3 * packet}
    errors = {"ber": 2e-3, "most": 2, "delay": 7, "broken": 20}
    assert joined(["nothing_is_lost"], values=values, reader=False, packets=200, stall=0, **errors) == 1


@pytest.mark.regress
@pytest.mark.parametrize(("stall", "seed"), [(0.3, 1), (0.3, 14), (0, 15)])
def test_cable_and_resets(joined, stall, seed):
    """Seeds 14 and 15 have replays while flits are in doubt."""
    tests = ["cable_is_pulled", "one_direction_is_cut", "peer_is_stuck", "one_side_is_reset"]
    more = {"packets": 25, "ber": 1e-3, "most": 2, "stall": stall, "seed": seed}
    assert joined(tests, f"-{seed}", bench="port_fault_bench", values=RETRY, optimise="-O1", **more) == 4
