"""Topologies that are made link by link: graphs against the golden model, ports, spellings, routings, refusals."""

import re
from collections import Counter
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from dsnswitch.gen.config import build
from dsnswitch.net.analysis.paths import loads, statistics
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.certificate import certificate, prove
from dsnswitch.net.routing.dependencies import DeadlockError, numbering
from dsnswitch.net.routing.derived import address_bits, rules
from dsnswitch.net.routing.minimal.rules import matches
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.routing.relation import Channel
from dsnswitch.net.tables.sources import algorithm_table
from dsnswitch.net.topology import dsn_3d
from dsnswitch.net.topology.adjacency import MOST_LINKS, Adjacency
from dsnswitch.net.topology.galois import GaloisField, prime_power
from dsnswitch.net.topology.oft import maximal_leaves
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.net.topology.supernode import Coc, CubeSupernode, K4x2
from dsnswitch.sim.golden.routing.registry import path
from dsnswitch.sim.golden.topology import graphs

#: Networks with a golden graph.
GOLDEN = {
    "hyperx:4x3x2": lambda: graphs.hyperx((4, 3, 2)),
    "hyperx:5,p=2": lambda: graphs.hyperx((5,)),
    "flattened-butterfly:k=3,n=3": lambda: graphs.hyperx((3, 3)),
    "slimfly:q=3": lambda: graphs.slim_fly(3),
    "slimfly:q=5,p=4": lambda: graphs.slim_fly(5),
    "slimfly:q=11": lambda: graphs.slim_fly(11),
    "slimfly:q=13": lambda: graphs.slim_fly(13),
    "mlfm:h=4": lambda: graphs.mlfm(4, 4),
    "mlfm:h=3,l=5,p=2": lambda: graphs.mlfm(3, 5),
    "fattree:k=4,levels=3": lambda: graphs.fat_tree(4),
    "fattree:k=6,levels=2": lambda: nx.relabel_nodes(nx.complete_bipartite_graph(6, 3), lambda at: (at,)),
    "tree:k=2,n=4": lambda: graphs.tree(2, 4),
    "tree:k=3,n=3": lambda: graphs.tree(3, 3),
    "butterfly:k=2,n=4": lambda: graphs.butterfly(2, 4),
    "butterfly:k=3,n=3": lambda: graphs.butterfly(3, 3),
    "de-bruijn:d=2,n=3": lambda: graphs.de_bruijn(2, 3),
    "de-bruijn:d=3,n=3": lambda: graphs.de_bruijn(3, 3),
    "kautz:n=3,m=3": lambda: graphs.kautz(3, 3),
    "kautz:n=2,m=5": lambda: graphs.kautz(2, 5),
    "star:n=4": lambda: graphs.star(4),
    "folded-hypercube:n=5": lambda: graphs.folded_hypercube(5),
    "dsn-x:n=32,x=4": lambda: graphs.dsn_x(32, 4),
    "dsn-x:n=37,x=2": lambda: graphs.dsn_x(37, 2),
    "dsn-x:n=100": lambda: graphs.dsn_x(100, 6),
    "dsn-3d:2x3x2:k4x2": lambda: graphs.dsn_3d((2, 3, 2), K4x2()),
    "dsn-3d:3x1x4:cube-2": lambda: graphs.dsn_3d((3, 1, 4), CubeSupernode(2)),
    "dsn-3d:3x2x2:coc-2x2": lambda: graphs.dsn_3d((3, 2, 2), Coc(2, 2)),
    "dln:n=33,x=5": lambda: graphs.dln(33, 5),
}

