"""The command floorplan: text, JSON and files agree; bad input."""

import csv
import json

import pytest


def test_text_json_and_csv_agree(run, tmp_path):
    words = ("floorplan", "--topology", "grid:4x2:k4x2", "--cost", "slim-fly", "--switch-delay", "40")
    plots = [tmp_path / "plan.svg", tmp_path / "plan.png"]
    status, text, err = run(*words, "--plot", plots[0], "--plot", plots[1], "--bill", tmp_path / "bill.csv")
    assert (status, err) == (0, "")
    one = json.loads(run(*words, "--format", "json")[1])
    rows = list(csv.DictReader(run(*words, "--format", "csv")[1].splitlines()))
    assert len(rows) == one["cables"] == one["inside"] + one["between"]
    assert sum(float(row["metres"]) for row in rows) == pytest.approx(one["total"], abs=1e-3)
    assert sum(row["from_cabinet"] == row["to_cabinet"] for row in rows) == one["inside"]
    assert f"{one['total']:.1f} m in all, {one['average']:.3f} m on average, {one['longest']:.1f} m the longest" in text
    assert f"cost       ${one['cost']['total']:,.0f}: " in text
    for row in one["latency"]:
        assert f"{row['paths']}: {row['average']:.1f} ns on average, {row['maximum']:.1f} at most" in text
    assert [row["paths"] for row in one["latency"]] == ["routes", "fewest hops", "lowest latency"]
    averages = [row["average"] for row in one["latency"]]
    assert averages == pytest.approx(sorted(averages, reverse=True))
    assert plots[0].read_text().startswith("<svg")
    assert plots[1].read_bytes()[1:4] == b"PNG"
    bill = list(csv.DictReader((tmp_path / "bill.csv").read_text().splitlines()))
    assert sum(int(row["number"]) for row in bill if "cable of" in row["item"]) == one["cables"]


def test_default_mapping(run):
    assert "mapping supernode" in run("floorplan", "-p", "2")[1]
    assert "mapping sequential" in run("floorplan", "--topology", "hypercube:5")[1]
    assert run("floorplan", "-p", "2", "--cabling", "diagonal")[0] == 0


@pytest.mark.parametrize("hosts", [False, True])
def test_a_graph_with_ports_to_hosts_has_no_routes(run, tmp_path, hosts):
    """A large graph has those of its compiled tables."""
    graph = tmp_path / "net.edges"
    graph.write_text("a b\nb c\nc a\n" + "".join(f"c s{n}\n" for n in range(100)))
    if hosts:
        graph.write_text("router 0 node 0 router 1\nrouter 1 node 1 router 2\n")
    status, text, _ = run("floorplan", "--topology", f"graph:{graph}", "--switch-delay", "40")
    assert status == 0
    assert "lowest latency" in text
    assert (", routes: " in text) != hosts
