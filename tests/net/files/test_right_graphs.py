"""No file becomes a wrong graph: switches without a link, and links in both directions, lines that are no links."""

import json
import random
from collections import Counter

import networkx as nx
import pytest
from graph_files import cables, homes, read

from dsnswitch.net.files.formats.content import Ambiguous
from dsnswitch.net.messages import UsageError

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
    "graphml-undirected": lambda net: WRITERS["graphml"](net).replace('edgedefault="directed"', 'edgedefault="undirected"'),
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
    multigraph = "graph [ multigraph 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] edge [ source 1 target 0 ] ]"
    assert read(tmp_path, multigraph).link_count == 2
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
        read(tmp_path, ALONE[form], format=form)


def test_switches_and_hosts_without_a_link_are_counted(tmp_path):
    with pytest.raises(UsageError, match=r"switch c has no link, nor have 2 others$"):
        read(tmp_path, "graph { c; d; e; a -- b }")
    with pytest.raises(UsageError, match=r"host h has no link$"):
        read(tmp_path, "graph { h [type=host]; a -- b }")


#: Edge lists with a first line of sizes, and their links; vertices are numbered from 1, from 0, or have names.
SIZES = {
    "4 5\n1 2\n2 3\n3 4\n4 1\n1 3\n": 5,
    "4, 5\n0, 1\n1, 2\n2, 3\n3, 0\n0, 2\n": 5,
    "4 4\n1 2\n2 3\n3 4\n4 1\n": 4,
    "3 3\na b\nb c\nc a\n": 3,
    "3 6\n0 1\n1 0\n1 2\n2 1\n2 0\n0 2\n": 3,
    "3 3\n0 1\n1 0\n1 2\n2 1\n2 0\n0 2\n": 3,
    "2 1\na b\n": 1,
}


@pytest.mark.parametrize("text", SIZES)
def test_sizes_in_the_first_line_are_no_link(tmp_path, capsys, text):
    graph = read(tmp_path, text)
    assert (graph.nodes, graph.link_count) == (int(text[0]), SIZES[text])
    line = text.partition("\n")[0]
    noted = f"dsnswitch: {tmp_path / 'file'}: the first line, '{line}', is read as the numbers of vertices and links\n"
    assert noted in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["3 2\n1 2\n2 3\n", "4 3\n3 2\n2 1\n1 0\n", "3 4\n4 7\n3 4\n7 3\n4 3\n", "5 4\n1 2\n2 3\n3 4\n4 1\n"]
)
def test_a_first_line_that_can_be_a_link_or_sizes_is_refused(tmp_path, text):
    """The message says how to state either."""
    line, _, rest = text.partition("\n")
    with pytest.raises(UsageError, match=rf"line 1: is '{line}' a link, or .* Begin it with # if .*, else move it down$"):
        read(tmp_path, text)
    assert read(tmp_path, f"#{text}").link_count == rest.count("\n")
    moved = rest.replace("\n", f"\n{line}\n", 1)
    assert read(tmp_path, moved).link_count == text.count("\n")


def test_sizes_before_lines_of_hosts(tmp_path):
    graph = read(tmp_path, "5 4\nh0 a host\nh1 b host\na b\nb c\n")
    assert (cables(graph), homes(graph)) == ({("a", "b"): 1, ("b", "c"): 1}, {"h0": "a", "h1": "b"})


def test_sizes_that_count_a_vertex_without_a_link(tmp_path):
    with pytest.raises(UsageError, match=r"line 1: fewer vertices have a link \(3\) than the first line states, not '5 3'"):
        read(tmp_path, "5 3\n0 1\n1 2\n2 0\n")


@pytest.mark.parametrize("text", ["0 1\n1 2\n", "4 6\n1 2\n2 3\n3 4\n4 1\n1 3\n", "5 2\n0 2\n2 5\n"])
def test_a_first_line_with_other_numbers_is_a_link(tmp_path, capsys, text):
    assert read(tmp_path, text).link_count == text.count("\n")
    assert capsys.readouterr().err == ""


#: LGL: names or numbers, weights or none. The links are those of a star around b.
LGL = {
    "names": "# a\nb\n# b\nc\nd\n",
    "weights": "# a\nb 1.5\n# b\nc 2\nd 1e+15\n",
    "integer-weights": "# a\nb 1\n# b\nc 1\nd 1\n",
    "some-weights": "# a\nb 1\n# b\nc\nd 2\n",
    "last": "# c\nb 1\n# b\na 1\nd 1\n# d\n# a\n",
}