#: Networks whose definition is checked by their properties.
OTHERS = [
    *("dragonfly:a=4,h=2", "dragonfly:a=4,h=2,g=5,l=1,p=1", "dragonfly:a=4,h=3,g=4", "fattree:k=6,levels=3,up=1"),
    *(
        "fattree:k=6,levels=3,up=2",
        "fattree:k=4,levels=3,up=3",
        "fattree:k=8,levels=2,up=2",
        "dragonfly:a=8,h=2,g=16",
        "oft:k=4",
        "oft:k=5",
        "slimfly:q=4",
    ),
    *("slimfly:q=8", "slimfly:q=9", "random-ring:n=33,degree=5,seed=3", "nbr:n=64,degree=6,seed=1,alpha=0.25"),
    *("gau:n=64,degree=6,seed=1,alpha=0.2", "jellyfish:n=25,degree=5,seed=2", "kleinberg:n=6,seed=1"),
    "skywalk:columns=4,rows=3,c=8,inside=4,outside=2,seed=1",
    "permuted:cabinet=4,full=0,seed=1:torus:4x4x2",
    "permuted:cabinet=4,full=1,seed=2:dragonfly:a=4,h=2",
]
ALL = [*GOLDEN, *OTHERS]

#: Networks with a routing in closed form: greatest number of hops, and virtual channel classes.
CLOSED = {
    "hyperx:4x3x2": (3, 1),
    "flattened-butterfly:k=3,n=3": (2, 1),
    "dragonfly:a=4,h=2": (3, 2),
    "dragonfly:a=4,h=2,g=5,l=1,p=1": (3, 2),
    "dragonfly:a=6,h=2,g=4": (3, 2),
    "fattree:k=4,levels=3": (4, 1),
    "fattree:k=6,levels=2": (2, 1),
    "fattree:k=6,levels=3,up=2": (4, 1),
    "fattree:k=4,levels=3,up=3": (4, 1),
    "fattree:k=8,levels=2,up=2": (2, 1),
    "mlfm:h=4": (2, 1),
    "mlfm:h=3,l=5,p=2": (2, 1),
}

#: Networks whose routes are not always the shortest.
LONGER = ["dsn-3d:2x3x2:k4x2", "dsn-3d:3x1x4:cube-2", "dsn-3d:3x2x2:coc-2x2"]


def links_of(network):
    return Counter(frozenset((link.source, link.target)) for link in network.links())


@pytest.mark.parametrize("spelling", GOLDEN)
def test_the_graph_is_golden(spelling):
    network, wanted = parse_network(spelling), GOLDEN[spelling]()
    assert set(network.switches()) == set(wanted)
    assert links_of(network) == Counter(map(frozenset, wanted.edges))


@pytest.mark.parametrize("spelling", [spelling for spelling in ALL if spelling not in ("slimfly:q=11", "slimfly:q=13")])
def test_ports_lead_back(spelling):
    network = parse_network(spelling)
    assert network.link_count == sum(links_of(network).values()) == len(links_of(network))
    for switch in network.switches():
        ends = {port: network.neighbour(switch, port.index) for port in network.ports}
        assert network.ports_of(switch) == tuple(port for port, end in ends.items() if end)
        assert all(end is None or network.neighbour(*end) == (switch, port.index) for port, end in ends.items())
        kinds = {(port.kind, network.ports[end[1]].kind) for port, end in ends.items() if end}
        assert all(here == there for here, there in kinds)
    degrees = Counter(kind for switch in network.switches() for kind in {port.kind for port in network.ports_of(switch)})
    assert set(degrees) == {port.kind for port in network.ports}
    assert nx.is_connected(nx.Graph(tuple(pair) for pair in links_of(network)))


@pytest.mark.parametrize("spelling", ALL)
def test_a_network_is_spelt_as_it_is_parsed(spelling):
    network = parse_network(spelling)
    assert (network.spelling, network.parameters) == (spelling, {"topology": spelling})
    assert parse_network(spelling) == network
    assert network.name.isidentifier()
    assert [network.switch(network.number(switch)) for switch in network.switches()] == list(network.switches())
    with_hosts = [network.number(switch) for switch in network.terminals()]
    assert sorted(with_hosts) == list(range(len(with_hosts))), "switches with hosts have the first numbers"


