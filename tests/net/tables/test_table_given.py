"""Tables of a file for a graph: every pair is walked; loops, dead ends and cycles of channels are reported, one line each."""

import json
from pathlib import Path

import pytest

#: Switch of each host of the ring.
HOME = {0: 0, 1: 1, 2: 2, 3: 4}
RING = "".join(f"{host} r{home}\n" for host, home in HOME.items())
RING += "".join(f"r{at} r{(at + 1) % 6}\n" for at in range(6))


@pytest.fixture
def table(run, tmp_path, monkeypatch):
    """A function that runs ``dsnswitch table`` for a ring of six switches, of which r0, r1, r2 and r4 have a host."""
    monkeypatch.chdir(tmp_path)
    Path("ring.edges").write_text(RING)
    return lambda *words: run("table", "--topology", "graph:ring.edges,hosts=4", *words)


def entry(switch, key, action, width=2):
    return f"switch r{switch},{key:0{width}b},{action},,\n"


def around(direction, width=2):
    """Tables by hand that send all packets in one direction around the ring."""
    text = "table,match,action,name,remark\n"
    for at in range(6):
        # After the host, the ports are those of the links in the order of the file; the link of r5 and r0 is the last one.
        first = int(at in HOME.values())
        forward, backward = (first, first + 1) if at == 0 else (first + 1, first)
        for key, home in HOME.items():
            text += entry(at, key, 0 if at == home else (forward if direction > 0 else backward), width)
    return text


def faults(table, text, folder):
    """Lines about the faults of tables."""
    (folder / "given.csv").write_text(text)
    status, printed, err = table("--load", folder / "given.csv", "--out", folder / "out.csv")
    assert (status, printed) == (1, "")
    assert not (folder / "out.csv").exists()
    return err.splitlines()


@pytest.mark.parametrize("form", ["csv", "json"])
def test_good_tables_pass(table, tmp_path, form):
    path = tmp_path / f"good.{form}"
    assert table("--format", form, "--out", path)[0] == 0
    status, out, err = table("--load", path)
    assert status == 0
    assert out == table()[1]
    what = "turn class" if form == "json" else "virtual channel"
    assert err.startswith(f"given, 1 {what}; hops 1.83 mean, 3 max; pairs on a channel 3 max, 2 ideal")


@pytest.mark.parametrize(("direction", "width"), [(1, 2), (-1, 2), (1, 40)])
def test_channels_that_wait_in_a_circle(table, tmp_path, direction, width):
    """All packets travel in the same direction around the ring. Each pair arrives, but the channels form a cycle.

    Keys may have more bits than the graph needs.
    """
    (line,) = faults(table, around(direction, width), tmp_path)
    assert line.startswith("dsnswitch: the routes can deadlock: r")
    assert "3 more waits for r" in line


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        (entry(1, 3, 2), entry(1, 3, 1), {"r0": "in the loop r0 > r1 > r0", "r1": "in the loop r1 > r0 > r1"}),
        (entry(3, 3, 1), "", dict.fromkeys(("r0", "r1", "r2"), "at r3, which has no action for key 3")),
        (entry(3, 3, 1), entry(3, 3, 2), dict.fromkeys(("r0", "r1", "r2"), "at r3, port 2, which has no link")),
        (entry(2, 3, 2), entry(2, 3, 0), dict.fromkeys(("r0", "r1", "r2"), "at r2, port 0, which leads to host 2")),
        (entry(2, 3, 2), entry(2, 3, 3), dict.fromkeys(("r0", "r1", "r2"), "at r2, where it counts as arrived")),
    ],
)
def test_loops_and_dead_ends(table, tmp_path, old, new, lost):
    """One changed entry; the other pairs still form a cycle of channels."""
    good = around(1)
    assert good.count(old) == 1
    found = faults(table, good.replace(old, new), tmp_path)
    assert sorted(found[:-1]) == [f"dsnswitch: {source} to 3 is lost {where}" for source, where in sorted(lost.items())]
    assert "the routes can deadlock" in found[-1]


def test_many_faults_are_counted(run, tmp_path):
    links = "".join(f"{at} {at + 1}\n" for at in range(9))
    (tmp_path / "chain.edges").write_text(links)
    (tmp_path / "none.csv").write_text("table,match,action\n" + "".join(f"switch {at},{at:04b},2\n" for at in range(10)))
    status, _, err = run("table", "--topology", f"graph:{tmp_path / 'chain.edges'}", "--load", tmp_path / "none.csv")
    assert (status, err.count("\n")) == (1, 21)
    assert err.splitlines()[-1] == "dsnswitch: 70 more pairs are lost"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("switch r5", "switch r6", "has no table 'switch r5'"),
        ("switch r5,00,1", "switch x,00,0,,\nswitch r5,00,1", "table 'switch x' is of no switch of"),
    ],
)
def test_tables_of_another_graph(table, old, new, message):
    path = Path("other.csv")
    path.write_text(around(1).replace(old, new))
    status, out, err = table("--load", path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_options_of_routes_and_keys_of_another_graph_are_refused(table):
    path = Path("given.json")
    written = json.loads(table("--format", "json")[1])
    path.write_text(json.dumps(written | {"destinations": {"0": 1, "1": 0, "2": 2, "3": 3}}))
    for words, message in (
        ((), "destinations have other names or keys"),
        (("--classes", 2), "A file of tables takes no --classes (= 2)"),
        (("--root", "r1"), "A file of tables takes no --root (= r1)"),
    ):
        status, out, err = table("--load", path, *words)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert message in err
