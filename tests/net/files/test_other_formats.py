"""Files of other programs: what each says becomes the right graph, and a bad line is named with what was expected."""

from collections import Counter
from math import prod

import networkx as nx
import pytest
from graph_files import cables, homes, read

from dsnswitch.net.files.formats.own import COLUMNS, recognise_cables
from dsnswitch.net.files.formats.registry import FORMATS
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.workload.scenario import delays_of

SUBNET = """#
# Topology file: generated on a day
#
vendid=0x2c9
devid=0xb924
sysimgguid=0xa1
switchguid=0xa0(a0)
Switch\t4 "S-00000000000000a0"\t\t# "leaf one" enhanced port 0 lid 7 lmc 0
[4]\t"S-00000000000000b0"[2]\t\t# "spine" lid 9 4xEDR
[1]\t"H-00000000000000c0"[1](c1) \t\t# "node lid 99 HCA-1" lid 3 4xEDR
[2]\t"S-00000000000000b0"[3]\t\t# "spine" lid 9 4xEDR

switchguid=0xb0(b0)
Switch\t36 "S-00000000000000b0"\t\t# "spine" base port 0 lid 9 lmc 0
[2]\t"S-00000000000000a0"[4]\t\t# "leaf one" lid 7 4xEDR
[3][ext 12]\t"S-00000000000000a0"[2]\t\t# "leaf one" lid 7 4xEDR
[36]\t"H-00000000000000c0"[2](c2) \t\t# "node lid 99 HCA-1" lid 4 4xEDR

vendid=0x2c9
caguid=0xc0
Ca\t2 "H-00000000000000c0"\t\t# "node lid 99 HCA-1"
[1](c1) \t"S-00000000000000a0"[1]\t\t# lid 3 lmc 0 "leaf one" lid 7 4xEDR
[2](c2) \t"S-00000000000000b0"[36]\t\t# lid 4 lmc 0 "spine" lid 9 4xEDR
"""


def test_a_subnet(tmp_path):
    """Parallel cables have ports of their own, a host has a name for each port, and ports keep the numbers of the file."""
    graph = read(tmp_path, SUBNET, "ibnetdiscover")
    assert cables(graph) == {("leaf one", "spine"): 2}
    assert homes(graph) == {"node lid 99 HCA-1/P1": "leaf one", "node lid 99 HCA-1/P2": "spine"}
    assert [graph.port_numbers(switch) for switch in graph.switches()] == [[1, 2, 4], [2, 3, 36]]
    # Port 2 of the leaf, index 1, leads to port 3 of the spine, index 1.
    assert graph.neighbour((0,), 1) == ((1,), 1)
    assert {name: one.lid for name, one in graph.ids.items()} == {
        **{"leaf one": 7, "spine": 9},
        **{"node lid 99 HCA-1/P1": 3, "node lid 99 HCA-1/P2": 4},
    }


def test_switches_of_one_description_have_the_names_of_their_guids(tmp_path):
    graph = read(tmp_path, SUBNET.replace('"spine"', '"leaf one"'))
    assert graph.names == ("S-00000000000000a0", "S-00000000000000b0")


def test_latencies_of_anynet(tmp_path):
    """The first line that lists a link states its latency; a link without one has a cycle."""
    graph = read(tmp_path, "router 0 router 1 4 router 2\nrouter 1 router 0 5 router 2 3\nrouter 2 node 0 2\n", "anynet")
    assert {graph.cycles((0,), port) for port in (0, 1)} == {4, 1}
    fabric = graph.fabric
    assert sorted(delays_of(fabric, "graph", 5, 1).values()) == [0, 2, 3]
    with pytest.raises(UsageError, match="states no latencies of links"):
        delays_of(read(tmp_path, "router 0 router 1\n").fabric, "graph", 5, 1)


ZOO = """Creator "a tool"
graph [
  # a comment
  DateObtained "22/10/10"
  directed 0
  node [ id 0 label "K&#246;ln" Longitude 6.95000 Latitude 50.93333 Internal 1 ]
  node [ id 1 label "Malm\u00f6
Syd" type "host" ]
  node [ id 2 label "None" Latitude -1.5e+1 ]
  edge [ source 0 target 1 LinkLabel "< 2.5 Gb/s" ]
  edge [ source 0 target 2 id "e1" dist 1.25 ]
  edge [ source 2 target 0 id "e2" nested [ a [ b 1 ] c [ ] ] ]
]
"""


