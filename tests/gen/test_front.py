"""The front door in Python: light at the start, and its answers are those of the commands."""

import json
import subprocess
import sys

import networkx
import pytest

import dsnswitch
from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.network import Network

NET = dsnswitch.network("grid:2x2:k4x2")


def test_importing_the_package_loads_nothing():
    text = "import dsnswitch, sys; print(dsnswitch.__version__, [name for name in sys.modules if 'dsnswitch.' in name])"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == f"{dsnswitch.__version__} ['dsnswitch.gen', 'dsnswitch.gen.version']\n"


def test_answers_are_those_of_the_commands(run):
    words = ("-p", 1, "--from", "0,0,1", "--to", "1,1,6", "--format", "json")
    hops = json.loads(run("route", *words)[1])["hops"]
    found = NET.route((0, 0, 1), (1, 1, 6))
    assert [list(hop.target) for hop in found] == [hop["target"] for hop in hops]
    _, out, _ = run("table", "-p", 1, "--node", "0,0,1", "--keys", "relative", "--format", "json")
    assert NET.table(node=(0, 0, 1), keys="relative") == json.loads(out)


def test_the_graph_has_every_link_with_its_ports():
    graph = NET.to_networkx()
    assert isinstance(NET.graph, Network)
    assert (len(graph), graph.number_of_edges()) == (NET.graph.nodes, NET.graph.link_count)
    assert networkx.is_connected(graph)
    for a, b, ports in graph.edges(data="ports"):
        index = next(port.index for port in NET.graph.ports if port.name == ports[a])
        assert NET.graph.neighbour(a, index)[0] == b


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dsnswitch.network("grod:2x2"), "There is no topology 'grod'; did you mean grid"),
        (lambda: NET.route((0, 0, 1), (9, 9, 9)), r"Switch must be an address of grid:2x2:k4x2, not \(9, 9, 9\)"),
        (lambda: NET.route((0, 0, 1), (1, 1, 6), "any"), "must be .*, not any"),
        (lambda: NET.table(keys="none"), "'none' is not one of"),
        (lambda: NET.simulate(load=2), "must be above 0 and at most 1"),
        (lambda: NET.simulate(lode=1), "No such option"),
        (lambda: NET.verilog("rtl", block="swich"), "There is no block 'swich'; did you mean switch"),
    ],
)
def test_wrong_words(call, message):
    with pytest.raises(UsageError, match=message):
        call()