@pytest.mark.parametrize("spelling", CLOSED)
def test_closed_forms(spelling):
    """Every pair is delivered by a shortest path if there is no choice of groups; numbers of channels rise along every route."""
    network = parse_network(spelling)
    relation = relation_of(network)
    hops, classes = CLOSED[spelling]
    assert prove(relation)
    assert max(relation.classes.values()) == classes
    found = statistics(relation)
    assert found.routing_diameter == hops == relation.bound
    if "dragonfly" not in spelling:
        assert found.average_path == found.aspl
    numbers = {channel: number for channel, _, number in certificate(relation)}
    for source in network.terminals():
        for target in network.terminals():
            taken = [numbers[Channel(*hop[:3])] for hop in relation.route(source, target)]
            assert taken == sorted(set(taken))


@pytest.mark.parametrize("spelling", [*CLOSED, *LONGER])
def test_routes_are_golden(spelling):
    network = parse_network(spelling)
    relation = relation_of(network)
    for source in network.terminals():
        for target in network.terminals():
            taken = [(hop.source, hop.target) for hop in relation.route(source, target)]
            assert taken == [hop[:2] for hop in path(network, source, target)]


@pytest.mark.parametrize("spelling", ["mlfm:h=3", "fattree:k=4,levels=3", "oft:k=3"])
def test_tables_of_switches_without_hosts(spelling):
    """Their tables lead every packet to its destination too."""
    network = parse_network(spelling)
    tables = {switch: algorithm_table(network, switch) for switch in network.switches()}
    for source in network.switches():
        for target in network.terminals():
            here = source
            for _ in range(5):
                port = tables[here].lookup(network.key(here, target))
                if port == len(network.ports):
                    break
                here = network.neighbour(here, port)[0]
            assert here == target


def test_rules_decide_as_the_relation():
    network = parse_network("mlfm:h=3")
    relation = relation_of(network)
    for switch in network.switches():
        ports, classes = rules(relation, switch)
        for end in network.terminals():
            if end != switch:
                bits = address_bits(network, end)
                found = matches(ports, bits), matches(classes, bits)
                assert found == relation.hops(switch, None, end)[0]


@pytest.mark.parametrize("block", ["route", "switch-core", "forwarding"])
def test_large_networks_have_no_routing_logic(block):
    instead = "use lookup table" if block == "switch-core" else "use block switch-core with lookup table"
    message = f"Routing logic of slimfly:q=7 is for at most 64 switches, not 98; {instead}, or choose a node"
    with pytest.raises(UsageError, match=message):
        build({"block": block, "topology": "slimfly:q=7"})
    for spelling, hops in (("slimfly:q=7", 97), ("fattree:k=8", 79)):
        values = {"block": "switch-core", "topology": spelling, "lookup": "table", "layers": 2}
        assert build(values).shape.most_hops == hops


@pytest.mark.parametrize("spelling", LONGER)
def test_a_dsn_of_three_dimensions_is_within_the_papers_bound(spelling):
    """The proof on channels of one supernode agrees with that on all channels."""
    relation = relation_of(parse_network(spelling))
    found = statistics(relation)
    assert found.within_bound
    assert found.routing_diameter <= relation.bound
    numbers = prove(relation)
    assert numbers.keys() <= {relation.label(channel) for channel in relation.channels()}
    every = {}
    for source in relation.network.switches():
        for target in relation.network.switches():
            taken = [Channel(*hop[:3]) for hop in relation.route(source, target)]
            for one, other in pairwise(taken):
                every.setdefault(one, set()).add(other)
                every.setdefault(other, set())
    assert numbering(every)


@pytest.mark.parametrize(
    "spelling",
    [
        "dsn-3d:16x16x1:k4x2",
        pytest.param("dsn-3d:16x16x16:coc-4x4", marks=pytest.mark.regress),
        *(f"dsn-3d:{n}x1x1:{shape}" for n, shape in ((9, "cube-2"), (9, "cube-4"), (9, "coc-5x2"), (16, "coc-2x3"))),
        pytest.param("dsn-3d:9x9x9:cube-3", marks=pytest.mark.regress),
        pytest.param("dsn-3d:7x8x9:coc-3x2", marks=pytest.mark.regress),
    ],
)
def test_large_dsns_of_three_dimensions_are_free_of_deadlock(spelling):
    assert prove(relation_of(parse_network(spelling)))


