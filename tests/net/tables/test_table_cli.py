"""``dsnswitch table``: formats that are read back, images, sizes, and one-line errors without any output file."""

import csv
import io
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from dsnswitch.gen.cli.schemas import schema_of
from dsnswitch.net.tables import formulas as module
from dsnswitch.net.tables.entries import Entry, Table
from dsnswitch.net.tables.files import direct_image, read_tables, ternary_image, to_csv, to_json
from dsnswitch.net.tables.formulas import compile_node, sizes
from dsnswitch.net.topology.dsn import grid

GRAPH = Path(__file__).parents[3] / "examples/net.graphml"


@pytest.fixture
def run(run):
    """A function that calls the console command; returns the standard output, or with ``code`` 2 the line of error."""

    def call(*words, code=0):
        status, out, err = run(*words)
        assert status == code, err
        if code:
            assert (out, err.count("\n")) == ("", 1)
        return err if code else out

    return call


def test_csv_of_fig_4_12(run):
    text = run("table", "-p", 3, "--directions", "forward", "--keys", "relative", "--expand", "--node", "0,0,0")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 14
    assert rows[-1] == {
        "table": "node 0,0,0",
        "match": "1********",
        "action": "4",
        "name": "x_forward",
        "remark": "length-4 x shortcut forward",
    }


@pytest.mark.parametrize("form", ["csv", "json"])
def test_tables_read_back(tmp_path, root, form):
    tables = [compile_node(grid(5, 4), (2, 1, node), minimise=node > 3) for node in range(8)]
    path = tmp_path / f"t.{form}"
    path.write_text(to_csv(tables) if form == "csv" else to_json(tables, {"network": "t"}))
    if form == "json":
        schema = schema_of("table")
        Draft202012Validator(schema).validate(json.loads(path.read_text()))
    found = read_tables(path)
    assert [table.entries for table in found] == [table.entries for table in tables]
    assert [table.name for table in found] == [table.name for table in tables]


def test_images():
    table = Table("t", 3, ("a", "b", "c"), (Entry(4, 1, 2), Entry(6, 3, 1)))
    # valid, length (2 bits), value (3 bits), action (2 bits)
    assert ternary_image(table, 3).split("\n")[2:] == [f"{0b1_11_110_01:02x}", f"{0b1_01_100_10:02x}", "00", ""]
    assert direct_image(table).split("\n")[2:] == ["0", "0", "0", "0", "6", "6", "5", "6", ""]
    assert direct_image(table, 9).split("\n")[2:] == ["0", "0", "0", "0", "6", "6", "5", "6", "0", ""]
    # Hardware with wider actions than this table needs.
    assert direct_image(table, bits=4).split("\n")[6:8] == ["12", "12"]
    assert ternary_image(table, 2, 4).split("\n")[2] == f"{0b1_11_110_0001:03x}"


def test_graph_tables_and_images(run, tmp_path):
    path = tmp_path / "six.edges"
    path.write_text("".join(f"{at} {(at + 1) % 6}\n" for at in range(6)))
    written = json.loads(run("table", "--topology", f"graph:{path}", "--classes", 2, "--format", "json"))
    assert written["layers"] == 2
    assert written["ports"]["0"] == ["1", "5"]
    assert [table["table"] for table in written["tables"]] == [f"switch {at}" for at in range(6)]
    run("table", "--topology", f"graph:{path}", "--format", "mem", "--folder", tmp_path / "mem")
    assert sorted(p.name for p in (tmp_path / "mem").iterdir()) == [f"switch_{at}.mem" for at in range(6)]
    one = run("table", "--topology", f"graph:{path}", "--format", "mem", "--node", 3, "--entries", 9)
    assert len([line for line in one.splitlines() if not line.startswith("//")]) == 9
    word = run("table", "--topology", f"graph:{path}", "--format", "mem", "--node", 3, "--kind", "direct").splitlines()[2:]
    assert len(word) == 6
    assert word[3] == f"{4 | 2:x}"
    more = run("table", "--topology", f"graph:{path}", "--format", "mem", "--node", 3, "--kind", "direct", "--entries", 9)
    assert more.splitlines()[2:] == [*word, "0", "0", "0"]


