"""The log of packets: one line for each measured packet, which agrees with the statistics."""

import csv
import json

import pytest

CUBE = ("simulate", "--topology", "hypercube:3", "--flit", 32)


def rows_of(path):
    return [{key: value and float(value) for key, value in row.items()} for row in csv.DictReader(path.read_text().splitlines())]


def test_the_log_agrees_with_the_statistics(run, tmp_path):
    log, out = tmp_path / "log.csv", tmp_path / "out.json"
    status, _, err = run(*CUBE, "--load", "0.1,0.3", "--cycles", 1000, "--log", log, "--out", out)
    assert status == 0, err
    points, rows = json.loads(out.read_text())["points"], rows_of(log)
    assert [*rows[0]] == ["load", "offered", "entered", "arrived", "source", "destination", "flits", "hops"]
    for point in points:
        own = [row for row in rows if row["load"] == point["load"]]
        assert len(own) == point["packets"]
        queued = [row["arrived"] - row["offered"] for row in own]
        inside = [row["arrived"] - row["entered"] for row in own]
        for name, found in (("queued_tail", queued), ("tail", inside), (None, [row["hops"] for row in own])):
            about = point["latency"][name] if name else point["hops"]
            assert sum(found) / len(own) == pytest.approx(about["mean"], abs=1e-5)
            assert max(found) == about["max"]
    assert len(rows) == sum(point["packets"] for point in points)


def test_the_log_of_a_trace_has_its_packets(run, tmp_path):
    """Columns of the log, in another order, are the trace; hosts of a graph have their numbers in traces."""
    graph, trace, log = (tmp_path / name for name in ("net", "trace.csv", "log.csv"))
    graph.write_text("1 a host\n2 b host\n0 b host\n3 b host\na b\n")
    packets = [(0, 0, 3, 2), (0, 2, 1, 1), (5, 3, 0, 2), (9, 1, 2, 1)]
    trace.write_text("cycle,source,destination,flits\n" + "".join(f"{','.join(map(str, row))}\n" for row in packets))
    status, _, err = run(
        *("simulate", "--topology", f"graph:{graph}", "--packet", 2, "--depth", 4), *("--pattern", f"trace:{trace}", "--log", log)
    )
    assert status == 0, err
    rows = rows_of(log)
    names = ("offered", "source", "destination", "flits")
    assert sorted(tuple(row[name] for name in names) for row in rows) == sorted(packets)
    homes = {0: "b", 1: "a", 2: "b", 3: "b"}
    assert all(row["hops"] == (homes[row["source"]] != homes[row["destination"]]) for row in rows)
    assert {row["load"] for row in rows} == {""}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--log x --out x", "Options --out and --log must name different files"),
        ("--log x --load 1 --cycles 10000000", "must be at most 4194304, not 20000000"),
    ],
)
def test_logs_that_are_refused(run, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*CUBE, *words.split())
    assert (status, out) == (2, "")
    assert message in err
    assert not [*tmp_path.iterdir()]
