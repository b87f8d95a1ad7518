"""The format of a graph's file is stated in the same way for every command."""

import pytest

from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.registry import parse_network

#: A path 0-1-2 of LGL, or a star around 1.
TEXT = "# 0\n1 1\n2 1\n"

#: Words of commands that take the network of a text, and need no tool.
WORDS = {
    "topology": (),
    "check": (),
    "load": (),
    "faults": ("--rate", "0"),
    "deadlock": (),
    "route": ("--from", "hub", "--to", "a"),
    "table": (),
}


@pytest.mark.parametrize("command", WORDS)
def test_a_stated_format_is_that_of_the_file(run, tmp_path, command):
    path = tmp_path / "net"
    path.write_text("# hub\na 1\nb 1\n")
    words = command, *WORDS[command], "--topology"
    status, out, err = run(*words, f"graph:{path}")
    assert (status, out) == (2, "")
    assert "state FILE,format=edges or format=lgl" in err
    assert run(*words, f"graph:{path},format=lgl")[0] == 0
    assert "There is no format 'lgI' of graphs" in run(*words, f"graph:{path},format=lgI")[2]


def test_no_route_leads_to_a_switch_without_hosts(refuse, tmp_path):
    path = tmp_path / "net"
    path.write_text("0 a host\n1 b host\na c\nb c\n")
    line = refuse("route", "--topology", f"graph:{path}", "--from", "a", "--to", "c")
    assert line.endswith(f"No packet is sent to c of graph:{path}, which has no hosts\n")


def test_a_graph_is_spelt_with_what_was_stated(tmp_path):
    """Configurations and manifests name it so."""
    path = tmp_path / "net,with,commas"
    path.write_text("0 2\n1 2\n2 3\n")
    spelt = f"graph:{path},format=edges,hosts=2"
    graph = parse_network(spelt)
    assert (graph.spelling, len(graph.hosts)) == (spelt, 2)
    assert parse_network(f"graph:{path},hosts=2,format=edges").spelling == spelt
    assert parse_network(f"graph:{path}").spelling == f"graph:{path}"
    (tmp_path / "net,format=lgl").write_text(TEXT.replace("1\n", "\n"))
    assert read_graph(tmp_path / "net,format=lgl").title == str(tmp_path / "net,format=lgl")


def test_what_is_stated_twice_must_agree(tmp_path):
    path = tmp_path / "net"
    path.write_text("0 2\n1 2\n2 3\n")
    assert read_graph(f"{path},hosts=2,hosts=2").spelling == f"graph:{path},hosts=2"
    with pytest.raises(UsageError, match=r"format of .*net must be stated once, not as adjacency and as edges"):
        read_graph(f"{path},format=adjacency,format=edges")
