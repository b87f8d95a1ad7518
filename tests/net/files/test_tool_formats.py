"""Files of simulators, schedulers and tools of graphs: ns-3, Slurm, node-link JSON, CSV, DOT with ports."""

import json
import re

import networkx as nx
import pytest
from graph_files import cables, homes, read

from dsnswitch.net.messages import UsageError

HPCC = """5 2 5
3 4
0 3 100Gbps 1us 0
1 3 100Gbps 0.001ms 0.0
2 4 25000000000bps 1000ns 1e-9
3 4 400Gbps 1us 0
3 4 400Gbps 1us 0

First line: total node #, switch node #, link #
"""

#: Two servers of two GPUs with an NVSwitch (4, 5), each GPU at two of the switches 6 and 7, which are joined by 8.
SIMAI = "9 2 2 3 14 H100\n4 5 6 7 8 \n" + "".join(
    f"{gpu} {to} {rate} 0.0005ms 0\n"
    for gpu in range(4)
    for to, rate in ((4 + gpu // 2, "2880Gbps"), (6, "200Gbps"), (7, "200Gbps"))
)
SIMAI += "6 8 400Gbps 0.0005ms 0\n7 8 400Gbps 0.0005ms 0\n"


def test_topologies_of_ns3(tmp_path, capsys):
    graph = read(tmp_path, HPCC, "ns3")
    assert (cables(graph), homes(graph)) == ({("3", "4"): 2}, {"0": "3", "1": "3", "2": "4"})
    assert read(tmp_path, HPCC.replace("3 4\n", "3\n4\n", 1), "ns3").names == ("3", "4")
    assert capsys.readouterr().err == ""
    assert cables(read(tmp_path, HPCC.replace("5 2 5", "5 2 4"), "ns3")) == {("3", "4"): 1}
    assert "1 links after the 4 that the first line states are left out" in capsys.readouterr().err


def test_topologies_of_simai(tmp_path, capsys):
    """NVSwitches are left out with a note, and a GPU with two cables is two hosts."""
    graph = read(tmp_path, SIMAI, "ns3")
    assert cables(graph) == {("6", "8"): 1, ("7", "8"): 1}
    assert homes(graph) == {f"{gpu}/P{port}": str(5 + port) for gpu in range(4) for port in (1, 2)}
    noted = f"dsnswitch: {tmp_path / 'file'}: 2 NVSwitches, which are inside servers, are left out\n"
    assert capsys.readouterr().err == noted
    # Without other switches, they are the network.
    inside = "3 2 1 0 2 A100\n2\n0 2 2400Gbps 1ns 0\n1 2 2400Gbps 1ns 0\n"
    assert homes(read(tmp_path, inside, "ns3")) == {"0": "2", "1": "2"}


SLURM = """# A comment
SwitchName=leaf1 Nodes=n[01-02,4],login
SWITCHNAME=l2 nodes=n[10-11]-ib[0-1] LinkSpeed=900   # of the link
SwitchName=s1 \\
   Switches=l2,leaf1
SwitchName=s2 Switches=l2,leaf1
"""


def test_trees_of_slurm(tmp_path):
    graph = read(tmp_path, SLURM, "slurm")
    assert cables(graph) == {(leaf, spine): 1 for leaf in ("l2", "leaf1") for spine in ("s1", "s2")}
    assert homes(graph) == dict.fromkeys(("n01", "n02", "n4", "login"), "leaf1") | {
        f"n{n}-ib{port}": "l2" for n in (10, 11) for port in (0, 1)
    }
    shown = "SwitchName=a Level=0 LinkSpeed=1 Nodes=x\nSwitchName=b Level=1 LinkSpeed=1 Nodes=x Switches=a\n"
    graph = read(tmp_path, shown, "slurm")
    assert (cables(graph), homes(graph)) == ({("a", "b"): 1}, {"x": "a"})
    both = read(tmp_path, "SwitchName=a Switches=b Nodes=x\nSwitchName=b Switches=a Nodes=y\n")
    assert (cables(both), homes(both)) == ({("a", "b"): 1}, {"x": "a", "y": "b"})


def test_node_link_data_of_networkx(tmp_path):
    """Both names of the list of links, with data; places of a grid; directed graphs; multigraphs."""
    grid = nx.grid_2d_graph(2, 3)
    wanted = {tuple(",".join(map(str, at)) for at in link): 1 for link in grid.edges}
    for links in ("links", "edges"):
        assert cables(read(tmp_path, json.dumps(nx.node_link_data(grid, edges=links)), "node-link")) == wanted
    assert cables(read(tmp_path, json.dumps(nx.node_link_data(grid.to_directed(), edges="links")))) == wanted
    net = nx.MultiGraph([("a", "b"), ("b", "a"), ("a", "h")], name="n")
    net.nodes["h"]["type"] = "host"
    graph = read(tmp_path, json.dumps(nx.node_link_data(net, edges="edges"), sort_keys=True, indent=1), "node-link")
    assert (cables(graph), homes(graph)) == ({("a", "b"): 2}, {"h": "a"})


def test_node_link_data_of_d3(tmp_path, capsys):
    """Without ids, links end at positions. Links in both directions are one."""
    links = [{"source": a, "target": b, "value": 1} for a, b in ((0, 1), (1, 2), (1, 0), (2, 1))]
    text = json.dumps({"nodes": [{"name": name} for name in "xyz"], "links": links})
    assert cables(read(tmp_path, text, "node-link")) == {("0", "1"): 1, ("1", "2"): 1}
    assert "each link is listed once in each direction" in capsys.readouterr().err


CSV = {
    "semicolons": "a b;c\nc;d\nd;a b\n",
    "quotes": '"a b","c"\n"c","d"\n"d","a b"\n',
    "quoted-separator": '"a b";"c"\n"c";"d"\nd;"a b"\n',
    "header": "source,target\na b,c\nc,d\nd,a b\n",
    "gephi": "Source;Target;Type;Id;Weight\na b;c;Undirected;0;1.0\nc;d;Undirected;1;1.0\nd;a b;Undirected;2;1.0\n",
    "columns": "#  of pandas\n,weight,To,From\n0,1.5,a b,c\n1,2,c,d\n\n2,3,d,a b\n",
    "tabs": "src\tdst\na b\tc\nc\td\nd\ta b\n",
    "directed": "Source,Target,Type\na b,c,Directed\nc,a b,Directed\nc,d,Directed\nd,a b,Directed\n",
}


@pytest.mark.parametrize("text", CSV.values(), ids=CSV)
def test_a_triangle_in_every_csv(tmp_path, text):
    assert cables(read(tmp_path, text, "csv")) == {("a b", "c"): 1, ("c", "d"): 1, ("a b", "d"): 1}


def test_hosts_of_csv(tmp_path):
    assert homes(read(tmp_path, "0;2\n1;3\n2;3\n", hosts=2)) == {"0": "2", "1": "3"}


PTM = """graph G {
  graph [hostidtype="hostname", version="1:0"]; LLDP="" BFD="upMinTx=150"
  "spine1" [function="spine" os="a"]
  "leaf1":"swp51" -- "spine1":"swp2" [left_mac="44:38"]
  "leaf1":"swp2" -- "spine1":"swp10":w
  "leaf2":"swp51" -- "spine1":"swp1"
  "spine1":"swp1" -- "leaf2":"swp51"
  server [function="host"]
  server:eth1 -- leaf1:swp1
  server:eth2 -- leaf2:swp1
  pc [type=host]; pc -- leaf1:n
}
"""


def test_ports_of_dot(tmp_path):
    """Ports have the order of their names, and those without a name follow. A cable may be listed at both ends."""
    graph = read(tmp_path, PTM, "dot")
    assert cables(graph) == {("leaf1", "spine1"): 2, ("leaf2", "spine1"): 1}
    assert homes(graph) == {"server/eth1": "leaf1", "server/eth2": "leaf2", "pc": "leaf1"}
    leaf, other, spine = map(graph.parse_switch, ("leaf1", "leaf2", "spine1"))
    # leaf1 has swp1, swp2, swp51 and a port without a name, spine1 swp1, swp2, swp10.
    assert [graph.neighbour(leaf, port) for port in range(4)] == [None, (spine, 2), (spine, 1), None]
    assert [graph.neighbour(spine, port) for port in range(3)] == [(other, 1), (leaf, 2), (leaf, 1)]


#: ``{test: (text, line or None, part of the message)}``.
BAD = {
    "ns3-few": (HPCC.replace("5 2 5", "5 2 6"), 9, "expected 6 links such as .*, and this is number 6, not 'First"),
    "ns3-node": (HPCC.replace("2 4 25", "2 5 25"), 5, r"a node must be in 0\.\.4, not '5'"),
    "ns3-switches": (HPCC.replace("3 4\n", "3 4 2\n", 1), 2, "expected the numbers of 2 switches"),
    "ns3-alone": (HPCC.replace("5 2 5", "6 2 5"), None, "host 5 has no link"),
    "slurm-key": (SLURM.replace("LinkSpeed", "Speed"), 3, "expected SwitchName=... with Nodes=... or Switches="),
    "slurm-block": ("BlockName=b Nodes=n[1-8]\n", 1, "expected SwitchName=..."),
    "slurm-range": (SLURM.replace("01-02", "03-02"), 2, "a range must rise, by less than 262144, not '03-02'"),
    "slurm-name": (SLURM.replace("[01-02,4]", "[01-02,4"), 2, "expected names such as"),
    "slurm-again": (SLURM + "SwitchName=s1 Nodes=x\n", 7, "a switch must have one line, not s1 again after line 4"),
    "slurm-child": (SLURM + "SwitchName=s3 Switches=l3\n", 7, "switch l3 must have a line of its own"),
    "slurm-twice": (SLURM + "SwitchName=s3 Switches=l2,l2\n", 7, "a line must list each end once"),
    "slurm-both": (SLURM + "SwitchName=s3 Nodes=l2\n", 7, "l2 must be a switch or a node, not both"),
    "slurm-many": ("SwitchName=a Nodes=n[1-9999][1-9999]\n", 1, "a list must have at most 262144 names"),
    "slurm-alone": (SLURM + "SwitchName=s9\n", None, "switch s9 has no link"),
    "json-links": ('{"nodes": []}', None, "this JSON must have nodes and links, or edges, which are lists of objects"),
    "json-end": (
        '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": "2"}]}',
        None,
        r"links\[0\] must end at a node .*, not '2'",
    ),
    "json-id": (
        '{"nodes": [{"id": 1}, {"id": 1.5}], "links": []}',
        None,
        r"id of nodes\[1\] must be a text, an integer or a list",
    ),
    "json-twice": ('{"nodes": [{"id": 1}, {"id": "1"}], "links": []}', None, "ids of nodes must differ, not be '1' twice"),
    "json-alone": (
        '{"nodes": [{"id": 1}, {"id": 2}, {"id": 3}], "links": [{"source": 1, "target": 2}]}',
        None,
        "switch 3 has no link",
    ),
    "csv-columns": ("0;1\n1;2;5\n", 2, "a row must have 2 columns, and a vertex at both ends"),
    "csv-empty": ('"0",""\n"",""\n', 1, "not understood as a vertex"),
    "csv-quote": ('"0","1"\n"1",2"\n', 2, "quotes must enclose a whole vertex"),
    "csv-inside": ('"0","1"\n"1"2,3\n', 2, "this is not CSV: "),
    "csv-name": ("source,target\na,b\nb,source\n", 3, "a vertex must not have the name of a column"),
    "dot-twice": (PTM.replace("swp10", "swp2"), 5, "port swp2 of spine1 has a link already, in line 4"),
    "dot-hosts": ("graph { h [type=host]; h -- a; h -- b; a -- b }", None, "host h must have one link, to a switch, not a, b"),
}


@pytest.mark.parametrize(("text", "line", "part"), BAD.values(), ids=BAD)
def test_a_bad_file_is_named(tmp_path, text, line, part):
    with pytest.raises(UsageError, match=part) as raised:
        read(tmp_path, text)
    place = f"{tmp_path / 'file'}" + (f", line {line}: " if line else "")
    assert re.match(re.escape(place), str(raised.value))
    assert "\n" not in str(raised.value)
