"""Generated parts of pages, from invented figures."""

import shutil
from types import SimpleNamespace

import pytest
from invented import Invented, layouts, speeds

from tools.docs import links, switch
from tools.docs.markdown import parts
from tools.docs.pages import PAGES
from tools.docs.topologies import unlisted


@pytest.mark.parametrize(
    ("slowest", "end"),
    [(25.3, "begins at a register, so look-ahead would not shorten it."), (31.2, "begins at an input.")],
)
def test_look_ahead_helps_only_if_the_longest_path_begins_at_an_input(slowest, end):
    entry = {"delay": 9.2, "period": 31.2, "paths": {"input_to_register": slowest}}
    text = " ".join(switch.SWITCH_PARTS["look-ahead"](SimpleNamespace(of=lambda _: entry)).split())
    assert text.endswith(f"The longest path, 31.2 FO4, {end}")


def test_years_have_the_digits_that_are_known():
    """Sampled formats have one digit, the others three."""
    formats = ("66b", "257b", "260b", "260b, flags counted", "260b, literal", "260b, protected")
    years = dict.fromkeys(formats, 1.3619e9)
    rows = dict.fromkeys(("independent", "flags ignored", "flagged frames dropped"), years)
    table = links.ANALYSIS_PARTS["mttfpa"](SimpleNamespace(value=lambda _: {"years": [rows]}))
    assert table.splitlines()[2].endswith("| 1.36e9 | 1.36e9 | 1.36e9 | 1.36e9 | 1e9 | 1e9 |")


def test_every_part_is_made_of_figures(root, tmp_path):
    """Each part has a text, whose lines fit the page, and the page has marks for it."""
    store = Invented(tmp_path / "figures.json")
    layouts(tmp_path / "layouts.json").write()
    speeds(tmp_path / "speed.json")
    for name in ("network.json", "papers.json"):
        shutil.copy(root / "docs" / name, tmp_path)
    for page, functions in PAGES.items():
        present = parts((root / page).read_text(), page)
        assert set(present) == set(functions)
        for name, function in functions.items():
            text = function(store)
            assert text, (page, name)
            assert all(len(line) <= 120 for line in text.splitlines() if not line.startswith("|")), (page, name)


def test_every_topology_has_an_example():
    assert not unlisted()
