"""The benchmark of simulations: the same packets in the simulator and in Verilator's instances."""

import re

import pytest

from dsnswitch.sim.verilated.network import Network


@pytest.mark.regress
def test_speeds(run, monkeypatch):
    """Each rate is printed. A packet that arrives in another cycle is an error."""
    status, out, err = run("speed", "--topology", "torus:2", "--seconds", 1)
    assert (status, err) == (0, "")
    assert re.fullmatch(r"(avx512 .*\n)?generic +[\d,]+ cycles .*\nVerilator +[\d,]+ cycles .*\n", out)
    replay = Network.replay
    monkeypatch.setattr(Network, "replay", lambda network, trace: replay(network, trace)[1:])
    status, out, err = run("speed", "--topology", "torus:2", "--seconds", 1)
    assert (status, out) == (2, "")
    assert err.endswith("The packets of the engine and of Verilator's instances differ\n")