def test_gml_of_the_topology_zoo(tmp_path):
    """Floats, references, texts of several lines, nested lists; a parallel link."""
    graph = read(tmp_path, ZOO, "gml")
    assert (graph.names, cables(graph), homes(graph)) == (("0", "2"), {("0", "2"): 2}, {"1": "0"})
    directed = ZOO.replace("directed 0", "directed 1")
    assert cables(read(tmp_path, directed)) == {("0", "2"): 1}


def test_adjacency_lists(tmp_path):
    """Links at one end or at both, a colon or none; a neighbour that is listed twice is a parallel link."""
    for text in ("a b b c\nb c\nc\n", "a: b b c\nb: a a c\nc: a b\n"):
        assert cables(read(tmp_path, text, "adjacency")) == {("a", "b"): 2, ("a", "c"): 1, ("b", "c"): 1}
    assert homes(read(tmp_path, "0 2\n1 3\n2 3\n3\n", "adjacency", hosts=2)) == {"0": "2", "1": "3"}


def test_a_grid_of_graph_golf(tmp_path):
    graph = read(tmp_path, "0,0 0,1\n0,1 1,1\n10,0 0,0\n10,0 1,1\n", "edges")
    assert graph.names == ("0,0", "0,1", "1,1", "10,0")
    assert cables(graph)["0,0", "10,0"] == 1


def test_dot_of_other_programs(tmp_path):
    text = (
        '/* a */ strict graph "a net" {\n  graph [rankdir=LR]; rankdir = LR\n  node [shape=box]\n'
        '  subgraph cluster_0 { label="rack"; "leaf one" -- s1 -- "leaf \\"two\\"" [color=red, w=1.5]; }\n'
        '  h1 [type=host; label="H"] h1 -- "leaf one" // end\n  s1 -- "leaf one"\n}\n'
    )
    graph = read(tmp_path, text, "dot")
    assert cables(graph) == {("leaf one", "s1"): 1, ('leaf "two"', "s1"): 1}
    assert homes(graph) == {"h1": "leaf one"}
    assert cables(read(tmp_path, text.replace("strict ", "")))["leaf one", "s1"] == 2
    assert cables(read(tmp_path, "digraph { a -> b; b -> a; b -> c }")) == {("a", "b"): 1, ("b", "c"): 1}


CRAY = """c0-0c0s0a0l00(0:0:0) green -> c0-0c0s1a0l10(0:0:1)
c0-0c0s0a0l01(0:0:0) blue -> unused
c0-0c0s0a0l02(0:0:0) black -> c0-0c0s1a0l03(0:0:1)
c0-0c0s0a0l50(0:0:0) ptile -> processor
c0-0c0s1a0l03(0:0:1) black -> c0-0c0s0a0l02(0:0:0)
c0-0c0s1a0l10(0:0:1) green -> c0-0c0s0a0l00(0:0:0)
"""


def test_interconnects_of_cray(tmp_path):
    graph = read(tmp_path, CRAY, "cray")
    assert cables(graph) == {("c0-0c0s0a0", "c0-0c0s1a0"): 2}
    assert [graph.port_numbers(switch) for switch in graph.switches()] == [[0, 2], [3, 10]]
    gemini = "c0-0c0s0g0l00[(0,0,0)] Z+ -> c0-0c0s0g1l32[(0,0,1)] LinkType: mezzanine\n"
    assert cables(read(tmp_path, gemini, "cray")) == {("c0-0c0s0g0", "c0-0c0s0g1"): 1}


def platform(topology, parameters, radical):
    return (
        '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'
        f'<cluster id="c" prefix="node-" suffix=".x" radical="{radical}" speed="1Gf" bw="1Gbps" lat="1us"'
        f"{topology and chr(32)}{topology and f'topology={topology!r} topo_parameters={parameters!r}'}/>\n</platform>\n"
    )


