"""Graphs with hosts in their files, in hardware: every pair of hosts, by rules, by loaded tables, and in whole switches."""

import json

import pytest

RING, TREE = "tests/graphs/ring7_hosts.anynet", "tests/graphs/leafspine_hosts.graphml"
PAIRS = 6 * 5


@pytest.mark.parametrize(
    ("graph", "options"),
    [
        pytest.param(RING, "", marks=pytest.mark.regress),
        (TREE, "--lookup table"),
        pytest.param(RING, "--lookup table --layers 2 --kind direct", marks=pytest.mark.regress),
        pytest.param(TREE, "--block switch", marks=pytest.mark.regress),
    ],
    ids=["rules", "table", "layers", "switch"],
)
def test_every_pair_of_hosts(run, root, graph, options):
    """The engine checks that each packet arrives at its host. Switches have 0 to 3 hosts."""
    status, out, err = run(
        *("simulate", "--topology", f"graph:{root / graph}", "--pattern", "all-to-all:2", "--packet", 2, "--depth", 4),
        *("--format", "json", *options.split()),
    )
    assert status == 0, err
    found = json.loads(out)
    assert found["network"]["hosts"] == 6
    assert found["points"][0]["packets"] == PAIRS


def test_hosts_of_a_pattern_have_the_order_of_their_keys(root):
    from dsnswitch.net.topology.registry import parse_network
    from dsnswitch.sim.network.workload.patterns import pattern

    network = parse_network(f"graph:{root / RING}").fabric
    # Host 4 is the second of switch 0 after host 1, and host 0 is at switch 1: places are switch * 2 + number.
    assert network.host_places(2) == [((1,), 0), ((0,), 0), ((3,), 0), ((5,), 0), ((0,), 1), ((6,), 0)]
    found = pattern("neighbour", network, 2, 4)["destinations"].tolist()
    assert found == [6, 12, 0, -1, -1, -1, 10, -1, -1, -1, 1, -1, 2, -1]
