"""Traffic patterns against values by hand, by text, and by networkx; impossible patterns; traces."""

import math

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.network.engine.points import Point
from dsnswitch.sim.network.workload.patterns import FORMS, host_numbers, is_finite, packets_of, pattern, read_trace, senders


def destinations(text, topology, hosts=1, seed=1):
    return pattern(text, parse_network(topology), hosts, 4, seed)["destinations"]


#: What the address of the destination is, by that of the source as text of bits (Dally and Towles, Table 3.1).
BITS = {
    "transpose": lambda a: a[len(a) // 2 :] + a[: len(a) // 2],
    "bit-reversal": lambda a: a[::-1],
    "bit-complement": lambda a: a.translate({48: "1", 49: "0"}),
    "shuffle": lambda a: a[1:] + a[0],
}


@pytest.mark.parametrize("topology", ["torus:4x4", "grid:8x4:k4x2", "hypercube:5"])
@pytest.mark.parametrize("name", BITS)
def test_patterns_of_bits(topology, name):
    found = destinations(name, topology)
    bits = len(found).bit_length() - 1
    for own, destination in enumerate(found):
        expected = int(BITS[name](f"{own:0{bits}b}"), 2)
        assert destination == (-1 if expected == own else expected)


@pytest.mark.parametrize(
    ("topology", "least"), [("slimfly:q=5", 24), ("slimfly:q=7", 46), ("dragonfly:a=4,h=2", 10), ("jellyfish:n=40,degree=4", 11)]
)
def test_paths_of_two_pairs_share_a_link(topology, least):
    """Twice the hosts of a switch send over a link between two switches with one path; by networkx."""
    network = parse_network(topology)
    hosts = network.most_hosts or 3
    graph = networkx.Graph(
        (network.number(at), network.number(end[0])) for at in network.switches() for _, end in network.links_of(at)
    )
    found, load = destinations("overlap", topology, hosts), {}
    assert sorted(found[found >= 0]) == np.flatnonzero(found >= 0).tolist()
    pairs = {(own // hosts, int(end) // hosts) for own, end in enumerate(found) if end >= 0}
    for one, other in pairs:
        paths = list(networkx.all_shortest_paths(graph, one, other))
        assert len(paths[0]) == 3
        for link in zip(paths[0], paths[0][1:]) if len(paths) == 1 else ():
            load[link] = load.get(link, 0) + hosts
    assert max(load.values()) == 2 * hosts
    # Each chain of four switches has two of these links.
    assert sum(flows == 2 * hosts for flows in load.values()) >= least


def test_a_shift_moves_the_numbers_of_hosts():
    assert destinations("shift:3", "torus:2x2", 2).tolist() == [3, 4, 5, 6, 7, 0, 1, 2]


def test_values_by_hand():
    """16 switches; a torus has c0 in the low bits. The transpose of a square torus exchanges the coordinates."""
    torus = parse_network("torus:4x4")
    for own, destination in enumerate(destinations("transpose", "torus:4x4")):
        x, y = torus.switch(own)
        assert destination == (-1 if x == y else torus.number((y, x)))
    assert list(destinations("bit-reversal", "torus:4x2")) == [-1, 4, -1, 6, 1, -1, 3, -1]
    assert list(destinations("shuffle", "torus:4x2")) == [-1, 2, 4, 6, 1, 3, 5, -1]
    assert list(destinations("bit-complement", "torus:4x2")) == [7, 6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize(
    ("topology", "name", "source", "expected"),
    [
        ("torus:8x8x8", "tornado", (0, 1, 7), (3, 4, 2)),
        ("torus:5x4", "tornado", (3, 3), (0, 0)),
        ("torus:8x8x8", "neighbour", (7, 1, 2), (0, 2, 3)),
        ("grid:8x8:k4x2", "tornado", (6, 1, 5), (1, 4, 5)),
        ("grid:8x8:k4x2", "neighbour", (7, 7, 2), (0, 0, 2)),
        ("grid:6x8:k4x2", "neighbour", (5, 3, 7), (0, 4, 7)),
        ("ring:7:ring-4", "tornado", (5, 3), (1, 3)),
        ("mesh:4x4", "neighbour", (3, 0), (0, 1)),
    ],
)
@pytest.mark.parametrize("hosts", [1, 3])
def test_patterns_of_digits(topology, name, source, expected, hosts):
    """Tornado adds ceil(k / 2) - 1, in a DSN to the supernode; the id and the host stay."""
    network = parse_network(topology)
    found = destinations(name, topology, hosts)
    for host in range(hosts):
        assert found[network.number(source) * hosts + host] == network.number(expected) * hosts + host


def test_a_network_with_one_coordinate():
    assert list(destinations("neighbour", "dsn-f:9")) == [1, 2, 3, 4, 5, 6, 7, 8, 0]
    assert destinations("tornado", "dsn-f:9")[7] == 2
    full = parse_network("dsn-f:128")
    assert full.switch(destinations("neighbour", "dsn-f:128")[full.number((1, 15, 3))]) == (0, 0, 3)


@pytest.mark.parametrize("name", ["transpose", "bit-reversal", "bit-complement", "shuffle", "tornado", "permutation"])
def test_permutations_are_permutations(name):
    found = destinations(name, "torus:4x4", 2)
    sent = found[found >= 0]
    assert len({*sent}) == len(sent)
    assert {*sent} == {*np.flatnonzero(found >= 0)}
    assert list(senders(Point(destinations=found), np.ones(32, bool))) == list(found >= 0)


def test_a_permutation_follows_the_seed():
    assert list(destinations("permutation", "torus:4x4")) == list(destinations("permutation", "torus:4x4"))
    assert list(destinations("permutation", "torus:4x4")) != list(destinations("permutation", "torus:4x4", seed=2))


def test_hot_spot():
    found = pattern("hot-spot:5:0.25", parse_network("torus:4x4"), 1, 4)["weights"]
    assert found.sum() == pytest.approx(1)
    assert found[5] == pytest.approx(0.25 + 0.75 / 16)
    assert {*np.delete(found, 5)} == {0.75 / 16}
    alone = pattern("hot-spot:5:1", parse_network("torus:4x4"), 1, 4)["destinations"]
    assert set(np.delete(alone, 5)) == {5}
    assert alone[5] == -1
    assert np.argmax(pattern("hot-spot", parse_network("torus:4x4"), 1, 4)["weights"]) == 0


def test_uniform_is_the_default_of_a_point():
    assert pattern("uniform", parse_network("torus:4x4"), 1, 4) == {}
    assert senders(Point(), np.ones(4, bool)).all()


def test_messages():
    assert packets_of(10, 4) == [4, 4, 2]
    assert packets_of(8, 4) == [4, 4]
    assert packets_of(3, 4) == [3]


def test_all_to_all():
    """Every pair once; the n-th destinations of all hosts are a permutation."""
    trace = pattern("all-to-all:6", parse_network("hypercube:3"), 1, 4)["trace"]
    assert trace.shape == (8 * 7 * 2, 4)
    assert {(s, d) for _, s, d, _ in trace} == {(s, d) for s in range(8) for d in range(8) if s != d}
    assert trace[:, 3].sum() == 8 * 7 * 6
    steps = [trace[(trace[:, 1] == host) & (trace[:, 3] == 4)][:, 2] for host in range(8)]
    assert all(sorted(step) == list(range(8)) for step in np.transpose([*steps, range(8)][:-1]))


@pytest.mark.parametrize("topology", ["grid:4x4:k4x2", "torus:4x4", "dsn-f:30", "torus:2x4"])
def test_exchange_is_along_links(topology):
    """The pairs are the edges of the graph, with the same host at both ends."""
    network = parse_network(topology)
    graph = networkx.Graph((network.number(link.source), network.number(link.target)) for link in network.links())
    trace = pattern("exchange:4", network, 2, 4)["trace"]
    pairs = {(s // 2, d // 2) for _, s, d, _ in trace if s % 2 == d % 2}
    assert len(trace) == 2 * len(pairs)
    assert pairs == {pair for edge in graph.edges for pair in (edge, edge[::-1]) if edge[0] != edge[1]}


@pytest.mark.parametrize(("sizes", "hosts"), [((2, 3, 4), 2), ((32,), 2), ((5, 5), 2), ((1, 7), 1)])
def test_stencil_is_a_torus_of_hosts(sizes, hosts):
    """Every pair of neighbours once, in both directions; the packets of a host's messages take turns; other hosts are idle."""
    text = "x".join(map(str, sizes))
    trace = pattern(f"stencil:{text}:6", parse_network("torus:4x4"), hosts, 4)["trace"]
    graph = networkx.grid_graph(sizes[::-1], periodic=True)
    place = {at: sum(a * math.prod(sizes[:axis]) for axis, a in enumerate(at if len(sizes) > 1 else (at,))) for at in graph}
    pairs = {(place[a], place[b]) for edge in graph.edges for a, b in (edge, edge[::-1]) if a != b}
    assert len(trace) == 2 * len(pairs)
    assert {(s, d) for _, s, d, _ in trace.tolist()} == pairs
    for host in range(math.prod(sizes)):
        own = trace[trace[:, 1] == host]
        near = len(own) // 2
        assert own[:, 3].tolist() == [4] * near + [2] * near
        assert own[:near, 2].tolist() == own[near:, 2].tolist()


def test_a_stencil_counts_hosts_without_gaps():
    """Spines of a multi-layer full mesh have no hosts; the first coordinate is that of the hosts of a switch."""
    network = parse_network("mlfm:h=2")
    places = host_numbers(network, 2)
    trace = pattern("stencil:2x3x2:4", network, 2, 4)["trace"]
    assert set(trace[:, 1].tolist()) == set(places.tolist())
    own = trace[trace[:, 1] == places[0]][:, 2].tolist()
    assert own == [places[1], places[2], places[4], places[6]]


def test_forms():
    """Every form begins with the name of its pattern, and those of exchanges and traces end."""
    assert all(form.partition(":")[0].partition("[")[0] == name for name, (form, _) in FORMS.items())
    assert [name for name in FORMS if is_finite(name)] == ["all-to-all", "exchange", "stencil", "trace"]


@pytest.mark.parametrize(
    ("text", "topology", "message"),
    [
        ("tornados", "torus:4x4", "no pattern 'tornados'; did you mean tornado"),
        ("transpose", "torus:3x4", "transpose needs a number of hosts that is a power of two, not 12"),
        ("shuffle", "grid:6x8:k4x2", "shuffle needs a number of hosts that is a power of two, not 384"),
        ("uniform:3", "torus:4x4", "must have the form uniform, not 'uniform:3'"),
        ("all-to-all", "torus:4x4", "must have the form all-to-all:FLITS"),
        ("all-to-all:0", "torus:4x4", "Flits of a message must be in 1..1048576, not '0'"),
        ("all-to-all:4000000", "torus:64x64", "Flits of a message must be in"),
        ("all-to-all:4", "torus:64x64", "must be at most 4194304, not 16773120"),
        ("stencil:4x4", "torus:4x4", "Pattern stencil must have the form stencil:AxBxC:FLITS"),
        ("stencil:4x0:4", "torus:4x4", "Sizes of a stencil must be up to six numbers, such as 13x13x18, not '4x0'"),
        ("stencil:4x5:4", "torus:4x4", "A stencil of 16 hosts must have 2..16 places, not 4x5, which has 20"),
        ("stencil:1:4", "torus:4x4", "must have 2..16 places, not 1, which has 1"),
        ("stencil:4x4:0", "torus:4x4", "Flits of a message must be in"),
        ("stencil:4x4:1048576", "torus:4x4", "Packets of pattern stencil must be at most 4194304, not 16777216"),
        ("shift", "torus:4x4", "Pattern shift must have the form shift:HOSTS, not 'shift'"),
        ("shift:16", "torus:4x4", "Hosts of a shift must be in 1..15, not '16'"),
        ("overlap", "mlfm:h=2", "Pattern overlap needs pairs of switches with one path of two hops, not mlfm:h=2"),
        ("hot-spot:16", "torus:4x4", "Host of a hot spot must be in 0..15, not '16'"),
        ("hot-spot:1:nan", "torus:4x4", "Share of a hot spot must be above 0"),
        ("hot-spot:1:0.5:2", "torus:4x4", "must have the form hot-spot"),
        ("tornado", "torus:2x2", "sends every host's packets to itself"),
        ("trace", "torus:2x2", "must have the form trace:FILE"),
    ],
)
def test_impossible_patterns(text, topology, message):
    with pytest.raises(UsageError, match=message):
        pattern(text, parse_network(topology), 1, 4)


HEAD = "cycle,source,destination,flits\n"


def test_a_trace(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(HEAD + "5, 0, 1, 4\n\n0,3,2,1\n")
    assert read_trace(file, 4, 4).tolist() == [[5, 0, 1, 4], [0, 3, 2, 1]]
    found = pattern(f"trace:{file}", parse_network("torus:4"), 1, 4)
    assert list(senders(Point(**found), np.ones(4, bool))) == [True, False, False, True]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: the columns must be cycle,source,destination,flits"),
        ("0,1,2,3\n", "line 1: the columns must be"),
        (HEAD, "has no packets"),
        (HEAD + "0,1,2\n", "line 2: a packet has cycle,source,destination,flits, not '0,1,2'"),
        (HEAD + "0,1,2,4\n\n0,1,4,4\n", "line 4: destination must be in 0..3, not '4'"),
        (HEAD + "0,1,2,5\n", "line 2: flits must be in 1..4, not '5'"),
        (HEAD + "-1,1,2,4\n", "line 2: cycle must be in"),
        (HEAD + "0,1,1,4\n", "line 2: host 1 sends to itself"),
    ],
)
def test_bad_traces(tmp_path, content, message):
    file = tmp_path / "t.csv"
    file.write_text(content)
    with pytest.raises(UsageError, match=f"^Trace {file}.*{message}"):
        read_trace(file, 4, 4)


@given(st.text("0123456789,-\n x²", max_size=40))
def test_any_trace_is_read_or_refused(tmp_path_factory, content):
    file = tmp_path_factory.mktemp("trace") / "t.csv"
    file.write_text(HEAD + content)
    try:
        found = read_trace(file, 4, 4)
    except UsageError:
        return
    assert found.shape == (len(content.split()), 4) or " " in content


def test_switches_without_hosts_send_and_receive_nothing(tmp_path):
    """Of the 18 switches of an MLFM of 3, the first 12 have hosts; here two each."""
    network = parse_network("mlfm:h=3")
    has = np.arange(36) < 24
    for text in ("uniform", "hot-spot:5"):
        found = pattern(text, network, 2, 4, 1)
        assert list(found["weights"] > 0) == list(has) == list(found["sources"])
        assert list(senders(Point(**found), np.ones(36, bool))) == list(has)
    ends = pattern("permutation", network, 2, 4, 1)["destinations"]
    assert set(ends[has]) <= {-1, *range(24)}
    assert set(ends[~has]) == {-1}
    assert list(destinations("neighbour", "mlfm:h=3")[:12]) == [*range(1, 12), 0]
    trace = pattern("all-to-all:4", network, 2, 4, 1)["trace"]
    assert len(trace) == 24 * 23
    assert trace[:, 1:3].max() == 23
    with pytest.raises(UsageError, match="Pattern exchange needs two hosts with a link, not mlfm:h=3"):
        pattern("exchange:4", network, 2, 4, 1)
    file = tmp_path / "t.csv"
    file.write_text(HEAD + "0,1,24,4\n")
    with pytest.raises(UsageError, match="host 24 does not exist, because switch 12 has no hosts"):
        pattern(f"trace:{file}", network, 2, 4, 1)