@pytest.mark.parametrize("sizes", [(3, 2, 2), (4,), (2, 5)])
def test_a_simgrid_torus(tmp_path, sizes):
    """The first dimension changes fastest. networkx makes the same torus, with one link between two switches of a ring of two."""
    count = prod(sizes)
    graph = read(tmp_path, platform("TORUS", ",".join(map(str, sizes)), f"0-{count - 1}"), "simgrid")
    golden = nx.grid_graph(sizes[::-1], periodic=[size > 2 for size in sizes[::-1]])
    found = nx.Graph((f"{a}", f"{b}") for a, b in cables(graph))
    assert cables(graph).total() == golden.number_of_edges()
    assert set(found) == {f"switch {','.join(map(str, at if isinstance(at, tuple) else (at,)))}" for at in golden}
    assert homes(graph)["node-1.x"] == f"switch {','.join(map(str, (1, *[0] * (len(sizes) - 1))))}"
    assert nx.is_isomorphic(found, golden)


def test_a_simgrid_fat_tree(tmp_path):
    """Two levels of four children; two parents with two links each."""
    graph = read(tmp_path, platform("FAT_TREE", "2;4,4;1,2;1,2", "0-15"))
    assert cables(graph) == {(f"level 1 switch 0,{a}", f"level 2 switch 0,{b}"): 2 for a in range(4) for b in range(2)}
    assert [homes(graph)[f"node-{n}.x"] for n in (0, 3, 4, 15)] == [f"level 1 switch 0,{n}" for n in (0, 0, 1, 3)]


def test_a_simgrid_dragonfly(tmp_path):
    """Three groups of two chassis with two routers, each with two nodes; three parallel links between groups."""
    graph = read(tmp_path, platform("DRAGONFLY", "3,3;2,1;2,2;2", "0-23"))
    found = cables(graph)
    kinds = Counter()
    for (a, b), count in found.items():
        (g, c, r), (h, d, s) = (tuple(map(int, name.removeprefix("router ").split(","))) for name in (a, b))
        kind = "blue" if g != h else "black" if c != d else "green"
        assert kind == "blue" or (kind == "black") == (r == s)
        kinds[kind, count] += 1
    # Green: a link of two in each of six chassis; black: two in each group; blue: one in each of three pairs of groups.
    assert kinds == {("green", 2): 6, ("black", 1): 6, ("blue", 3): 3}
    assert found["router 0,0,1", "router 1,0,0"] == 3
    assert Counter(homes(graph).values()) == dict.fromkeys(graph.names, 2)


def test_a_simgrid_zone(tmp_path):
    zone = (
        '<platform version="4.1">\n<AS id="z" routing="Floyd">\n<host id="h" speed="1f"/><router id="r"/><router id="s"/>\n'
        '<link id="a" bandwidth="1Bps"/><link id="b" bandwidth="1Bps"><prop id="links" value="3"/></link>\n'
        '<route src="h" dst="r"><link_ctn id="a"/></route><route src="r" dst="s"><link_ctn id="b"/></route>\n</AS></platform>'
    )
    graph = read(tmp_path, zone, "simgrid")
    assert (cables(graph), homes(graph)) == ({("r", "s"): 3}, {"h": "r"})


PLATFORM = platform("TORUS", "2,2", "0-3")