@pytest.mark.parametrize("text", LGL.values(), ids=LGL)
def test_lgl(tmp_path, text):
    wanted = {("a", "b"): 1, ("b", "c"): 1, ("b", "d"): 1}
    assert cables(read(tmp_path, text, "lgl")) == wanted
    numbered = text.translate(str.maketrans("abcd", "6789"))
    assert cables(read(tmp_path, numbered, "lgl")) == {tuple(str(ord(end) - 91) for end in link): 1 for link in wanted}


@pytest.mark.parametrize("text", ["# hub\na 1\nb 1\n", "# 0\n1 5\n2 5\n", "# a\nx 1\n# b\ny 1\n", "# x\n0 3\n1 4\n"])
def test_comments_or_lgl_must_be_stated(tmp_path, text):
    with pytest.raises(UsageError, match=r"state FILE,format=edges or format=lgl$"):
        read(tmp_path, text)
    stars = [read(tmp_path, text, format=form) for form in ("edges", "lgl")]
    assert stars[0].names != stars[1].names


@pytest.mark.parametrize(
    "text", ["# ring\n0 1\n1 2\n2 0\n", "# K4\n0 1\n0 2\n0 3\n1 2\n1 3\n2 3\n", "# a net\n0 1\n", "#\na b\n"]
)
def test_comments_of_one_word(tmp_path, text):
    assert read(tmp_path, text, "edges").link_count == text.count("\n") - 1


def test_a_bad_line_of_lgl(tmp_path):
    for text, line in (("# a\nb c\n", 2), ("b 1\n", 1), ("# a b\n", 1)):
        with pytest.raises(UsageError, match=f"line {line}: expected '# vertex', or a neighbour"):
            read(tmp_path, text, format="lgl")


#: Writers of a simple graph whose names are numbers; directed graphs have each link in both directions.
MANY = {
    **WRITERS,
    "sizes": lambda net: f"{len(net)} {net.number_of_edges()}\n{WRITERS['edges'](net)}",
    "lgl": lambda net: "".join(f"# {a}\n" + "".join(f"{b} {1 + b % 2}\n" for b in net[a]) for a in net if net[a]),
    "node-link": lambda net: json.dumps(nx.node_link_data(net, edges="links")),
    "semicolons": lines(lambda net: nx.generate_edgelist(net, ";", data=False)),
    "header": lambda net: f"Source,Target\n{WRITERS['comma'](net)}",
    "data": lines(nx.generate_edgelist),
    "multiline": lines(nx.generate_multiline_adjlist),
    "pajek": lines(nx.generate_pajek),
    "gexf": lines(nx.generate_gexf),
    "text": lines(nx.generate_network_text),
    "graph6": lambda net: nx.to_graph6_bytes(net.to_undirected()).decode(),
}

#: Formats that do not list vertices, and those that are not read.
WITHOUT_VERTICES = ("edges", "comma", "dot", "lgl", "semicolons", "header")
NOT_READ = ("data", "multiline", "pajek", "gexf", "text", "graph6")


@pytest.mark.parametrize("form", MANY)
def test_no_random_graph_becomes_another_one(tmp_path, form):
    """Each is read as it is, or refused: with a vertex without a link, in a foreign format, or if it can be two graphs."""
    taken = 0
    for seed in range(40):
        chance = random.Random(seed)
        size = chance.randint(2, 9)
        most = size * (size - 1) // 2
        net = nx.gnm_random_graph(size, chance.randint(1, most), seed) if seed % 4 else nx.random_labeled_tree(size, seed=seed)
        net = nx.relabel_nodes(net, {node: node + seed % 2 for node in net}) if "gml" not in form else net
        wanted = Counter(tuple(sorted(map(str, edge))) for edge in net.edges)
        written = net.to_directed() if seed % 3 == 0 else net
        try:
            found = cables(read(tmp_path, MANY[form](written)))
        except UsageError as error:
            alone = min(dict(net.degree).values()) == 0 and form not in WITHOUT_VERTICES
            if not (alone or form in NOT_READ or isinstance(error, Ambiguous)):
                raise
            continue
        taken += 1
        assert found == wanted, seed
        assert form in WITHOUT_VERTICES or min(dict(net.degree).values()) > 0
    assert (taken == 0) == (form in NOT_READ)
