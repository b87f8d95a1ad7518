"""The report's page from a small part of the recorded figures."""

import json
import re
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from dsnswitch.gen.config import build
from dsnswitch.lab.figures.hop import BLOCKS
from dsnswitch.lab.figures.refresh import SAMPLE, table_of, torus_of
from dsnswitch.lab.figures.store import PATH, load
from dsnswitch.lab.layout.measured import DESIGNS
from dsnswitch.lab.layout.measured import PATH as LAYOUTS
from dsnswitch.lab.layout.measured import load as load_layouts
from dsnswitch.lab.report import collect as collecting
from dsnswitch.lab.report import write as layouts
from dsnswitch.lab.report.collect import collect
from dsnswitch.lab.report.tables import hop, sentence, stages
from dsnswitch.lab.report.write import layout_pages, write
from dsnswitch.lab.synth.measure import peers
from dsnswitch.lab.synth.passes import GENERIC_MAPS
from dsnswitch.net.messages import UsageError


def bar(items, label):
    return nullcontext(items)


@pytest.fixture(scope="module")
def evidence():
    with pytest.MonkeyPatch.context() as patch:
        code = {"n": 270, "k": 260, "stages": 1}
        some = [
            *(build({"p": 3, **more}) for more in ({}, {"register": True}, {"node": "3,5,7"})),
            build({"block": "secded-encoder", **code}),
            build({"block": "secded-decoder", **code}),
        ]
        patch.setattr(collecting, "suite", lambda: some)
        patch.setattr(collecting, "peers", lambda: peers()[:2])
        return collect(load(PATH), 500, bar, real=False, levels=range(3, 5), sample=SAMPLE[:3])


@pytest.fixture(scope="module")
def page(evidence, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        # The emission of every layout's RTL takes long.
        patch.setattr(layouts, "stale", lambda recorded: ["mesh", "torus"])
        yield write(evidence, tmp_path_factory.mktemp("report"))


def test_page_stands_alone(page):
    """The page contains five plots, a block diagram and no script, and refers to no other file or server."""
    text = page.read_text()
    assert text.count("<svg") == text.count("<figure") == 6
    assert "<img" not in text
    assert "<script" not in text
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
    ratio = evidence.universal[3]["delay"] / evidence.tables[3]["delay"]
    assert f"| universal DSN to table, N = 512 | {ratio:.2f} |" in text
    assert "No figure contains wires" in text
    assert "Not in this run. Not asked for." in text
    assert f"| 17 x 9 | {evidence.ternary[3]['area']:.0f} | {evidence.ternary[3]['delay']:.2f} |" in text
    assert "Compared with a ternary table with the same routes, the algorithm with the address on straps is" in text
    written = json.loads((page.parent / "evidence.json").read_text())
    assert written["universal"]["3"]["area"] == evidence.universal[3]["area"]


def test_secded_table_has_both_scripts(evidence, page):
    """The table has the baselines of the SECDED codecs by the same scripts. Codecs that are not in this selection are absent."""
    text = (page.parent / "report.md").read_text()
    for block in peers()[:2]:
        entry = next(entry for entry in evidence.yardsticks if entry["name"] == block.name)
        line = next(line for line in text.splitlines() if line.startswith(f"| `{block.name}` | {entry['gates']:,} / "))
        for script in GENERIC_MAPS:
            count = entry["generic"][script]
            assert f" {count['gates']:,} / {count['levels']} |" in line
        assert (entry["levels"], entry["gates"]) == min(
            (count["levels"], count["gates"]) for count in entry["generic"].values()
        )


def test_every_plot_says_that_it_has_no_wires(page):
    for name in ("area", "delay", "nodes", "tables_area", "tables_delay"):
        assert "no wires" in (page.parent / f"{name}.svg").read_text()


def test_the_same_evidence_gives_the_same_files(evidence, page, tmp_path):
    again = write(evidence, tmp_path / "again")
    for file in page.parent.iterdir():
        assert (again.parent / file.name).read_bytes() == file.read_bytes(), file.name


def test_budget_has_the_assumptions_and_the_measured(evidence):
    by_name = {stage.name: stage for stage in stages(evidence)}
    decoder = by_name["RS(528,514) decoder, to the first corrected symbol"]
    assert (decoder.assumed_ns, decoder.cycles) == (105.6, None)  # not in this selection of blocks
    assert by_name["the same, registered"].clocked_ns == 2
    table = by_name["route by a ternary table, N = 512"]
    assert 0 < table.logic_ns < table.assumed_ns


def test_latency_of_a_hop():
    """The sum of the parts, in the longest of three periods; nothing without the figures of one of the blocks."""
    store = load(PATH)
    entries = {name: store.of(values) for name, values in BLOCKS.items()}
    entries["pair"] = entries["pair"] | {"period": 50.0}
    parts = [entry for name, entry in entries.items() if name != "route"]
    found = hop(SimpleNamespace(suite=parts, universal={3: entries["route"]}))
    assert (found.cycles, found.period) == (4, 50.0)
    assert found.rows()[-1][1:] == ["4", "200", "17.2", "60, or 65 with a routing table"]
    assert "At 500.0 MHz, 4 cycles are 8.0 ns" in found.sentences(500)
    assert hop(SimpleNamespace(suite=parts[1:], universal={3: entries["route"]})) is None


def test_yardsticks_have_the_size_of_the_network():
    assert (table_of(3).entries, table_of(3).key) == (14, 9)
    for p in range(2, 9):
        sizes = torus_of(p).sizes
        assert sizes[0] * sizes[1] * sizes[2] == 8 * 4**p
        assert max(sizes) <= 2 * min(sizes)


def test_folder_that_cannot_be_written(evidence, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        write(evidence, tmp_path / "file")


def test_sentence_follows_the_numbers():
    """The sentence says "faster", "slower", or names the sizes, depending on the figures."""

    def said(*pairs):
        ours, theirs = ({p: {"delay": pair[i], "area": 1.0} for p, pair in enumerate(pairs)} for i in (0, 1))
        return sentence(SimpleNamespace(universal=ours, specialised=ours, ternary=theirs))

    assert "straps is faster at every measured size (0.50 to 0.80" in said((5, 10), (8, 10))
    assert "straps is slower at every measured size" in said((12, 10), (11, 10))
    assert "straps is faster at N = 32 and not at the others" in said((12, 10), (8, 10))


def test_page_of_layouts(page, root):
    """Layouts have a separate page, which contains the recorded figures and their picture."""
    recorded = load_layouts(root / LAYOUTS)
    text = (page.parent / "layouts.md").read_text()
    changed = f"{DESIGNS['mesh'][0]}, {DESIGNS['torus'][0]}."
    assert f"**The RTL of these designs has changed since then:** {changed}" in text
    for name, (title, _) in DESIGNS.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| {title} |"))
        assert f" {recorded.of(name)['cells']:,} |" in row
        assert f" {recorded.of(name)['vias']:,} |" in row
    found = (page.parent / "layouts.html").read_text()
    assert found.count("<img") == found.count('src="data:image/png;base64,') == 1
    assert "<script" not in found
    assert "href" not in found
    assert 'href="layouts.html"' in page.read_text()


def test_page_of_layouts_without_figures(tmp_path):
    found = layout_pages(tmp_path)
    assert set(found) == {"layouts.md", "layouts.html"}
    assert "layouts.json has no figures of universal-512: run dsnswitch layout --all" in found["layouts.md"]