@pytest.mark.parametrize("shape", ["cube-3", "coc-2x2"])
def test_a_refused_dsn_of_three_dimensions_has_a_deadlock(monkeypatch, shape):
    monkeypatch.setattr(dsn_3d, "MOST_APART", 16)
    with pytest.raises(DeadlockError):
        prove(relation_of(parse_network(f"dsn-3d:10x1x1:{shape}")))


@pytest.mark.parametrize(("spelling", "bound"), [("fattree:k=4,levels=3", 1), ("fattree:k=6,levels=2", 1), ("mlfm:h=4", 3.8)])
def test_loads_are_spread(spelling, bound):
    """A fat tree carries all packets of a host on every link; in an MLFM, the pairs of a column use all global switches."""
    assert loads(relation_of(parse_network(spelling))).bound == pytest.approx(bound)


@pytest.mark.parametrize("spelling", ["slimfly:q=3", "oft:k=3", "kautz:n=3,m=3", "butterfly:k=2,n=3", "jellyfish:n=20,degree=3"])
def test_networks_without_a_closed_form_route_by_tables(spelling):
    network = parse_network(spelling)
    relation = relation_of(network)
    assert prove(relation)
    found = statistics(relation)
    assert (found.routing_diameter, found.average_path) == (found.diameter, found.aspl)


# Definitions by their properties.


