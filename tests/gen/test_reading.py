"""Users' files: bounded, UTF-8, and without contradictions or values that an output cannot represent."""

import json
import os
import stat

import pytest
from wirings import ports

from dsnswitch.net.files.readers import read_graph
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import MOST_SETTINGS, read_json, read_text, read_toml
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.files import read_tables

DEEP = 100_000


def refused(read, path, content, message):
    """Check that ``read`` refuses a file with ``content``; returns the message, which is one line."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    with pytest.raises(UsageError, match=message) as raised:
        read(path)
    return str(raised.value)


def test_no_more_than_the_limit_is_read(tmp_path):
    """A copy of /dev/zero has no end. A file as long as the limit is read, a file with one more byte is not."""
    path = tmp_path / "file"
    path.write_text("x" * 10)
    assert read_text(path, "File", 10) == "x" * 10
    with pytest.raises(UsageError, match="must have at most 9 bytes; it has more"):
        read_text(path, "File", 9)
    try:
        os.mknod(tmp_path / "zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        open(tmp_path / "zero", "rb").close()
    except PermissionError:
        pytest.skip("only root makes devices")
    with pytest.raises(UsageError, match=f"at most {MOST_SETTINGS} bytes"):
        read_toml(tmp_path / "zero", "File")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "is not text"),
        ("[" * DEEP, "at most 32 levels of nesting"),
        ("[" * DEEP + "]" * DEEP, "at most 32 levels of nesting"),
        ("[" * 34 + "]" * 34, "at most 32 levels of nesting"),
        ('{"a":' * 34 + "1" + "}" * 34, "at most 32 levels of nesting"),
        ("9" * 5000, "malformed: Exceeds the limit"),
        ("9" * 20, "an integer must have at most 63 bits, not 67"),
        ('{"a": {"b": 1, "b": 2}}', "an object must have each key once, not 'b' twice"),
        ("[NaN]", "NaN is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("[1e999]", "a number must be finite, not inf"),
        ('["\\ud800"]', r"'\\\\ud800' holds half of a surrogate pair"),
        ('{"\\udfff": 1}', "holds half of a surrogate pair"),
        ('"\ud800"', "is not text"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_json(tmp_path, content, message):
    assert len(refused(lambda path: read_json(path, "File"), tmp_path / "file", content, message)) < 400


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a = " + "[" * 9999, "at most 32 levels of nesting"),
        ("[" + ".".join("a" * 9999) + "]", "at most 32 levels of nesting"),
        ("a = " + "9" * 5000, "malformed: Exceeds the limit"),
        ("a = 0x" + "f" * 5000, "an integer must have at most 63 bits, not 20000"),
        ("a = nan", "a number must be finite, not nan"),
        ("a = 1\na = 2", "malformed: Cannot overwrite a value"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_toml(tmp_path, content, message):
    refused(lambda path: read_toml(path, "File"), tmp_path / "file", content, message)


def test_values_that_are_well(tmp_path):
    path = tmp_path / "file"
    value = {"a": [1, -2.5, True, None, "ä€😀"], "b": {}, "c": (1 << 63) - 1}
    path.write_text("\ufeff" + json.dumps(value, ensure_ascii=False))
    assert read_json(path, "File") == value
    path.write_text("[" * 33 + "]" * 33)
    read_json(path, "File")


HEAD = "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>"
NODES = "<node id='a'/><node id='b'/>"


def graphml(inside="", nodes=NODES, kind="undirected", more=""):
    return f"{HEAD}\n<graph edgedefault='{kind}'>\n{nodes}\n{inside}</graph>\n{more}</graphml>"


EDGE = "<edge source='a' target='b'/>\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (graphml("<edge source='a'/>"), "line 4: an element edge must have a target"),
        (graphml("<edge target='a'/>"), "line 4: an element edge must have a source"),
        (graphml("<edge source='a' target=''/>"), "line 4: an element edge must have a target"),
        (graphml(EDGE + "<edge source='a' target='c'/>"), "line 5: an edge must end at a node of the graph, not 'c'"),
        (graphml(EDGE, NODES + "<node id='a'/>"), "line 3: a node must be listed once, not 'a' again"),
        (graphml(EDGE, NODES + "<node/>"), "line 3: an element node must have an id"),
        (graphml(EDGE, NODES + "<node id='c'/>"), "switch c has no link"),
        (graphml(EDGE, more=f"<graph>{NODES}</graph>"), "line 6: a file must have one graph; this is the second"),
        (graphml(EDGE, "<node id='a'><graph/></node><node id='b'/>"), "a file must have one graph"),
        (graphml("<hyperedge/>"), "the element hyperedge is not supported"),
        (graphml(EDGE, "<node id='a'><port name='n'/></node><node id='b'/>"), "the element port is not supported"),
        (graphml(), "has no link"),
        (f"{HEAD}</graphml>", "has no link"),
        ("<html/>", "line 1: the outermost element must be graphml, not 'html'"),
        (graphml("<a>" * DEEP), "at most 32 levels of nesting"),
        (graphml("&lol;"), "is not XML: undefined entity"),
        ('<!DOCTYPE g [<!ENTITY a "b">]>' + graphml(EDGE), "line 1: a document type declaration is not allowed"),
        ('<!DOCTYPE g SYSTEM "file:///etc/passwd">' + graphml(EDGE), "a document type declaration is not allowed"),
        (graphml(EDGE) + "<more/>", "is not XML: junk after document element"),
        (graphml(EDGE.replace("'a'", "'a&#10;b'"), NODES.replace("'a'", "'a&#10;b'")), "100 printable characters"),
    ],
    ids=range(20),
)
def test_graphml(tmp_path, content, message):
    refused(read_graph, tmp_path / "g.graphml", content, message)


def test_graphml_in_the_order_of_the_file(tmp_path):
    """Links have the order of the file; hosts follow from the attribute or its default; directed edges are paired."""
    path = tmp_path / "g.graphml"
    key = "<key id='k' for='node' attr.name='type' attr.type='string'><default>host</default></key>"
    switch = "<node id='{}'><data key='k'> switch </data></node>"
    nodes = switch.format("s") + switch.format("t") + "<node id='h'/>"
    edges = "".join(f"<edge source='{a}' target='{b}'/>" for a, b in ("ht", "st", "ts", "th"))
    path.write_text(graphml(edges, nodes, "directed").replace(HEAD, HEAD + key))
    wiring = Wiring(read_graph(path))
    assert ports(wiring) == {"t": ("h", "s"), "s": ("t",)}
    assert list(wiring.ends.names) == ["h"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.edges", f"0 {'9' * 5000}\n", "a vertex must have a name of at most 100 printable characters, not '999"),
        ("g.edges", "a b\x07\n", "at most 100 printable characters, not 'b"),
        ("g.anynet", f"router 0 router {'9' * 5000}\n", "line 1: must be 'router R router S"),
        ("g.anynet", f"router 0 node 0 router 1 {'9' * 5000}\n", "line 1: must be 'router R router S"),
        ("g.anynet", "router 0 router \u0661\n", "line 1: must be 'router R router S"),
    ],
    ids=range(5),
)
def test_graphs(tmp_path, name, content, message):
    refused(read_graph, tmp_path / name, content, message)


def test_limit_of_links(tmp_path, monkeypatch):
    monkeypatch.setattr("dsnswitch.net.files.formats.content.MOST_LINKS", 2)
    for name, content in {
        "g.edges": "0 1\n1 2\n2 3\n",
        "g.anynet": "router 0 router 1 router 2 router 3\n",
        "g.graphml": graphml(EDGE * 3),
    }.items():
        refused(read_graph, tmp_path / name, content, "line .*a graph must have at most 2 links; this is one more")


def table(**changes):
    """A complete file with one table of two entries, and other values for some keys; ``row`` contains the changes of entry 2."""
    entries = [{"match": "0**", "action": 0, "name": "x"}, {"match": "10*", "action": 1, "name": "y"}]
    entries[1] |= changes.pop("row", {})
    one = {"table": "a", "key_width": 3, "action_width": 1, "actions": ["x", "y"], "entries": entries}
    head = {"format": "dsnswitch-table", "version": 1}
    for key in [key for key in changes if key in one]:
        one[key] = changes.pop(key)
    return json.dumps(head | {"tables": [one]} | changes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (table(row={"name": "x"}), "a, entry 2: action 1 is 'y', not 'x'"),
        (table(row={"action": 2}), r"action must be in 0..1, not 2"),
        (table(row={"action": 1.0}), r"entry 2, \$.action: 1.0 is not of type 'integer'"),
        (table(row={"action": True}), r"entry 2, \$.action: True is not of type 'integer'"),
        (table(row={"match": "1*"}), r"entry 2: a match must have 3 bits, not '1\*'"),
        (table(row={"more": 1}), "Additional properties are not allowed"),
        (table(action_width=2), "2 actions take an action_width of 1, not 2"),
        (table(key_width=4), "a match must have 4 bits"),
        (table(key_width=65), "65 is greater than the maximum of 64"),
        (table(actions=[], entries=[]), "should be non-empty"),
        (table(table="a\nffff"), "printable characters only"),
        (table(actions=["x", "y\r"], entries=[]), "printable characters only"),
        (table(row={"remark": "\x85"}), "printable characters only"),
        (table(fields=[["x", 1], ["y", 3]]), "fields of 4 bits make no key of 3 bits"),
        (table(fields=[["x"]]), "is too short"),
        (table(destinations={"a": 8}), "destination 8 takes more than the 3 bits of a key"),
        (table(layers=2, port_bits=1), "2 layers of 1 port bits make no 2 actions"),
        (table(version=True), "1 was expected"),
        (table(tables=[]), "has no table"),
        (table(tables=json.loads(table())["tables"] * 2), "tables must differ in name; 'a' occurs 2 times"),
        (table(tables=[1]), "1 is not of type 'object'"),
        (table(entries=1), "1 is not of type 'array'"),
        (table(entries=[1]), "1 is not of type 'object'"),
        ("[]", r"\[\] is not of type 'object'"),
    ],
    ids=range(24),
)
def test_tables_that_contradict_themselves(tmp_path, content, message):
    refused(read_tables, tmp_path / "t.json", content, message)


def test_tables_that_are_well(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(table(fields=[["x", 1], ["y", 2]], destinations={"a": 7}, layers=1, port_bits=1))
    (found,) = read_tables(path)
    assert [entry.match(3) for entry in found.entries] == ["10*", "0**"]
    path.write_text(table(entries=[]))
    assert read_tables(path)[0].entries == ()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,0,1,x\na,1,1,y\n", "line 3: action 1 has the name 'x' in an earlier line, not 'y'"),
        ("a,0,1,x,,,\n", "line 2: an entry must have table, match and action, and may have name, remark and other"),
        (f"a,0,{'9' * 5000}\n", "line 2: action must be a number in 0..65535"),
        ("a,0,\u0661\n", "line 2: action must be a number in 0..65535"),
        (f"a,{'0' * 65},1\n", "line 2: a match must have at most 64 bits, not 65"),
        ('"a\nffff",0,1\n', "printable characters only"),
        ('a,0,1,"x\n', "line 2 is not CSV: unexpected end of data"),
        (f"a,0,1,{'x' * 200_000}\n", "is not CSV: field larger than field limit"),
        ("a,0,1,x\0\n", "line contains NUL|printable characters only"),
    ],
    ids=range(9),
)
def test_csv(tmp_path, rows, message):
    refused(read_tables, tmp_path / "t.csv", f"table,match,action,name,remark\n{rows}", message)