def test_direct_image_of_a_network_has_the_words_of_forwarding(run):
    """``forwarding --kind direct`` has a word for every address, although 3 x 3 x 8 has only 72 nodes."""
    image = run("table", "-x", 3, "-y", 3, "--node", "0,0,0", "--format", "mem", "--kind", "direct")
    assert len(image.splitlines()[2:]) == 128


def test_a_graph_is_a_topology(run):
    """One text names the graph of a file, wherever a graph is enough."""
    links = run("topology", "--topology", f"graph:{GRAPH}").splitlines()[1:]
    assert len(links) == GRAPH.read_text().count("<edge ")


WIDE = """{"format": "dsnswitch-table", "version": 1, "tables": [{"table": "a", "key_width": 4, "action_width": 1,
"actions": ["x", "y"], "entries": [{"match": "01*", "action": 1, "name": "y"}]}]}"""
HEAD = "table,match,action,name,remark\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", HEAD + "a,01*,1\na,0**,1\na,01*,2\n", "a: entries of equal length must not overlap; 01* occurs twice"),
        ("t.csv", HEAD + "a,0*1,1\n", "t.csv, line 2: a mask must be a prefix, with every * at the end, not '0*1'"),
        ("t.csv", HEAD + "a,01,1\na,011,1\n", "t.csv, line 3: a match must have 2 bits, not '011'"),
        (
            "t.csv",
            HEAD + "a,01\n",
            "t.csv, line 2: an entry must have table, match and action, and may have name, remark and other, not 'a,01'",
        ),
        ("t.csv", HEAD + "a,01,x\n", "t.csv, line 2: action must be a number in 0..65535, not 'x'"),
        ("t.csv", HEAD + "a,01,65536\n", "t.csv, line 2: action must be a number in 0..65535, not '65536'"),
        ("t.csv", HEAD, "has no entry"),
        ("t.csv", "match,action\n", "t.csv: the first line must be table,match,action,name,remark"),
        ("t.csv", "", "t.csv: the first line must be"),
        ("t.json", "{", "t.json is malformed: Expecting property name"),
        ("t.json", WIDE, "t.json, a, entry 1: a match must have 4 bits, not '01*'"),
        ("t.json", "{}", "t.json, $: 'format' is a required property"),
        ("t.csv", HEAD + "".join(f"a,{n:03b},1\n" for n in range(5)), "a has 5 entries, more than the 4 of the table"),
    ],
)
def test_bad_tables_leave_nothing(run, tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    out = tmp_path / "out.mem"
    assert message in run("table", "--load", path, "--format", "mem", "--entries", 4, "--out", out, code=2)
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


def test_sizes_and_where_the_papers_count_holds():
    """m + log X + log Y is exact for relative, forward-only keys at every size. Both directions need folded keys and merging."""
    rows = sizes(((4, 4), (8, 8), (16, 16)))
    for row in rows:
        assert row["forward"] == row["paper"]
        assert row["folded_fewest"] <= row["paper"] + 1 < row["relative"] <= row["absolute"] < row["flat"]
        assert row["relative_fewest"] <= row["relative"]
    by_nodes = {row["nodes"]: row for row in rows}
    # Counted by hand: 20 entries for Fig. 4.12 with its backward half. On a ring of 16: 4 forward ranges, 7 backward distances.
    assert by_nodes[512]["relative"] == 20
    assert by_nodes[2048]["relative"] == 8 + 2 * (4 + 7)
    assert by_nodes[2048]["folded"] == 8 + 2 * (4 + 3)


def test_table_sizes_command(run, tmp_path, monkeypatch):
    """One row per network, including the paper's count; the plot has the same curves on every run."""
    small = sizes(((4, 4),))
    monkeypatch.setattr(module, "sizes", lambda: small)
    assert json.loads(run("table-sizes", "--format", "json")) == small
    heads, row = run("table-sizes").splitlines()
    assert "m + log X + log Y" in heads
    assert row.split()[:6] == ["4", "x", "4", "x", "8", "128"]
    pytest.importorskip("matplotlib")
    plot = tmp_path / "sizes.svg"
    run("table-sizes", "--plot", plot)
    first = plot.read_text()
    assert "folded, fewest" in first
    run("table-sizes", "--plot", plot)
    assert plot.read_text() == first