@pytest.mark.parametrize("q", [4, 8, 9, 16])
def test_slim_fly_of_a_prime_power(q):
    """Two switches of a subgraph's column, and of two columns, have the common neighbours that diameter 2 needs."""
    network = parse_network(f"slimfly:q={q}")
    graph = nx.Graph(tuple(pair) for pair in links_of(network))
    delta = {0: 0, 1: 1, 3: -1}[q % 4]
    assert set(dict(graph.degree).values()) == {(3 * q - delta) // 2}
    number = {at: place for place, at in enumerate(graph)}
    near = np.zeros((len(graph), len(graph)), np.float32)
    for one, other in graph.edges:
        near[number[one], number[other]] = near[number[other], number[one]] = 1
    assert ((near @ near + near) > 0).all()


@pytest.mark.parametrize("k", [3, 4, 5, 6, 8, 9, 10])
def test_oft_has_one_path_between_any_two_switches_of_a_level(k):
    """The k-ML3B is a projective plane: two rows have one number in common, and so have two columns' switches."""
    rows = np.array(maximal_leaves(k))
    has = np.zeros((len(rows), len(rows)), int)
    np.put_along_axis(has, rows, 1, axis=1)
    assert (has @ has.T == 1 + (k - 1) * np.eye(len(rows), dtype=int)).all()
    assert (has.T @ has == 1 + (k - 1) * np.eye(len(rows), dtype=int)).all()


@pytest.mark.parametrize("q", [2, 3, 4, 5, 8, 9, 16, 25, 27])
def test_galois_fields(q):
    field = GaloisField(q)
    every = np.arange(q)
    add, multiply = (np.array([[of(a, b) for b in range(q)] for a in range(q)]) for of in (field.add, field.multiply))
    assert all(field.add(a, field.negative(a)) == 0 for a in range(q))
    assert sorted(field.powers) == list(range(1, q))
    for table in (add, multiply):
        assert (table == table.T).all()
        assert (table[table] == table[every[:, None, None], table[None]]).all()
    assert (multiply[every[:, None, None], add[None]] == add[multiply[:, :, None], multiply[:, None, :]]).all()
    assert (multiply[1] == every).all()
    assert (add[0] == every).all()


def test_prime_powers():
    assert [q for q in range(2, 33) if prime_power(q)] == [*(2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32)]
    assert (prime_power(1), prime_power(27)) == (None, (3, 3))


@pytest.mark.parametrize("word", ["random-ring", "nbr", "gau"])
def test_random_rings(word):
    network = parse_network(f"{word}:n=100,degree=6,seed=4")
    ring = {frozenset(((at,), ((at + 1) % 100,))) for at in range(100)}
    assert ring <= links_of(network).keys()
    degrees = Counter(len(network.ports_of(switch)) for switch in network.switches())
    assert max(degrees) == 6
    assert degrees[6] >= 90
    assert links_of(network) == links_of(parse_network(network.spelling))
    assert links_of(network) != links_of(parse_network(f"{word}:n=100,degree=6,seed=5"))


def lengths(spelling):
    network = parse_network(spelling)
    away = [abs(link.source[0] - link.target[0]) for link in network.links() if network.ports[link.port].kind == "shortcut"]
    return np.minimum(away, network.nodes - np.array(away))


def test_lengths_of_random_shortcuts():
    assert lengths("nbr:n=400,degree=6,alpha=0.25").max() == 49
    assert lengths("random-ring:n=400,degree=6").mean() == pytest.approx(100, rel=0.05)
    # The mean of the absolute value of a normal distribution is sqrt(2 / pi) of its deviation.
    assert lengths("gau:n=400,degree=6,alpha=0.2").mean() == pytest.approx(40 * (2 / np.pi) ** 0.5, rel=0.1)
    assert lengths("gau:n=400,degree=6,alpha=0.2").max() > 60


def test_a_jellyfish_is_regular():
    degrees = Counter(len(parse_network("jellyfish:n=25,degree=5").ports_of((at,))) for at in range(25))
    assert degrees == {5: 24, 4: 1}
    assert {len(parse_network("jellyfish:n=6,degree=4").ports_of((at,))) for at in range(6)} == {4}


def test_kleinberg_prefers_near_switches():
    network = parse_network("kleinberg:n=30")
    mesh = links_of(parse_network("mesh:30x30"))
    assert mesh.keys() <= links_of(network).keys()
    hops = [
        sum(abs(a - b) for a, b in zip(link.source, link.target))
        for link in network.links()
        if network.ports[link.port].kind == "shortcut"
    ]
    assert 0.5 * 900 < len(hops) <= 900
    # Each distance from 2 to 15 is about equally likely per octave: 2-3 and 4-7 differ by little.
    octaves = Counter(int(np.log2(length)) for length in hops)
    assert octaves[1] > 100
    assert octaves[2] > 100
    assert octaves[3] > 100


def test_skywalk_joins_rows_and_columns_of_cabinets():
    network = parse_network("skywalk:columns=4,rows=3,c=8,inside=4,outside=2,seed=1")
    for link in network.links():
        (column, row, _), (there, below, _) = link.source, link.target
        kind = network.ports[link.port].kind
        assert {"local": (column, row) == (there, below), "row": row == below, "column": column == there}[kind]
        assert kind == "local" or (column, row) != (there, below)
    kinds = Counter(port.kind for switch in network.switches() for port in network.ports_of(switch))
    assert kinds["row"] >= 0.9 * network.nodes
    assert kinds["column"] >= 0.9 * network.nodes
    assert kinds["local"] >= 3.5 * network.nodes


@pytest.mark.parametrize("full", [0, 1])
def test_a_permutation_keeps_the_cables_between_cabinets(full):
    base = parse_network("torus:8x8")
    network = parse_network(f"permuted:cabinet=8,full={full},seed=5:torus:8x8")

    def cables(some):
        return Counter(tuple(sorted(some.number(end) // 8 for end in (link.source, link.target))) for link in some.links())

    before, after = cables(base), cables(network)
    assert after.keys() <= before.keys()
    assert all(after[pair] <= number for pair, number in before.items())
    # A swap that would repeat a link loses it.
    assert 0.9 * base.link_count < network.link_count <= base.link_count
    assert len(links_of(network) - links_of(base)) > base.link_count / 4
    most = max(len(network.ports_of(switch)) for switch in network.switches())
    assert most == 4


# Bad parameters.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slimfly:13", "Topology must have the form slimfly:q=Q[,p=P], not 'slimfly:13'"),
        ("slimfly:q=13,q=13", "Topology must have the form slimfly:q=Q[,p=P], not 'slimfly:q=13,q=13'"),
        ("slimfly:p=3", "Topology must have the form slimfly:q=Q[,p=P], not 'slimfly:p=3'"),
        ("slimfly:q=13,r=3", "Topology must have the form slimfly:q=Q[,p=P], not 'slimfly:q=13,r=3'"),
        ("slimfly:q=6", "Order q of the field of a slimfly must be a prime power 4w + {-1, 0, 1}, not 6"),
        ("slimfly:q=21", "Order q of the field of a slimfly must be a prime power 4w + {-1, 0, 1}, not 21"),
        ("slimfly:q=2", "Order q of the field of a slimfly must be in 3..97, not 2"),
        ("oft:k=7", "Links k to level 1 of an oft must be a prime power plus 1, not 7"),
        ("mlfm:h=1", "Links h of a local switch of a mlfm must be in 2..96, not 1"),
        ("dragonfly:a=4,h=2,g=10", "Groups g of a dragonfly must be in 2..9, not 10"),
        ("dragonfly:a=128,h=512", "dragonfly:a=128,h=512 must have at most 131072 switches, not 8388736"),
        ("fattree:k=5", "Ports k of a switch of a fattree must be even, not 5"),
        ("fattree:k=4,levels=4", "Levels of a fattree must be in 2..3, not 4"),
        ("hyperx:4x1", "Size 1 of a hyperx must be in 2..256, not 1"),
        ("hyperx:4x4,p", "Topology must have the form hyperx:AxBx..[,p=P], not 'hyperx:4x4,p'"),
        ("hyperx:a", "Topology must have the form hyperx:AxBx..[,p=P], not 'hyperx:a'"),
        ("hyperx:256x256x2", "hyperx:256x256x2 must have at most 2097152 links, not 33488896"),
        ("random-ring:n=8,degree=8", "Degree of a random-ring must be in 2..7, not 8"),
        ("nbr:n=8,degree=3,alpha=1.5", "Parameter alpha of a nbr must be in 0.01..1.0, not 1.5"),
        ("gau:n=8,degree=3,alpha=4x4", "Parameter alpha of a gau must be in 0.01..10.0, not (4, 4)"),
        ("permuted:seed=1", "Topology must have the form permuted:"),
        ("permuted:seed=1:torus", "Topology must have the form permuted:"),
        ("permuted:full=2:torus:4x4", "Full permutation of a permuted must be in 0..1, not 2"),
        ("permuted:base=2:torus:4x4", "Topology must have the form permuted:"),
        ("permuted:seed=1:tree:k=1,n=3", "Base k of a tree must be in 2..96, not 1"),
        ("star:n=9", "Symbols n of a star must be in 3..8, not 9"),
        ("dsn-x:n=32,x=5", "Levels x with shortcuts of a dsn-x must be in 1..4, not 5"),
        ("dsn-3d:4x4", "Topology must have the form dsn-3d:XxYxZ[:SUPERNODE], not 'dsn-3d:4x4'"),
        ("dsn-3d:4x4x17", "Size z of a dsn-3d must be in 1..16, not 17"),
        (
            "dsn-3d:4x10x4:cube-3",
            "Sizes of a dsn-3d whose supernodes lack links between ids 0, 1 and 2 must be at most 9, not 10",
        ),
        ("dsn-3d:4x4x4:ring-4", "Supernode of a dsn-3d must be k4x2, k4x2:double, cube-N or coc-MSxMN, not ring-4"),
        ("dsn-3d:4x4x9:cube-1", "Supernode size m must be at least p = 4 (= ceil(log2 9)), not 2"),
        ("kautz:n=16,m=64", "kautz:n=16,m=64 must have at most 131072 switches"),
    ],
)
def test_refusals(text, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        parse_network(text)


@pytest.mark.parametrize("text", ["slimfly:q=13.5", "hyperx:4x4,p=2x2", "star:n=4x4"])
def test_wrong_types(text):
    with pytest.raises(TypeError, match="must be an integer, not"):
        parse_network(text)


def test_every_limit_of_links_is_checked_before_links_are_made():
    assert MOST_LINKS == 1 << 21
    assert all(issubclass(type(parse_network(spelling)), Adjacency) for spelling in ALL)
