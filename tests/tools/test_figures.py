"""Every cause of a stale figure, page, generated file or budget is detected. ``make stale`` checks the committed files."""

import json
from dataclasses import replace

import pytest

from dsnswitch.gen.config import build
from dsnswitch.lab.synth.measure import design_of
from tools import regenerate
from tools.docs import pages
from tools.figures import fingerprint, refresh
from tools.figures.fingerprint import source_hash
from tools.figures.kept import Kept
from tools.figures.refresh import measured, stale
from tools.figures.store import PATH, Store, load
from tools.layouts import DESIGNS

#: Blocks that are measured in seconds.
SMALL = ({"block": "secded-encoder", "n": 39, "k": 32}, {"block": "table-direct", "words": 512, "action": 4})


@pytest.mark.parametrize("values", SMALL[:1], ids=lambda values: values["block"])
@pytest.mark.regress
def test_measuring_gives_the_recorded_figures(root, values):
    """If this fails, the recipe gives other figures, and the version of the recipe in the fingerprint was not increased."""
    block, store = build(values), load(root / PATH)
    if stale(store, [block], "model"):
        pytest.skip("the recorded figures are stale: run make figures")
    assert measured(Store(), [block]) == [store.of(values)]


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
def store(tmp_path, quick):
    """A file with invented figures of the small blocks."""
    made = Store(tmp_path / "figures.json")
    measured(made, [build(values) for values in SMALL], keep=True)
    quick.clear()
    return made


def names(store):
    return [block.block for block in stale(store, [build(values) for values in SMALL], "model")]


def test_only_stale_figures_are_measured(store, quick):
    """Each figure is written to the file as soon as it is measured, so that an interrupted run can be resumed."""
    written = json.loads(store.path.read_text())["blocks"]["model"]
    assert written == store.blocks["model"]
    assert len(written) == 2
    third = build({"block": "secded-encoder", "n": 72, "k": 64})
    measured(store, [*(build(values) for values in SMALL), third])
    assert quick == [third.name]


def test_an_interrupted_run_stops_and_keeps_what_it_has(tmp_path, monkeypatch, quick):
    first, second = (build(values) for values in SMALL)
    known = refresh.measure_design

    def interrupted(design, *rest):
        if design.about["top"] == second.name:
            raise KeyboardInterrupt
        return known(design, *rest)

    monkeypatch.setattr(refresh, "measure_design", interrupted)
    made = Store(tmp_path / "figures.json")
    with pytest.raises(KeyboardInterrupt):
        measured(made, [first, second], keep=True)
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
def test_another_recipe_makes_all_stale(store, monkeypatch, change):
    assert names(store) == []
    change(monkeypatch)
    assert names(store) == ["secded-encoder", "table-direct"]


def test_other_rtl_makes_a_figure_stale(store, monkeypatch):
    """RTL is only made if the code differs from the recorded code."""

    def changed(block):
        design = design_of(block)
        return replace(design, rtlil=design.rtlil.replace("\\there", "\\is_there"))

    assert names(store) == []
    monkeypatch.setattr(refresh, "design_of", changed)
    assert names(store) == ["table-direct"]
    store.sources = dict(fingerprint.block_sources(build(values)) for values in SMALL)
    assert names(store) == []
    store.sources["gen.blocks.tables"] = "of another day"
    assert names(store) == ["table-direct"]


def test_a_check_is_kept(store, monkeypatch, tmp_path):
    """Unchanged code makes no RTL a second time, whatever code the figures were recorded with; a damaged file does no harm."""
    blocks, path = [build(values) for values in SMALL], tmp_path / "build" / "kept.json"

    def found():
        kept = Kept(path)
        names = [block.block for block in stale(store, blocks, "model", kept=kept)]
        kept.write()
        return names

    made = []
    monkeypatch.setattr(refresh, "design_of", lambda block: made.append(block.block) or design_of(block))
    store.sources = {}
    store.blocks["model"][blocks[0].name]["rtl"] = "of another day"
    assert (found(), made) == (["secded-encoder"], ["secded-encoder", "table-direct"])
    assert (found(), len(made)) == (["secded-encoder"], 2)
    monkeypatch.setattr(refresh, "block_sources", lambda block: ("gen", "of other code"))
    assert (found(), len(made)) == (["secded-encoder"], 4)
    path.write_text("{")
    assert (found(), len(made)) == (["secded-encoder"], 6)


