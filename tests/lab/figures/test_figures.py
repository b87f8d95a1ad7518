"""Figures of README and docs belong to the current RTL and recipe, and every cause of a stale figure is detected."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from dsnswitch.gen.config import build
from dsnswitch.lab.docs.pages import PAGES, stale_parts
from dsnswitch.lab.figures import computed, fingerprint, refresh
from dsnswitch.lab.figures.computed import COMPUTED, refresh_computed, stale_computed
from dsnswitch.lab.figures.fingerprint import source_hash
from dsnswitch.lab.figures.refresh import measured, stale, stale_names
from dsnswitch.lab.figures.store import PATH, Store, load
from dsnswitch.lab.layout.measured import PATH as LAYOUTS
from dsnswitch.lab.synth.measure import design_of

#: Blocks that are measured in seconds.
SMALL = ({"block": "secded-encoder", "n": 39, "k": 32}, {"block": "table-direct", "words": 512, "action": 4})


#: Until the first complete run of `make figures` is committed, pages state the figures of earlier runs.
recorded = pytest.mark.skipif(
    not (Path(__file__).parents[3] / PATH).exists(), reason="docs/figures.json is not there yet: run make figures"
)


@recorded
def test_figures_and_pages_are_current(root, no_bar):
    """If this fails, `make figures` updates figures and pages."""
    store = load(root / PATH)
    assert stale_names(store, no_bar) == []
    assert stale_parts(root, store) == []


@recorded
@pytest.mark.parametrize("values", SMALL[:1], ids=lambda values: values["block"])
def test_measuring_gives_the_recorded_figures(root, no_bar, values):
    """If this fails, the recipe gives other figures, and the version of the recipe in the fingerprint was not increased."""
    assert measured(Store(), [build(values)], no_bar) == [load(root / PATH).of(values)]


@pytest.fixture
def quick(monkeypatch):
    """Replaces the measurement. The value is a list of the names of the blocks that would have been measured."""
    calls = []

    def measure(design, *_):
        calls.append(design.about["top"])
        return {"name": design.about["top"], "parameters": design.about["parameters"], "tried": {}, "cut": None}

    monkeypatch.setattr(refresh, "measure_design", measure)
    return calls


@pytest.fixture
def store(tmp_path, quick, no_bar):
    """A file with invented figures of the small blocks."""
    made = Store(tmp_path / "figures.json")
    measured(made, [build(values) for values in SMALL], no_bar, keep=True)
    quick.clear()
    return made


def names(store, no_bar):
    return [block.block for block in stale(store, [build(values) for values in SMALL], "model", no_bar)]


def test_only_stale_figures_are_measured(store, quick, no_bar):
    """Each figure is written to the file as soon as it is measured, so that an interrupted run can be resumed."""
    written = json.loads(store.path.read_text())["blocks"]["model"]
    assert written == store.blocks["model"]
    assert len(written) == 2
    third = build({"block": "secded-encoder", "n": 72, "k": 64})
    measured(store, [*(build(values) for values in SMALL), third], no_bar)
    assert quick == [third.name]


def test_an_interrupted_run_stops_and_keeps_what_it_has(tmp_path, monkeypatch, quick, no_bar):
    first, second = (build(values) for values in SMALL)
    known = refresh.measure_design

    def interrupted(design, *rest):
        if design.about["top"] == second.name:
            raise KeyboardInterrupt
        return known(design, *rest)

    monkeypatch.setattr(refresh, "measure_design", interrupted)
    made = Store(tmp_path / "figures.json")
    with pytest.raises(KeyboardInterrupt):
        measured(made, [first, second], no_bar, keep=True)
    assert list(json.loads(made.path.read_text())["blocks"]["model"]) == [first.name]


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(fingerprint, "RECIPE", -1),
        lambda patch: patch.setattr(fingerprint.passes, "FRONT", ()),
        lambda patch: patch.setattr(fingerprint, "version", lambda name: "0"),
        lambda patch: patch.setattr(type(fingerprint.MODEL), "text", lambda self: ""),
    ],
    ids=["version", "passes", "Yosys", "cells"],
)
def test_another_recipe_makes_all_stale(store, monkeypatch, no_bar, change):
    assert names(store, no_bar) == []
    change(monkeypatch)
    assert names(store, no_bar) == ["secded-encoder", "table-direct"]


def test_other_rtl_makes_a_figure_stale(store, monkeypatch, no_bar):
    """RTL is only made if the code differs from the recorded code."""

    def changed(block):
        design = design_of(block)
        return replace(design, rtlil=design.rtlil.replace("width 5", "width 6"))

    assert names(store, no_bar) == []
    monkeypatch.setattr(refresh, "design_of", changed)
    assert names(store, no_bar) == ["table-direct"]
    store.sources = dict(fingerprint.block_sources(build(values)) for values in SMALL)
    assert names(store, no_bar) == []
    store.sources["gen.blocks.tables"] = "of another day"
    assert names(store, no_bar) == ["table-direct"]


def test_missing_parts_make_a_figure_stale(store, monkeypatch, no_bar):
    """Figures of a block with a breakdown state the area of its modules; others do not."""
    block = build(SMALL[0])
    monkeypatch.setattr(type(block), "breakdown", True)
    assert names(store, no_bar) == ["secded-encoder"]
    store.blocks["model"][block.name]["parts"] = {}
    assert names(store, no_bar) == []
    monkeypatch.setattr(type(block), "breakdown", False)
    assert names(store, no_bar) == ["secded-encoder"]


def test_other_parameters_make_a_figure_stale(store, no_bar):
    store.blocks["model"][build(SMALL[0]).name]["parameters"]["k"] = 31
    assert names(store, no_bar) == ["secded-encoder"]


@pytest.fixture
def tree(tmp_path):
    """A function that writes modules to a separate folder and returns the hash of ``hdl.a``."""

    def hashed(**modules):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        (folder / "hdl" / "b").mkdir(parents=True)
        texts = {
            "a": "from .b import c\n\ndef f():\n    return c\n",
            "b/__init__": "",
            "b/c": "X = 1\n",
            "d": "Y = 1\n",
        }
        for name, text in (texts | modules).items():
            (folder / "hdl" / f"{name}.py").write_text(text)
        return source_hash("hdl.a", root=folder)

    return hashed


def test_hash_of_sources(tree):
    """Comments, docstrings, layout and modules that are not imported do not change the hash."""
    same = tree()
    assert (
        tree(a='"""Doc."""\nfrom .b import c  # comment\n\n\ndef f():\n    """Doc."""\n    return c\n', d="Y = 2\n")
        == same
    )
    assert len({same, tree(**{"b/c": "X = 2\n"}), tree(a="from .b import c\n")}) == 3
    # In these modules, hdl.d is imported inside a function.
    later = "from .b import c\n\ndef f():\n    from .d import Y\n    return c\n"
    assert tree(a=later) != tree(a=later, d="Y = 2\n")


def test_computed_figures(tmp_path, monkeypatch, no_bar):
    """A value is computed again if its code has changed, and is stale if the result differs."""
    monkeypatch.setattr(computed, "COMPUTED", {"dsn-2": COMPUTED["dsn-2"]})
    made = Store(tmp_path / "figures.json")
    assert stale_computed(made, no_bar) == ["dsn-2"]
    refresh_computed(made, no_bar)
    assert (made.value("dsn-2")["nodes"], stale_computed(made, no_bar)) == (128, [])
    made.computed["dsn-2"]["sources"] = "of another day"
    assert stale_computed(made, no_bar) == []
    made.computed["dsn-2"]["value"]["nodes"] = 129
    assert stale_computed(made, no_bar) == ["dsn-2"]


@pytest.fixture
def copied(root, tmp_path):
    """A copy of the pages and the files of figures."""
    if not (root / PATH).exists():
        pytest.skip("docs/figures.json is not there yet: run make figures")
    for page in (*PAGES, PATH, LAYOUTS):
        (tmp_path / page).parent.mkdir(exist_ok=True)
        shutil.copy(root / page, tmp_path / page)
    return tmp_path


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_command_names_a_stale_page_and_repairs_it(run, copied):
    page = copied / "docs/figures.md"
    good = page.read_text()
    edit(page, "| `P=3` | 512 |", "| `P=3` | 513 |")
    assert run("figures", "--check", "--root", copied) == (
        1,
        "docs/figures.md, sizes: the page states other figures\n",
        "",
    )
    assert run("figures", "--root", copied) == (0, "wrote docs/figures.md\n", "")
    assert page.read_text() == good
    assert run("figures", "--check", "--root", copied) == (0, "Figures and pages are current\n", "")


def test_command_names_a_figure_that_pages_lack(run, copied):
    path = copied / PATH
    content = json.loads(path.read_text())
    del content["blocks"]["model"]["light_link_tx_protected"]
    path.write_text(json.dumps(content))
    status, out, _ = run("figures", "--check", "--root", copied)
    assert status == 1
    assert out.startswith("light_link_tx_protected (model): no current figures\ndocs/figures.md, blocks: ")


@pytest.mark.parametrize(
    ("page", "old", "new", "message"),
    [
        (
            "docs/tables.md",
            "<!-- figures: entries -->\n",
            "",
            "has a figures marker that occurs twice or has no end",
        ),
        (
            "docs/tables.md",
            "figures: entries",
            "figures: entry",
            "docs/tables.md must have markers for entries, not entry",
        ),
        (PATH, '"dsnswitch-figures"', '"figures"', "$.format: 'dsnswitch-figures' was expected"),
        (PATH, ' "version": 1,\n', "", "$: 'version' is a required property"),
    ],
    ids=["half a part", "name of a part", "format", "version"],
)
def test_bad_input(refuse, copied, page, old, new, message):
    edit(copied / page, old, new)
    assert message in refuse("figures", "--check", "--root", copied)


def test_a_folder_without_pages(refuse, tmp_path):
    message = f"Command figures needs a checkout of the repository: {tmp_path}/README.md does not exist"
    assert message in refuse("figures", "--root", tmp_path)
    assert list(tmp_path.iterdir()) == []
