"""No file becomes a wrong graph: switches without a link, and links that are listed in both directions."""

from collections import Counter

import networkx as nx
import pytest
from graph_files import cables, homes, read

from dsnswitch.net.files.export import export
from dsnswitch.net.files.formats.registry import FORMATS
from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.graph import Graph

SQUARE = nx.cycle_graph(4)


def lines(form):
    """The text that a writer of networkx makes of a graph."""
    return lambda net: "\n".join(form(net)) + "\n"


#: ``{form: text of a graph of networkx}``. The second graph of a test is directed.
WRITERS = {
    "edges": lines(lambda net: nx.generate_edgelist(net, data=False)),
    "comma": lines(lambda net: nx.generate_edgelist(net, ",", data=False)),
    "graphml": lines(nx.generate_graphml),
    "gml": lines(nx.generate_gml),
    "adjacency": lines(nx.generate_adjlist),
    "dot": lambda net: "graph {" + ";".join(f"{a} -- {b}" for a, b in net.edges) + "}",
    "graphml-undirected": lambda net: WRITERS["graphml"](net).replace(
        'edgedefault="directed"', 'edgedefault="undirected"'
    ),
    "gml-undirected": lambda net: WRITERS["gml"](net).replace("directed 1", "directed 0"),
}

#: Writers that say themselves whether a graph is directed. Links of others are listed in both directions, which is noted.
SAY = ("graphml", "gml", "adjacency")


@pytest.mark.parametrize("form", WRITERS)
def test_a_link_in_both_directions_is_one_link(tmp_path, capsys, form):
    wanted = Counter(tuple(map(str, edge)) for edge in SQUARE.edges)
    assert cables(read(tmp_path, WRITERS[form](SQUARE))) == wanted
    assert capsys.readouterr().err == ""
    assert cables(read(tmp_path, WRITERS[form](SQUARE.to_directed()))) == wanted
    noted = f"dsnswitch: {tmp_path / 'file'}: each link is listed once in each direction: both are one link\n"
    assert capsys.readouterr().err == ("" if form in SAY else noted)


def test_parallel_links_stay(tmp_path, capsys):
    """A link that is listed again is parallel, unless every link is listed exactly once in each direction."""
    for text in ("0 1\n1 0\n1 2\n", "0 1\n0 1\n1 0\n1 0\n", "0 1\n0 1\n"):
        assert read(tmp_path, text).link_count == text.count("\n")
    multigraph = (
        "graph [ multigraph 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] edge [ source 1 target 0 ] ]"
    )
    assert read(tmp_path, multigraph).link_count == 2
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("form", [name for name, form in FORMATS.items() if form.write])
def test_parallel_links_of_ours_stay(tmp_path, capsys, form):
    """Two links whose first ends differ are not taken for one link in two directions."""
    network = Graph("two", [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")])
    assert read(tmp_path, export(network, form)).link_count == 4
    assert capsys.readouterr().err == ""


def test_routes_of_simgrid_in_both_directions(tmp_path):
    routes = "".join(
        f'<route src="{a}" dst="{b}" symmetrical="NO"><link_ctn id="l"/></route>'
        for a, b in (("h", "r"), ("r", "h"), ("r", "s"), ("s", "r"))
    )
    text = (
        '<platform><zone id="z" routing="Floyd"><host id="h"/><router id="r"/><router id="s"/><link id="l"/>'
        f"{routes}</zone></platform>"
    )
    graph = read(tmp_path, text)
    assert (cables(graph), homes(graph)) == ({("r", "s"): 1}, {"h": "r"})


#: A switch ``c`` without a link beside the link of ``a`` and ``b``.
ALONE = {
    "gml": 'graph [ node [ id "a" ] node [ id "b" ] node [ id "c" ] edge [ source "a" target "b" ] ]',
    "dot": "graph { a; b; c; a -- b }",
    "graphml": "<graphml><graph><node id='a'/><node id='b'/><node id='c'/><edge source='a' target='b'/></graph></graphml>",
    "adjacency": "a b\nb\nc\n",
    "cray": "c0-0c0s0a0l00 green -> c0-0c0s1a0l10\nc0-0c0s2a0l01 blue -> unused\n",
    "simgrid": '<platform><zone id="z" routing="Floyd"><router id="a"/><router id="b"/><router id="c"/><link id="l"/>'
    '<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>',
    "json": '{"format": "dsnswitch-topology", "nodes": [{"number": 0}, {"number": 1}, {"number": 2}], '
    '"links": [{"source": 0, "target": 1}]}',
}


@pytest.mark.parametrize("form", ALONE)
def test_a_switch_without_a_link_is_refused_by_name(tmp_path, form):
    name = {"json": "2", "cray": "c0-0c0s2a0"}.get(form, "c")
    with pytest.raises(UsageError, match=f": switch {name} has no link$"):
        read(tmp_path, ALONE[form], form=form)


def test_switches_and_hosts_without_a_link_are_counted(tmp_path):
    with pytest.raises(UsageError, match=r"switch c has no link, nor have 2 others$"):
        read(tmp_path, "graph { c; d; e; a -- b }")
    with pytest.raises(UsageError, match=r"host h has no link$"):
        read(tmp_path, "graph { h [type=host]; a -- b }")
