"""The report's page, from invented figures of a small part of the blocks."""

import json
import re
from contextlib import nullcontext

import pytest
from invented import Invented

from dsnswitch.gen.config import build
from dsnswitch.lab.figures.hop import Hop
from dsnswitch.lab.figures.refresh import SAMPLE, table_of, torus_of
from dsnswitch.lab.report import page as collecting
from dsnswitch.lab.report.page import collect, real_rows, write
from dsnswitch.lab.synth.measure import peers
from dsnswitch.lab.synth.passes import GENERIC_MAPS
from dsnswitch.net.messages import UsageError

STORE = Invented()


@pytest.fixture(scope="module")
def evidence():
    with pytest.MonkeyPatch.context() as patch:
        some = [*(build({"p": 3, **more}) for more in ({}, {"register": True}, {"node": "3,5,7"}))]
        patch.setattr(collecting, "suite", lambda: some)
        patch.setattr(collecting, "measured", lambda store, blocks, bar, name: [store.of(one, name) for one in blocks])
        return collect(STORE, 500, nullcontext, real=False, levels=range(3, 5), sample=SAMPLE[:3])


@pytest.fixture(scope="module")
def page(evidence, tmp_path_factory):
    return write(evidence, STORE, tmp_path_factory.mktemp("report"))


def test_page_stands_alone(page):
    """The page contains three plots and no script, and refers to no other file or server."""
    text = page.read_text()
    assert text.count("<svg") == text.count("<figure") == 3
    assert "<img" not in text
    assert "<script" not in text
    assert "href" not in re.sub(r"xlink:href", "", text)
    assert set(re.findall(r"https?://[^\"' <]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_page_shows_what_was_measured(evidence, page):
    text = (page.parent / "report.md").read_text()
    for entry in evidence.suite + evidence.yardsticks:
        row = next(line for line in text.splitlines() if line.startswith(f"| {entry['name']} |"))
        assert f" {entry['area']:.1f} |" in row
        assert f" {entry['delay']:.2f} |" in row
    row = next(line for line in text.splitlines() if line.startswith("| 512 |"))
    for name in ("universal", "specialised", "tables", "tori"):
        entry = evidence.curves[name][3]
        assert f" {entry['area']:,.0f} / {entry['delay']:.2f} |" in row
    ternary = evidence.curves["ternary"][3]
    assert f" {ternary['area']:,.0f} / {ternary['delay']:.2f} (17 x 9) |" in row
    assert f"| {evidence.curves['direct'][3]['area']:,.0f}, 2,560 bits |" in row
    assert "No figure contains wires" in text
    assert "Not in this run. Not asked for." in text
    assert "times the delay of a ternary table with the same routes" in text
    written = json.loads((page.parent / "evidence.json").read_text())
    assert written["curves"]["universal"]["3"]["area"] == evidence.curves["universal"][3]["area"]


def test_secded_table_has_both_scripts(page):
    """The table has the baselines of the SECDED codecs by the same scripts."""
    text = (page.parent / "report.md").read_text()
    for block in (build({"block": "secded-encoder", "n": 270, "k": 260}), *peers()):
        entry = STORE.of(block)
        line = next(line for line in text.splitlines() if line.startswith(f"| `{block.name}` | {entry['gates']:,} / "))
        for script in GENERIC_MAPS:
            count = entry["generic"][script]
            assert f" {count['gates']:,} / {count['levels']} |" in line


def test_every_plot_says_that_it_has_no_wires(page):
    for name in ("area", "delay", "nodes"):
        assert "no wires" in (page.parent / f"{name}.svg").read_text()


def test_the_same_evidence_gives_the_same_files(evidence, page, tmp_path):
    again = write(evidence, STORE, tmp_path / "again")
    for file in page.parent.iterdir():
        assert (again.parent / file.name).read_bytes() == file.read_bytes(), file.name


def test_latency_of_a_hop():
    """The sum of the parts, in the longest of three periods."""
    found = Hop(STORE)
    found.pair["period"] = 500.0
    found.core["latency_cycles"], found.pair["latency_cycles"] = 2, 3
    assert (found.cycles, found.period) == (3, 500.0)
    assert found.rows()[-1][1:] == ["3", "1500", "129.0", "60, or 65 with a routing table"]
    assert "At 500.0 MHz, 3 cycles are 6.0 ns" in found.sentences(500)


def test_deviation_of_real_cells(evidence):
    """A block with twice the mean area and delay per unit of the model deviates by 100 %."""
    ours = evidence.suite[0]
    real = ours | {"area": 2 * 23.7 * ours["area"], "delay": 2 * 0.086 * ours["delay"], "delay_opensta": None}
    heads, body = real_rows(type(evidence)(500, evidence.suite, real=[real]))
    assert dict(zip(heads, body[0]))["OpenSTA ns"] == "-"
    assert body[0][2] == body[0][4] == "+100%"


def test_yardsticks_have_the_size_of_the_network():
    assert (table_of(3).entries, table_of(3).key) == (14, 9)
    for p in range(2, 9):
        sizes = torus_of(p).sizes
        assert sizes[0] * sizes[1] * sizes[2] == 8 * 4**p
        assert max(sizes) <= 2 * min(sizes)


def test_folder_that_cannot_be_written(evidence, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        write(evidence, STORE, tmp_path / "file")
