"""Graph files: formats are recognised by content, separators mean what they look like, other formats are named."""

import time
from itertools import combinations

import networkx as nx
import pytest
from graph_files import read

from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.messages import UsageError

TRIANGLE = list(combinations("012", 2))
READ = "dsnswitch topologies graph lists the formats that are read"
EXPORT = "# source target kind level\n"


def links(graph):
    """Every link by the names of its ends, sorted."""
    names = [sorted(graph.names[end[0]] for end in (link.source, link.target)) for link in graph.links()]
    return sorted(map(tuple, names))


LISTS = {
    "spaces": "0 1\n0 2\n1 2\n",
    "tabs": "0\t1\n0\t2\n1\t2\n",
    "comma": "0,1\n0,2\n1,2\n",
    "comma-space": "0, 1\n0 , 2\n1 ,2\n",
    "dashes": "0 -- 1\n0--2\n1 --- 2\n",
    "dash": "0 - 1\n0 - 2\n1 - 2\n",
    "arrows": "0 -> 1\n0->2\n1 --> 2\n",
    "both-ways": "0 -> 1\n1 -> 0\n0 -> 2\n2 -> 0\n1 <-> 2\n",
    "mixed": "# source target kind level\n0 1 local -\n0 2 x 3\n1, 2  # the last\n",
    "anynet-without-suffix": "router 0 node 7 router 1\nrouter 1 router 2\nrouter 2 router 0\n",
    "anynet-after-comments": "# a ring\n\nnode 7 router 0\nrouter 0 router 1 router 2\nrouter 1 router 2\n",
    "graphml": nx.generate_graphml,
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_a_triangle_in_every_form(tmp_path, text):
    if callable(text):
        text = "\n".join(text(nx.Graph(TRIANGLE)))
    graph = read(tmp_path, text)
    assert [tuple(end.removeprefix("router ") for end in link) for link in links(graph)] == TRIANGLE
    assert list(graph.hosts) == (["7"] if "node 7" in text else [])


def test_two_readings_are_equal_if_the_file_is(tmp_path):
    """They share tables. The order of the links decides about the numbers of ports."""
    graph, again = (read(tmp_path, LISTS["spaces"]) for _ in range(2))
    assert {graph, again, graph.fabric, again.fabric} == {graph}
    assert graph != read(tmp_path, "0 2\n0 1\n1 2\n")


def test_content_counts_and_not_the_suffix(tmp_path):
    for suffix in ("graphml", "anynet", "txt"):
        path = tmp_path / f"graph.{suffix}"
        path.write_text("0 1\n1 2\n0 2\n")
        assert links(read_graph(path)) == TRIANGLE


def test_names_with_dashes_and_commas(tmp_path):
    graph = read(tmp_path, "0,0 0,1\nleaf-1 -2\nleaf-1 0_1\n")
    assert set(graph.names) == {"0,0", "0,1", "leaf-1", "-2", "0_1"}
    assert links(graph) == [("-2", "leaf-1"), ("0,0", "0,1"), ("0_1", "leaf-1")]


def test_arrows_that_are_listed_again_are_parallel_links(tmp_path):
    assert links(read(tmp_path, "a -> b\na -> b\nb -> a\n")) == [("a", "b")] * 2
    assert links(read(tmp_path, "a b\nb a\na c\n")) == [("a", "b")] * 2 + [("a", "c")]


@pytest.mark.parametrize("form", ["edges", "anynet"])
def test_a_given_format_is_taken(tmp_path, form):
    """A switch may have the name ``router``."""
    text = "router 0 router 1\n" if form == "anynet" else "router 0\nrouter 1\n"
    assert read(tmp_path, text, format=form).link_count == (1 if form == "anynet" else 2)


def written(write):
    """A format by the writer of networkx, for a cubic graph."""

    def text(tmp_path):
        path = tmp_path / "other"
        write(nx.random_regular_graph(3, 8, seed=1), path)
        return path.read_text()

    return text


#: ``{test: (text, line of the error, name of the format or None)}``.
FOREIGN = {
    "pajek": (written(nx.write_pajek), 1, "Pajek"),
    "pajek-edges": ("*Edges\n1 2\n2 3\n", 1, "Pajek"),
    "metis": ("4 5\n2 3 4\n1 3\n1 2 4\n1 3\n", 2, "a METIS graph"),
    "metis-ring": ("% ring\n4 4\n2 4\n1 3\n2 4\n1 3\n", 1, "a METIS graph"),
    "dimacs": ("c x\np edge 3 2\ne 1 2\ne 2 3\n", 2, "DIMACS"),
    "gexf": (written(nx.write_gexf), 2, "GEXF"),
    "multiline-adjacency": (written(nx.write_multiline_adjlist), 5, "a networkx list with data"),
    "data": (written(nx.write_edgelist), 1, "a networkx list with data"),
    "weights": ("0 1 5\n1 2 5\n", 1, "a weighted edge list"),
    "weights-comma": ("0,1,0.5\n1,2,1e3\n", 1, "a weighted edge list"),
    "matrix": ("0 1 1\n1 0 1\n1 1 0\n", 1, "an adjacency matrix"),
    "header": ("source target\n0 1\n1 2\n", 1, "a table with a header line"),
    "header-names": ("from to\nleaf spine\nspine top\n", 1, "a table with a header line"),
    "header-other": ("A-side B-side\n0 1\n1 2\n", 1, "a table with a header line"),
    "header-weights": ("src dst weight\n0 1 5\n1 2 5\n", 1, "a table with a header line"),
    "json": ('{"vertices": []}\n', 1, "JSON of another program"),
    "matrix-market": ("%%MatrixMarket matrix coordinate pattern\n2 2 1\n1 2\n", 1, "MatrixMarket"),
    "graph6": (written(nx.write_graph6), 1, "graph6 or sparse6"),
    "lemon": ("@nodes\nlabel\n0\n@arcs\n0 1\n", 1, "LEMON"),
    "trivial": ("1 first\n2 second\n#\n1 2\n", 1, "Trivial Graph Format"),
    "tuples": ("(0, 1)\n(1, 2)\n", 1, None),
    "quotes": ("'0','1'\n", 1, None),
    "semicolons": ("0 1\n1;2\n", 2, None),
    "end-comma": ("0, 1,\n", 1, None),
    "start-dash": ("0 1\n-- 1\n", 2, None),
    "end-dash": ("0 --\n", 1, None),
    "left-arrow": ("a <- b\n", 1, None),
    "kind-without-head": ("0 1 x 2\n", 1, None),
    "kind-unknown": (EXPORT + "0 1 x y\n", 2, None),
    "weight-after-head": (EXPORT + "0 1 5\n", 2, "a weighted edge list"),
    "metis-ring-plain": ("4 4\n2 4\n1 3\n2 4\n1 3\n", 1, "a METIS graph"),
    "drawing": ("\u2559\u2500\u2500 0\n    \u2514\u2500\u2500 1\n", 1, None),
    "word": ("0 1\n1 2 fast\n", 2, None),
}


@pytest.mark.parametrize(("text", "line", "form"), FOREIGN.values(), ids=FOREIGN)
def test_any_other_format_is_refused_by_name(tmp_path, text, line, form):
    with pytest.raises(UsageError) as raised:
        read(tmp_path, text(tmp_path) if callable(text) else text)
    message = str(raised.value)
    assert message.startswith(f"{tmp_path / 'file'}, line {line}: ")
    assert message.endswith(READ)
    assert "\n" not in message
    assert (f"this looks like {form};" in message) if form else ("looks like" not in message)


def test_time_of_recognition(tmp_path):
    """Patterns take linear time for white space and repeated characters."""
    for text in (" " * 60_000, "\n" * 60_000, "graph" + " " * 60_000, "-" * 60_000, "Switch" + " " * 60_000, "/*" * 30_000):
        with pytest.raises(UsageError):
            read(tmp_path, text)


def test_time_of_graphml(tmp_path):
    """White space between 100,000 elements, in a file of 13 MB, takes linear time."""
    edge = "<edge source='0' target='1'/>" + " " * 100
    text = f"<graphml><graph><node id='0'/><node id='1'/>{edge * 100_000}</graph></graphml>"
    start = time.process_time()
    assert read(tmp_path, text).link_count == 100_000
    assert time.process_time() - start < 5
