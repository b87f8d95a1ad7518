"""The command ``faults``."""

import json
from pathlib import Path

import pytest

GRAPHS = Path(__file__).parents[2] / "graphs"


def test_text_and_json_agree(run):
    words = ("faults", "-p", "2", "--rate", "20", "--rate", "5", "--seed", "4")
    text = run(*words)[1].splitlines()
    found = json.loads(run(*words, "--format", "json")[1])
    assert found["network"] == "grid:4x4:k4x2"
    assert [row["rate"] for row in found["rows"]] == [0.05, 0.2]
    for line, row in zip(text[1:3], found["rows"], strict=True):
        words = line.split()
        assert [words[0], int(words[1])] == [f"{row['rate']:.1%}", row["links"]]
        assert words[3] == f"{row['delivered']:.3%}"
        assert float(words[4]) == pytest.approx(row["average_path"], abs=1e-4)
    assert text[-1] == "D Fig. 4.10, 1,024 switches, 20% failed: growth 24.86% (XY/YX), 19.49% (shortest)"
    assert found["paper"][0] == {"rate": 0.1, "xy_yx": 0.0882, "shortest": 0.0945}


def test_several_seeds_print_mean_and_range(run):
    words = ("faults", "--topology", "grid:4x2", "--rate", "10", "--seed", "3", "--seeds", "2")
    lines = [line.split() for line in run(*words)[1].splitlines()[1:4]]
    assert [line[-1] for line in lines] == ["mean", "least", "largest"]
    found = json.loads(run(*words, "--format", "json")[1])
    assert (found["seed"], found["seeds"]) == (3, 2)
    for line, name in zip(lines, ("rows", "least", "largest"), strict=True):
        assert line[3] == f"{found[name][0]['delivered']:.3%}"


def test_plot(run, tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "faults.svg"
    run("faults", "--topology", "grid:2x2", "--rate", "10", "--plot", str(plot))
    assert "XY/YX, D Fig. 4.10" in plot.read_text()


def test_a_graph_has_no_figures_of_the_paper(run, tmp_path):
    words = ("faults", "--topology", f"graph:{GRAPHS / 'petersen.edges'}", "--rate", "20")
    status, text, err = run(*words)
    assert (status, err) == (0, "")
    assert text.splitlines()[1].split()[:3] == ["20.0%", "3", "100.000%"]
    assert "D Fig. 4.10" not in text
    assert json.loads(run(*words, "--format", "json")[1])["paper"] == []
    pytest.importorskip("matplotlib")
    plot = tmp_path / "faults.svg"
    run(*words, "--plot", str(plot))
    assert "routes deliver" in plot.read_text()
    assert "D Fig. 4.10" not in plot.read_text()


@pytest.mark.parametrize("topology", ["grid:4x4:k4x2:double", "ring:4:ring-2"])
def test_a_dsn_without_detours_has_its_own_routes(run, topology):
    """As other networks: a pair is delivered if its route meets no failed link."""
    status, text, err = run("faults", "--topology", topology, "--rate", "10")
    assert (status, err) == (0, "")
    lines = text.splitlines()
    assert len(lines) == 2
    connected, delivered, tables = (float(lines[1].split()[place].rstrip("%")) for place in (2, 3, 9))
    assert delivered < connected
    assert tables == pytest.approx(connected - delivered, abs=0.002)
