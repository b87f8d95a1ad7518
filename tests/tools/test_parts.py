"""Generated parts of pages, from invented figures; measured figures stand in no other page."""

import re
import shutil

import pytest
from invented import Invented, layouts

from dsnswitch.lab.synth.measure import CORE, PORT, SWITCH
from dsnswitch.net.topology.registry import TOPOLOGIES, topology_of
from tools.docs import figures
from tools.docs.markdown import parts
from tools.docs.pages import PAGES


@pytest.fixture
def store(root, tmp_path):
    """Invented figures of blocks and layouts beside the recorded curves and comparisons."""
    layouts(tmp_path / "layouts.json").write()
    for name in ("network.json", "opensm.json", "papers.json"):
        shutil.copy(root / "docs" / name, tmp_path)
    return Invented(tmp_path / "figures.json")


@pytest.mark.regress
def test_every_part_is_made_of_figures(root, store):
    """Each part has a text, whose lines fit the page, and the page has marks for it."""
    for page, functions in PAGES.items():
        present = parts((root / page).read_text(), page)
        assert set(present) == set(functions)
        for name, function in functions.items():
            text = function(store)
            assert text, (page, name)
            assert all(len(line) <= 120 for line in text.splitlines() if not line.startswith("|")), (page, name)


def cells(text):
    """Rows of a Markdown table by their first cell."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:]]
    return {row[0]: row[1:] for row in rows}


def test_core_port_and_switch_have_one_area_each(store):
    """README, the table of the switch and that of its parts state the same figures, those of one named configuration."""
    names = {"switch core, 9 ports": CORE, "fabric port": PORT, "switch of one line and one host": SWITCH}
    first, second = cells(figures.README["summary"](store)), cells(figures.FIGURES["switch"](store))
    for name, values in names.items():
        assert first[name][:2] == second[name][:2]
        assert first[name][0] == f"{store.of(values)['area']:,.0f}"
    assert cells(figures.FIGURES["parts"](store))["**switch core**"][1] == first["switch core, 9 ports"][0]


def test_parts_of_the_switch_add_up(store):
    """Parts and rest are the core; core and ports are the switch."""
    found = {name: float(row[1].replace(",", "")) for name, row in cells(figures.FIGURES["parts"](store)).items()}
    whole, ports, switch = (found[f"**{name}**"] for name in ("switch core", "fabric ports", "switch"))
    areas = [area for name, area in found.items() if not name.startswith(("**", "-"))]
    assert abs(sum(areas) - whole) <= len(areas)
    assert abs(whole + ports - switch) <= 2
    assert abs(ports - 8 * store.of(PORT)["area"]) < 1


def test_the_page_lists_every_topology(root):
    page = (root / "docs" / "topologies.md").read_text()
    for name in TOPOLOGIES.keys() - {"graph"}:
        assert f"| `{topology_of(name).form}` |" in page


#: A measured figure of ours. Others are published or measured once, and their paragraph names the source or the date.
MEASURED = re.compile(r"\d[\d,.]* (?:GE|FO4)\b")


def test_other_pages_state_no_measured_figure(root):
    for path in (root / "docs").glob("*.md"):
        if f"docs/{path.name}" not in PAGES:
            for paragraph in path.read_text().split("\n\n"):
                assert not MEASURED.search(paragraph) or re.search(r"20\d\d", paragraph), (path.name, paragraph)
