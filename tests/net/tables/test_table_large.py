"""Large graphs: time on one core, the documented limits, and a progress bar that appears on terminals only."""

import os
import pty
import subprocess
import sys
import time

import networkx as nx
import pytest

from dsnswitch.net.messages import UsageError
from dsnswitch.net.tables.compile import MOST_SWITCHES, compile_tables
from dsnswitch.net.topology.graph import Graph


def regular(switches):
    """A random 6-regular graph."""
    return Graph("rr", [(f"{a}", f"{b}") for a, b in nx.random_regular_graph(6, switches, seed=1).edges])


def seconds(graph, routing, layers):
    """Processor time for compiling and checking all pairs."""
    start = time.process_time()
    made = compile_tables(graph, routing, layers)
    assert made.walked.hops.sum() == graph.nodes**2
    return time.process_time() - start


@pytest.mark.regress
def test_time_grows_with_the_pairs():
    """512 switches take seconds. The first version recomputed the number of ports at every hop and took minutes."""
    assert seconds(regular(512), "updown", 1) < 30


@pytest.mark.regress
@pytest.mark.parametrize(("routing", "layers"), [("updown", 1), ("shortest", None)])
def test_thousand_switches_in_a_minute(routing, layers):
    assert seconds(regular(1000), routing, layers) < 60


@pytest.mark.regress
def test_dense_graph_in_a_minute():
    """A dragonfly of 36 groups of 24 routers with 11 links each to other groups: 864 routers, 14,688 links."""
    inside = [(group, a, group, b) for group in range(36) for a in range(24) for b in range(a)]
    ends = [(x, (x + step) % 36) for step in range(1, 18) for x in range(36)] + [(x, x + 18) for x in range(18)]
    ends = (
        ends * 7 + [(x, (x + step) % 36) for step in range(1, 10) for x in range(36)] + [(x, x + 18) for x in range(18)]
    )
    used = [0] * 36
    for x, y in ends:
        inside.append((x, used[x] % 24, y, used[y] % 24))
        used[x], used[y] = used[x] + 1, used[y] + 1
    links = [(f"{group * 24 + a}", f"{other * 24 + b}") for group, a, other, b in inside]
    assert len(links) == 14_688
    assert seconds(Graph("dragonfly", links), "shortest", None) < 60


@pytest.mark.regress
def test_limit_of_switches_is_reached():
    graph = regular(MOST_SWITCHES)
    assert seconds(graph, "updown", 1) < 120


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
@pytest.mark.parametrize(("routing", "layers"), [("updown", 1), ("shortest", None)])
def test_extreme_shapes(edges, switches, routing, layers):
    """Many ports, a long diameter, or many channels."""
    graph = Graph("shape", edges)
    assert graph.nodes == switches
    assert seconds(graph, routing, layers) < 20


#: ``dsnswitch table``, with a progress bar for work of any length.
PROGRAM = "from dsnswitch.gen.cli import main, progress; progress.LONG = progress.FIRST = 0; main()"
COMMAND = (sys.executable, "-c", PROGRAM, "table", "--format", "csv", "--graph")


def test_progress_is_for_terminals(root, tmp_path):
    path = tmp_path / "ring.edges"
    path.write_text("".join(f"{number} {(number + 1) % 70}\n" for number in range(70)))
    command = [*COMMAND, str(path), "--out", str(tmp_path / "ring.csv")]
    plain = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert (plain.stdout, plain.stderr.count("\n")) == ("", 1)
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stderr=theirs, cwd=root) as running:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:
            # The terminal has been closed.
            pass
    os.close(ours)
    assert running.returncode == 0
    assert b"tables  [" in shown
    assert shown.decode().rstrip().endswith(plain.stderr.strip())
