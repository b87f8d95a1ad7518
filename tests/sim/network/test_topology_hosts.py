"""Hosts of a simulated network are those of its topology, unless the topology leaves their number open."""

import json

import pytest

from dsnswitch.gen.config import build
from dsnswitch.net.files.options import SIMULATED
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.experiment.experiment import experiment

#: ``(topology, hosts of a switch that are asked for, switches with hosts, hosts of each)``.
NUMBERS = [
    ("hyperx:4x4,p=3", None, 16, 3),
    ("hyperx:4x4", None, 16, 1),
    ("hyperx:4x4", 5, 16, 5),
    ("flattened-butterfly:k=3,n=2", None, 3, 3),
    ("fattree:k=4", None, 8, 2),
    ("fattree:k=48,levels=2", None, 48, 24),
    ("tree:k=2,n=3", None, 4, 2),
    ("butterfly:k=2,n=3", None, 8, 2),
    ("mlfm:h=3", None, 12, 3),
    ("mlfm:h=3", 1, 12, 1),
    ("oft:k=4", None, 26, 4),
    ("slimfly:q=13", None, 338, 9),
    ("slimfly:q=13", 1, 338, 1),
    ("dragonfly:a=4,h=2", None, 36, 2),
    ("dragonfly:a=4,h=2", 32, 36, 32),
    ("permuted:cabinet=4:fattree:k=4", None, 8, 2),
    ("permuted:cabinet=4:dragonfly:a=4,h=2", 3, 36, 3),
    ("torus:4x4", None, 16, 1),
    ("torus:4x4", 12, 16, 12),
]


@pytest.mark.parametrize(("topology", "hosts", "switches", "each"), NUMBERS)
def test_hosts_are_those_of_the_topology(topology, hosts, switches, each):
    given = {"topology": topology} | ({"hosts": hosts} if hosts else {})
    shape = build({"block": "switch-core", "lookup": "table", "kind": "direct", **given}).shape
    assert (shape.hosts, shape.host_ports) == (each, each)
    found = experiment(SIMULATED | given) if shape.network.nodes <= 64 else None
    assert found is None or found.hosts == switches * each


@pytest.mark.parametrize(
    ("topology", "node", "ports"),
    [("fattree:k=4,levels=2", "0", 2), ("fattree:k=4,levels=2", "4", 0), ("hyperx:3x3,p=5", "1,1", 5)],
)
def test_a_switch_has_the_hosts_that_the_topology_gives_it(topology, node, ports):
    core = build({"block": "switch-core", "topology": topology, "node": node})
    assert core.shape.host_ports == ports


@pytest.mark.parametrize(
    ("topology", "hosts", "message"),
    [
        ("hyperx:4x4,p=3", 4, "Hosts of a switch of hyperx:4x4,p=3 must be 3, as the topology says, not 4"),
        ("fattree:k=4", 1, "Hosts of a switch of fattree:k=4,levels=3 must be 2, as the topology says, not 1"),
        ("permuted:cabinet=4:tree:k=2,n=3", 1, "Hosts of a switch of tree:k=2,n=3 must be 2, as the topology says"),
        ("torus:4x4", 65, "hosts must be in 1..64, not 65"),
    ],
)
def test_hosts_that_contradict_the_topology(topology, hosts, message):
    with pytest.raises(UsageError, match=message):
        build({"block": "switch-core", "topology": topology, "hosts": hosts})


def test_simulate_refuses_hosts_that_contradict_the_topology(run):
    status, out, err = run("simulate", "--topology", "oft:k=3", "--hosts", 2)
    assert (status, out) == (2, "")
    assert "Hosts of a switch of oft:k=3 must be 3, as the topology says, not 2" in err


@pytest.mark.regress
def test_every_pair_of_32_hosts_of_a_switch(run):
    """Two switches with 32 hosts each; the engine checks that each packet arrives at its host."""
    status, out, err = run(
        *("simulate", "--topology", "torus:2", "--hosts", 32, "--pattern", "all-to-all:2", "--packet", 2, "--depth", 4),
        *("--format", "json"),
    )
    assert status == 0, err
    found = json.loads(out)
    assert found["network"]["hosts"] == 64
    assert found["points"][0]["packets"] == 64 * 63
