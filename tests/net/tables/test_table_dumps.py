"""Tables as a dump of OpenSM: written, read back, and checked against the fabric; tables of a graph for switch cores."""

import json
import re

import pytest
from forwarding_dumps import SUBNET, parsed
from wirings import keys

from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.topology.registry import parse_network


@pytest.fixture
def dumped(run, root, tmp_path):
    """A function that writes the dump of the subnet after ``change`` of its text, and returns the options that check it."""

    def make(change=lambda text: text):
        status, text, err = run("table", "--topology", f"graph:{root / SUBNET}", "--format", "lft")
        assert status == 0, err
        path = tmp_path / "dump"
        path.write_text(change(text))
        return "table", "--topology", f"graph:{root / SUBNET}", "--load", path

    return make


def test_a_dump_is_that_of_the_tables(run, root, dumped):
    """Every LID has the port number of the file at each switch; the check walks all pairs and reports the load."""
    graph = read_graph(root / SUBNET)
    made, numbers = compile_tables(graph), {}
    status, out, err = run(*dumped(), "--format", "json")
    assert status == 0
    assert "given, 1 virtual channel; hops" in err
    found = json.loads(out)
    assert found["load"] == {"max": int(made.walked.load.max()), "ideal": 5}
    lids = {one.lid: name for name, one in graph.ids.items()}
    switch = None
    for line in dumped()[-1].read_text().splitlines():
        words = line.split()
        if line.startswith("Unicast"):
            switch = line.rpartition("(")[2].removesuffix("):")
        elif words[0].startswith("0x"):
            numbers[switch, lids[int(words[0], 16)]] = int(words[1])
    for switch in graph.switches():
        label = graph.spell_switch(switch)
        for host, key in keys(made.wiring).items():
            action = made.tables[graph.number(switch)].lookup(key)
            assert numbers[label, host] == graph.port_numbers(switch)[action]
        assert numbers[label, label] == 0
    assert len(numbers) == 5 * (5 + 6)


BAD = {
    # leaf1 sends packets for e (LID 10) to spine1, which sends them back: a loop.
    "loop": (lambda t: re.sub(r"(?s)(\(spine1\):.*?0x000a) 003", r"\1 001", t), 1, "is lost in the loop"),
    "dead end": (lambda t: t.replace("0x000b 003", "# 0x000b 003", 1), 1, "which has no action for key 5"),
    "wrong host": (
        lambda t: t.replace("0x0006 001", "0x0006 002", 1),
        1,
        "leaf1 to a is lost at leaf1, port 1, which leads to host b",
    ),
    "early": (lambda t: t.replace("0x0007 002", "0x0007 000", 1), 1, "b is lost at leaf1, where it counts as arrived"),
    "own": (lambda t: t.replace("0x0001 000", "0x0001 003", 1), 1, "leaf1 to leaf1 is lost in the loop leaf1 > spine1"),
    "switch": (
        lambda t: t.replace("0x0004 003", "# 0x0004 003", 1),
        1,
        "leaf1 to spine1 is lost at leaf1, which has no action for LID 4",
    ),
    "port": (
        lambda t: t.replace("0x0006 001", "0x0006 009", 1),
        2,
        "leaf1 sends packets for LID 6 to port 9, which has no cable",
    ),
    "lid": (lambda t: t.replace("0x0006", "0x0066", 1), 2, "line 9: a LID must be one of the fabric, not '0x0066'"),
    "twice": (lambda t: t.replace("0x0007", "0x0006", 1), 2, "line 10: a LID must have one port"),
    "guid": (lambda t: t.replace("guid 0x0000000000000001", "guid 0x99"), 2, "line 1: a table must be of a switch"),
    "table": (lambda t: t[t.index("Unicast", 5) :], 2, "has no table of leaf1"),
    "line": (lambda t: t + "0x1 nowhere\n", 2, "expected an entry such as 0x0001 001"),
}


@pytest.mark.parametrize(("change", "code", "part"), BAD.values(), ids=BAD)
def test_faults_of_a_dump(run, dumped, change, code, part):
    status, out, err = run(*dumped(change))
    assert (status, out) == (code, "")
    assert part in err.replace("\n", " ")


def test_a_dump_needs_hosts_and_one_channel(run, root, dumped):
    words = dumped()
    status, _, err = run("table", "--topology", f"graph:{root / 'examples/net.graphml'}", *words[3:])
    assert (status, "names none" in err) == (2, True)
    ring = root / "tests/graphs/ring7_hosts.anynet"
    status, _, err = run("table", "--topology", f"graph:{ring}", "--classes", 2, "--format", "lft")
    assert (status, "has one virtual channel, not 2" in err) == (2, True)
    status, _, err = run("table", "-p", 1, "--format", "lft")
    assert (status, "A dump for OpenSM is of a graph" in err) == (2, True)


def test_a_network_without_named_hosts_has_one_at_each_switch(run):
    status, out, _ = run("table", "--topology", "torus:3", "--routing", "turns", "--format", "lft")
    assert status == 0
    # Switches have the LIDs 1 to 3, hosts 4 to 6, at the port after those of links.
    assert list(parsed(out).items())[:6] == [(("0x0000000000000001", lid), port) for lid, port in FIRST.items()]


#: Ports of the first switch of a ring of three.
FIRST = {1: 0, 2: 1, 3: 2, 4: 3, 5: 1, 6: 2}


def test_keys_of_switch_cores(run, root):
    """With --keys switch, keys are numbers of switches, hosts have no ports, and loads count hosts."""
    graph = root / "tests/graphs/leafspine_hosts.graphml"
    status, out, err = run("table", "--topology", f"graph:{graph}", "--keys", "switch", "--format", "json")
    assert status == 0, err
    found = json.loads(out)
    assert found["destinations"] == {"leaf1": 0, "leaf2": 1, "leaf3": 2}
    assert found["ports"]["leaf1"] == ["spine1", "spine2"]
    # Each of two hosts at leaf1 and three at leaf3, in both directions, over one spine.
    assert found["load"]["max"] >= 6
    fabric = parse_network(f"graph:{graph}").fabric
    assert found["load"]["max"] == compile_tables(fabric).walked.load.max()