#: ``{test: (text, line of the error, part of the message)}``.
BAD = {
    "subnet-port": (SUBNET + '[3] "S-b0"\n', 24, r"expected a port such as \[1\] \"H-1\"\[1\]\(2\)"),
    "subnet-node": (SUBNET + "Hub 3\n", 24, "expected a port such as"),
    "subnet-elsewhere": (SUBNET.replace('b0"[2]', 'b0"[5]', 1), 15, "leads elsewhere in line 9"),
    "subnet-twice": (SUBNET + 'Ca 1 "H-00000000000000c0"\n', 24, "a node must be listed once"),
    "subnet-missing": (SUBNET[: SUBNET.index("vendid", 100)], 10, "is no node of the file"),
    "gml-value": (ZOO.replace("directed 0", "directed ]"), 5, "expected a value of directed.*, not ']'"),
    "gml-end": (ZOO.removesuffix("]\n"), 13, r"expected a key or \], not 'the end of the file'"),
    "gml-id": (ZOO.replace("source 2", "sauce 2"), 12, "expected source, a number or a text"),
    "gml-node": (ZOO.replace("target 2", "target 5"), 11, "an edge must end at a node of the graph, not 5"),
    "gml-twice": (ZOO.replace("id 2 ", "id 0 "), 9, "a node must be listed once, not 0 again"),
    "dot-edge": ("graph {\n a -> b\n}", 2, "expected -- between nodes, not '->'"),
    "dot-end": ("graph {\n a -- b\n", 3, "expected a node, an edge or }, not 'the end of the file'"),
    "dot-port": ("graph {\n a: -- b }", 2, "expected a port, not '--'"),
    "dot-group": ("graph {\n a -- { b c } }", 2, "expected a node, not '{'"),
    "cray": (CRAY + "c0-0c0s1a0l04 -> nowhere\n", 7, "expected a tile such as"),
    "cray-elsewhere": (CRAY.replace("-> c0-0c0s0a0l02", "-> c0-0c0s0a0l04"), 3, "leads elsewhere in line 5"),
    "cray-twice": (CRAY + CRAY.splitlines()[1] + "\n", 7, "tile c0-0c0s0a0l01 is listed twice"),
    "adjacency-word": ("a b c\nb {c}\nc\n{c}\n", 2, "expected a vertex and its neighbours, not '{c}'"),
    "cables": ("from,port,to,to_port\na,1,b,1\na,1,c,1\n", 3, "port 1 of a has a cable already, in line 2"),
    "cables-short": ("from,port,to,to_port\na,1,b\n", 2, "a cable must have from, port, to, to_port"),
    "simgrid-form": (PLATFORM.replace("TORUS", "RING"), 4, "topology of a cluster must be one of FLAT, TORUS"),
    "simgrid-parameters": (PLATFORM.replace("2,2", "2;2"), 4, "topo_parameters of TORUS must have the form 3,2,2, not '2;2'"),
    "simgrid-radical": (PLATFORM.replace("0-3", "0-4"), 4, "radical must name as many hosts as TORUS 2,2 has, 4, not '5'"),
    "simgrid-routing": ('<platform>\n<zone id="z" routing="Full"/></platform>', 2, "one zone with a routing of Floyd"),
    "simgrid-route": (
        '<platform>\n<zone id="z" routing="Floyd">\n<zoneRoute/></zone></platform>',
        3,
        "zoneRoute is not supported",
    ),
    "simgrid-levels": (platform("FAT_TREE", "2;4;1;1", "0-3"), 4, "a number of levels, and as many children"),
    "graphml-end": ("<graphml><graph>\n<node id='a'/>\n<edge source='a' target='b'/></graph></graphml>", 3, "must end at a node"),
}


@pytest.mark.parametrize(("text", "line", "part"), BAD.values(), ids=BAD)
def test_a_bad_line_is_named(tmp_path, text, line, part):
    with pytest.raises(UsageError, match=part) as raised:
        read(tmp_path, text)
    assert str(raised.value).startswith(f"{tmp_path / 'file'}, line {line}: ")
    assert "\n" not in str(raised.value)


def test_bad_json_of_a_topology(tmp_path):
    head = '{"format": "dsnswitch-topology", "nodes": [{"number": 0}, {"number": 1}], "links": [%s]}'
    for text, part in (
        ('{"source": 0, "target": 2}', r"target of links\[0\] must be in 0..1, not '2'"),
        ("3", "lists of objects"),
    ):
        with pytest.raises(UsageError, match=part):
            read(tmp_path, head % text, "json")


@pytest.mark.parametrize("text", ["", "0 1\n", "from,port,end\na,1,b\n"])
def test_a_stated_format_that_the_file_has_not(tmp_path, text):
    """Every reader refuses what is not of its format, even if it was chosen by name."""
    for form in FORMATS.keys() - {"edges", "adjacency"}:
        with pytest.raises(UsageError):
            read(tmp_path, text, format=form)


def test_a_list_of_cables_has_whole_columns():
    head = ",".join(COLUMNS)
    assert all(recognise_cables(head + rest) for rest in ("", "\na,1,b,1\n", "\r\n", ",metres\n"))
    assert not any(recognise_cables(head + rest) for rest in ("\0\n", "s\n"))