def test_missing_parts_make_a_figure_stale(store, monkeypatch):
    """Figures of a block with a breakdown state the area of its modules; others do not."""
    block = build(SMALL[0])
    monkeypatch.setattr(type(block), "breakdown", True)
    assert names(store) == ["secded-encoder"]
    store.blocks["model"][block.name]["parts"] = {}
    assert names(store) == []
    monkeypatch.setattr(type(block), "breakdown", False)
    assert names(store) == ["secded-encoder"]


def test_other_parameters_make_a_figure_stale(store):
    store.blocks["model"][build(SMALL[0]).name]["parameters"]["k"] = 31
    assert names(store) == ["secded-encoder"]


@pytest.fixture
def tree(tmp_path):
    """A function that writes modules to a separate folder and returns the hash of ``hdl.a``."""

    def hashed(**modules):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        (folder / "hdl" / "b").mkdir(parents=True)
        texts = {
            "a": "from dsnswitch.hdl.b import c\n\ndef f():\n    return c\n",
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
        tree(a='"""Doc."""\nfrom dsnswitch.hdl.b import c  # comment\n\n\ndef f():\n    """Doc."""\n    return c\n', d="Y = 2\n")
        == same
    )
    assert len({same, tree(**{"b/c": "X = 2\n"}), tree(a="from dsnswitch.hdl.b import c\n")}) == 3
    # In these modules, hdl.d is imported inside a function.
    later = "from dsnswitch.hdl.b import c\n\ndef f():\n    from dsnswitch.hdl.d import Y\n    return c\n"
    assert tree(a=later) != tree(a=later, d="Y = 2\n")
    # A block names the module of its gateware in a text.
    named = 'class A:\n    gateware = "hdl.d:Y"\n'
    assert tree(a=named) != tree(a=named, d="Y = 2\n")


PAGE = """# Sizes

<!-- figures: sizes -->
8 x 8
<!-- /figures -->
<!-- figures: area -->
area 7.0
<!-- /figures -->
"""


@pytest.fixture
def repository(root, tmp_path, store, monkeypatch):
    """A folder with a page, a generated file, a budget and the figures of a small block, all of which are current."""
    block = build(SMALL[0])
    parts = {"sizes": lambda _: "8 x 8", "area": lambda store: f"area {store.of(block)['area']}"}
    budgets = f"[{block.name}]\narea = 7\nperiod = 3\n"
    for name, text in (("README.md", PAGE), ("docs/made.json", "{}\n"), (regenerate.BUDGETS, budgets)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    store.path = tmp_path / PATH
    del store.blocks["model"][build(SMALL[1]).name]
    store.blocks["model"][block.name] |= FIGURES
    store.write()
    monkeypatch.setattr(pages, "PAGES", {"README.md": parts})
    monkeypatch.setattr(refresh, "measured_set", lambda: {"model": {block.name: block}})
    monkeypatch.setattr(regenerate, "generated", lambda: {"docs/made.json": "{}\n"})
    monkeypatch.setattr(regenerate, "suite", lambda: [block])
    monkeypatch.setattr(regenerate.layouts, "DESIGNS", {})
    monkeypatch.setattr(regenerate.networks, "experiment_files", dict)
    return tmp_path


#: The other values that a file of figures has for each block.
FIGURES = {
    **dict.fromkeys(("static_area", "delay", "delay_all", "results_per_cycle"), 1.0),
    **dict.fromkeys(("gates", "levels", "cells", "flip_flops", "memory_bits", "resets", "latency_cycles"), 1),
    **{"area": 7.0, "period": 3.0, "block": "secded-encoder", "map": "", "netlist_hash": "", "generic": {}, "paths": {}},
    **{"delay_opensta": None, "equivalent": True},
}

GOOD = "0 mistakes in pages, generated files and budgets; 0 stale figures\n"


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_check_accepts_what_is_current(run, repository):
    assert run("figures", "--check", "--root", repository) == (0, GOOD, "")


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("README.md", "8 x 8", "8 x 9", "README.md, sizes: the page states other figures; run make pages"),
        ("docs/made.json", "{}", "[]", "docs/made.json: the code gives other contents; run make pages"),
        (regenerate.BUDGETS, "area = 7", "area = 6", "secded_encoder_39_32: area 7.00 GE passes its ceiling 6 by 16.7%; "),
        (regenerate.BUDGETS, "secded_encoder_39_32", "gone", "secded_encoder_39_32 has no budget; "),
        (PATH, '"equivalent": true', '"equivalent": null', "secded_encoder_39_32: the recorded netlist was not proved"),
    ],
    ids=["page", "file", "budget", "no budget", "proof"],
)
def test_check_fails_on_mistakes(run, repository, path, old, new, line):
    edit(repository / path, old, new)
    status, out, err = run("figures", "--check", "--root", repository)
    assert (status, err) == (1, "")
    assert out.startswith(f"error: {line}")
    assert "0 stale figures" in out


