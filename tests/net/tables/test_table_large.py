"""Large graphs: time on one core, and the documented limits."""

import time

import networkx as nx
import pytest

from dsnswitch.net.messages import UsageError
from dsnswitch.net.tables.compile import MOST_SWITCHES, compile_tables
from dsnswitch.net.topology.graph import Graph


def regular(switches):
    """A random 6-regular graph."""
    return Graph("rr", [(f"{a}", f"{b}") for a, b in nx.random_regular_graph(6, switches, seed=1).edges])


def seconds(graph, classes):
    """Processor time for compiling and checking all pairs."""
    start = time.process_time()
    made = compile_tables(graph, classes)
    assert made.walked.hops.sum() == graph.nodes**2
    return time.process_time() - start


@pytest.mark.regress
def test_thousand_switches_in_a_minute():
    assert seconds(regular(1000), None) < 60


@pytest.mark.regress
def test_limit_of_switches_is_reached():
    graph = regular(MOST_SWITCHES)
    assert seconds(graph, 1) < 120


@pytest.mark.parametrize(
    ("links", "hosts", "message"),
    [
        (MOST_SWITCHES, 0, f"large must have at most 2048 switches, not {MOST_SWITCHES + 1}"),
        (1024, 4097, "large: switches times destinations must be at most 4194304, not 1025 times 4097"),
    ],
)
def test_limits(links, hosts, message):
    """A star whose hosts are attached to its centre."""
    names = [f"h{number}" for number in range(hosts)]
    edges = [*(("centre", f"s{number}") for number in range(links)), *((name, "centre") for name in names)]
    with pytest.raises(UsageError) as raised:
        compile_tables(Graph("large", edges, names))
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("edges", "switches"),
    [
        ([("hub", f"s{number}") for number in range(300)], 301),
        ([(f"s{number}", f"s{number + 1}") for number in range(400)], 401),
        (list(nx.relabel_nodes(nx.complete_graph(120), str).edges), 120),
    ],
    ids=["star", "chain", "complete"],
)
@pytest.mark.parametrize("classes", [1, None])
def test_extreme_shapes(edges, switches, classes):
    """Many ports, a long diameter, or many channels."""
    graph = Graph("shape", edges)
    assert graph.nodes == switches
    assert seconds(graph, classes) < 20
