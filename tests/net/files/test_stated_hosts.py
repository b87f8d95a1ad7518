"""Hosts of edge lists and adjacency lists: stated with the name of the file or by rows of kind host, for every command."""

import json

import pytest

from dsnswitch.net.files.export import export
from dsnswitch.net.files.options import SIMULATED
from dsnswitch.net.files.parameters import fabric
from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.network.experiment.experiment import experiment

#: Three hosts at two of four switches in a ring.
RING = "l0 l1\nl1 l2\nl2 l3\nl3 l0\n"
PLAIN = "0 l0\n1 l0\n2 l1\n" + RING
ROWS = "0 l0 host\n1 l0 host -\n2 l1 host\n" + RING
NEIGHBOURS = "0 l0\n1 l0\n2 l1\nl0 0 1 l1 l3\nl1 2 l0 l2\nl2 l1 l3\nl3 l2 l0\n"


@pytest.fixture
def file(tmp_path):
    def make(text, name="net"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return make


@pytest.mark.parametrize(("text", "more"), [(PLAIN, ",hosts=3"), (ROWS, ""), (ROWS, ",hosts=3"), (NEIGHBOURS, ",hosts=3")])
def test_hosts_are_no_switches_anywhere(file, text, more):
    spelling = f"graph:{file(text)}{more}"
    network = parse_network(spelling)
    assert (network.names, [*network.hosts]) == (("l0", "l1", "l2", "l3"), ["0", "1", "2"])
    assert network.spelling == spelling
    core = fabric({"topology": spelling})
    assert [core.hosts_of(switch) for switch in core.switches()] == [2, 1, 0, 0]
    # A manifest names the network by its spelling.
    assert parse_network(core.spelling).fabric.most_hosts == 2
    assert experiment(SIMULATED | {"topology": spelling}).hosts == 3


def test_every_command_takes_them(run, file):
    spelling = f"graph:{file(PLAIN)},hosts=3"
    status, out, _ = run("check", "--topology", spelling)
    assert (status, out.splitlines()[0].split()) == (0, ["nodes", "4"])
    status, out, _ = run("topology", "--topology", spelling, "--format", "json")
    assert (status, len(json.loads(out)["nodes"]), len(json.loads(out)["hosts"])) == (0, 4, 3)
    status, out, _ = run("table", "--topology", spelling, "--format", "json")
    assert (status, sorted(json.loads(out)["destinations"])) == (0, ["0", "1", "2"])
    status, _, err = run("verilog", "--block", "switch-core", "--topology", spelling, "--hosts", 3)
    assert status == 2
    assert f"Hosts of {spelling} are those of its file, 2 at most, not 3" in err


def test_a_comment_is_a_comment(file):
    """Only what stands in rows or with the name of the file counts."""
    found = read_graph(file("# Vertices 0 to 2 are hosts: read this file with hosts=3.\n" + PLAIN))
    assert not found.hosts
    assert len(found.names) == 7


#: Each link in both directions.
BOTH = PLAIN + "".join(" ".join(reversed(line.split())) + "\n" for line in PLAIN.splitlines())


@pytest.mark.parametrize(
    ("text", "noted"), [(PLAIN, True), (BOTH, True), (NEIGHBOURS, True), (ROWS, False), (RING, False), ("0 1\n1 2\n", False)]
)
def test_likely_hosts_are_noted(file, capsys, text, noted):
    read_graph(path := file(text))
    expected = "vertices 0 to 2 count as switches, with one link each; if they are hosts, say FILE,hosts=3"
    merged = "each link is listed once in each direction: both are one link"
    notes = [merged] * (text == BOTH) + [expected] * noted
    assert capsys.readouterr().err == "".join(f"dsnswitch: {path}: {text}\n" for text in notes)


def test_a_file_may_have_a_name_that_states_hosts(file):
    assert not read_graph(file(RING, "ring,hosts=2")).hosts


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (PLAIN, ",hosts=3,hosts=2", "hosts of .*net must be stated once, not as 3 and as 2"),
        (ROWS, ",hosts=2", "net has 3 hosts in lines of kind host, not 2"),
        (PLAIN, ",hosts=4", "host 3 has no link"),
        (PLAIN, ",hosts=x", "cannot be read"),
        ("graph { a -- b }", ",hosts=1", "take a number of hosts, not dot"),
        ("0 l0 host\n0 l1 host\nl0 l1\n", "", "host 0 must have one link, to a switch, not l0, l1"),
        ("0 l0 guest\nl0 l1\n", "", "a link must have two ends, not '0 l0 guest'"),
    ],
)
def test_hosts_that_contradict_the_file(file, text, more, message):
    with pytest.raises(UsageError, match=message):
        read_graph(f"{file(text)}{more}")


@pytest.mark.parametrize("form", ["anynet", "simgrid", "ibnetdiscover"])
@pytest.mark.parametrize("spelling", ["fattree:k=4,levels=2", "hyperx:2x3,p=2", "torus:3"])
def test_files_have_the_hosts_of_the_topology(tmp_path, spelling, form):
    network, path = parse_network(spelling), tmp_path / "net"
    path.write_text(export(network, form))
    found = read_graph(path)
    at = {int(name.split()[-1].split(",")[0]): found.hosts_of(found.parse_switch(name)) for name in found.names}
    if spelling.startswith("hyperx"):
        assert sorted(map(found.hosts_of, found.switches())) == [2] * 6
    else:
        assert at == {network.number(switch): network.hosts_of(switch) for switch in network.switches()}


@pytest.mark.regress
def test_a_note_is_printed_once(run, file):
    """A simulation reads the file for its options, its core and its manifest."""
    words = ("simulate", "--topology", f"graph:{file(PLAIN)}", "--packet", 1, "--depth", 2, "--pattern", "all-to-all:1")
    for _ in range(2):
        status, _, err = run(*words)
        assert (status, err.count("if they are hosts")) == (0, 1)