def test_check_fails_on_a_file_that_is_not_there(run, repository):
    (repository / "docs/made.json").unlink()
    status, out, _ = run("figures", "--check", "--root", repository)
    assert (status, out.splitlines()[0]) == (1, "error: docs/made.json: the code gives other contents; run make pages")


def test_check_warns_of_stale_and_of_missing_figures(run, repository, monkeypatch):
    """Neither fails, and a page whose figures are missing is no mistake: a change in progress need not measure."""
    name = build(SMALL[0]).name
    line = f"warning: {name} (model): {{}}; run make figures\n{GOOD.replace('0 stale', '1 stale')}"
    edit(repository / PATH, '"recipe": "', '"recipe": "other')
    found = line.format("measured from other Verilog or another recipe")
    assert run("figures", "--check", "--root", repository) == (0, found, "")
    Store(repository / PATH).write()
    assert run("figures", "--check", "--root", repository) == (0, line.format("not measured"), "")
    monkeypatch.setattr(regenerate.layouts, "DESIGNS", {"mesh": DESIGNS["mesh"]})
    status, out, _ = run("figures", "--check", "--root", repository)
    assert status == 0
    assert "warning: mesh (layout): no current figures; run make layouts\n" in out


def test_command_repairs_a_page(run, repository):
    """``make pages`` does so, too, and measures nothing."""
    page = repository / "README.md"
    edit(page, "area 7.0", "area 8")
    assert run("figures", "--root", repository) == (0, "wrote README.md\n", "")
    assert page.read_text() == PAGE
    assert run("figures", "--check", "--root", repository) == (0, GOOD, "")


def test_make_pages_writes_pages_and_files(run, repository, monkeypatch):
    """Without the figures of a page, nothing is written."""
    monkeypatch.setattr(regenerate, "generated", lambda: {"docs/made.json": "[]\n"})
    edit(repository / "README.md", "area 7.0", "area 8.0")
    assert run("pages", "--root", repository) == (0, "README.md\ndocs/made.json\n", "")
    assert (repository / "README.md").read_text() == PAGE
    assert (repository / "docs/made.json").read_text() == "[]\n"
    Store(repository / PATH).write()
    (repository / "docs/made.json").unlink()
    status, out, err = run("pages", "--root", repository)
    assert (status, out) == (2, "")
    assert "has no figures of secded_encoder_39_32 (model): run make figures\n" in err
    assert not (repository / "docs/made.json").exists()


@pytest.mark.parametrize(
    ("page", "old", "new", "message"),
    [
        ("README.md", "<!-- figures: sizes -->\n", "", "has a figures marker that occurs twice or has no end"),
        ("README.md", "figures: sizes", "figures: size", "README.md must have markers for area, sizes, not area, size"),
        (PATH, '"dsnswitch-figures"', '"figures"', "$.format: 'dsnswitch-figures' was expected"),
        (PATH, ' "version": 1,\n', "", "$: 'version' is a required property"),
    ],
    ids=["half a part", "name of a part", "format", "version"],
)
def test_bad_input(refuse, repository, page, old, new, message):
    edit(repository / page, old, new)
    assert message in refuse("figures", "--check", "--root", repository)


def test_a_folder_without_pages(refuse, tmp_path):
    message = f"Command figures needs a checkout of the repository: {tmp_path}/README.md does not exist"
    assert message in refuse("figures", "--root", tmp_path)
    assert list(tmp_path.iterdir()) == []
