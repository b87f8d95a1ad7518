"""The command expand: text, JSON and picture agree; bad input."""

import json
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(("before", "after"), [("dsn-f:63", "dsn-f:64"), ("grid:3x2", "grid:4x5"), ("ring:5", "ring:6")])
def test_text_json_and_picture_agree(run, tmp_path, before, after):
    words = ("expand", "--from", before, "--to", after)
    plot = tmp_path / "growth.svg"
    status, text, _ = run(*words, "--plot", plot)
    assert status == 0
    lines = text.splitlines()
    plan = json.loads(run(*words, "--format", "json")[1])
    assert lines[0] == f"{plan['from']} to {plan['to']}"
    heads = Counter(line.split()[0] for line in lines[8:])
    changed = sum(row["before"] != row["after"] for row in plan["switches"])
    sizes = {key: len(plan[key]) for key in ("remove", "replug", "add")}
    assert heads == +Counter({**sizes, "rename": changed})
    assert f"rewired   {plan['share']:.2%} " in text
    assert plan["rewired"] == len(plan["remove"]) + len(plan["replug"]) == round(plan["share"] * plan["cables_before"])
    first = plan["add"][0]
    spelt = [",".join(map(str, first[end])) for end in ("source", "target")]
    assert f"add {spelt[0]} {first['source_port']} {spelt[1]} {first['target_port']}" in lines

    root = ET.parse(plot).getroot()
    drawn = Counter(path.get("data-change") for path in root.iter(f"{SVG}path") if path.get("data-change"))
    assert drawn == +Counter({"keep": plan["kept"], **sizes})
    dots = [sum(1 for _ in group.findall(f"{SVG}circle")) for group in root.iter(f"{SVG}g")]
    assert [count for count in dots if count] == [len(plan["switches"]), new_switches(plan)]
    width, height = float(root.get("width")), float(root.get("height"))
    for circle in root.iter(f"{SVG}circle"):
        assert 0 < float(circle.get("cx")) < width
        assert 0 < float(circle.get("cy")) < height - 150
    assert len({(circle.get("cx"), circle.get("cy")) for circle in root.iter(f"{SVG}circle")}) == sum(dots)


def new_switches(plan):
    """Switches that have only cables to add."""
    old = {tuple(row["after"]) for row in plan["switches"]}
    return len({tuple(row[end]) for row in plan["add"] for end in ("source", "target")} - old)


def test_share_beside_the_paper(run):
    text = run("expand", "--from", "dsn-f:63", "--to", "dsn-f:64")[1]
    assert "; F states 62.50% ((p + 7) / (4 p + 4) with p = 3)\n" in text
    assert "; F states 0.00% (no change of p)\n" in run("expand", "--from", "dsn-f:40", "--to", "dsn-f:41")[1]
    assert "F states" not in run("expand", "--from", "grid:2x2", "--to", "grid:2x3")[1]


def test_picture_that_is_too_large(refuse, tmp_path):
    words = ("--from", "grid:8x8", "--to", "grid:16x64", "--plot", tmp_path / "growth.svg")
    assert "Switches of a picture must be at most 4096, not 8192" in refuse("expand", *words)
    assert not list(tmp_path.iterdir())
