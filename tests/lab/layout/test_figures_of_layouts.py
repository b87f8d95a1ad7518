"""Figures of layouts in pages: the file, its fingerprints, and the sentences with its figures."""

import json
from contextlib import nullcontext

import pytest

from dsnswitch.lab.docs.layout import PARTS
from dsnswitch.lab.figures.store import Store
from dsnswitch.lab.layout import measured as measured_set
from dsnswitch.lab.layout import measured as refresh
from dsnswitch.lab.layout.flow import lay_out
from dsnswitch.lab.layout.measured import (
    DESIGNS,
    PATH,
    PICTURE,
    Layouts,
    comparison,
    fingerprint,
    load,
    rows,
    sentences,
)
from dsnswitch.lab.layout.report import figures
from dsnswitch.net.messages import UsageError


@pytest.fixture
def layouts(root):
    return load(root / PATH)


def test_every_design_is_recorded(layouts):
    assert set(layouts.blocks) == set(DESIGNS)
    for name, one in layouts.blocks.items():
        assert one["equivalent"] is True, name
        assert one["densities"][-1]["failed"] is None
        for condition in ("bare", "wired"):
            assert one["delays"]["ideal"]["packet"] < one["delays"][condition]["packet"]
        assert len(rows(layouts)) == len(DESIGNS)


def test_small_designs_are_current(layouts):
    """If this fails, `dsnswitch layout --all` measures the designs again. `make regress` checks the larger designs."""
    for name in ("scrambler", "mesh", "torus", "key-equation-cell"):
        assert layouts.of(name)["fingerprint"] == fingerprint(name)


@pytest.mark.regress
@pytest.mark.parametrize("name", ["node-torus", "direct-512", *PICTURE])
def test_a_layout_gives_the_recorded_figures(programs, layouts, name):
    """If this fails, the flow gives other figures, and its version in the fingerprint was not increased."""
    found = figures(lay_out(measured_set.subject(name), lambda items, label: nullcontext(items)))
    recorded = {key: value for key, value in layouts.of(name).items() if key != "fingerprint"}
    assert json.loads(json.dumps(found)) == recorded


@pytest.mark.regress
def test_all_designs_are_current(layouts):
    assert refresh.stale(layouts) == []


def test_a_change_of_rtl_makes_a_figure_stale(layouts, monkeypatch):
    changed = DESIGNS | {"scrambler": ("64b/66b scrambler, 64 bits", DESIGNS["mesh"][1])}
    monkeypatch.setattr(measured_set, "DESIGNS", changed)
    measured_set.subject.cache_clear()
    try:
        assert fingerprint("scrambler") != layouts.of("scrambler")["fingerprint"]
    finally:
        measured_set.subject.cache_clear()


def test_a_change_of_the_flow_makes_every_figure_stale(layouts, monkeypatch):
    monkeypatch.setattr(measured_set, "FLOW", measured_set.FLOW + 1)
    assert fingerprint("mesh") != layouts.of("mesh")["fingerprint"]


def test_comparisons(layouts):
    """Sentences state the quotients of the file."""
    bare, wired, area = comparison(layouts, "universal-512", "tcam-512")
    ours, theirs = layouts.of("universal-512"), layouts.of("tcam-512")
    assert wired == pytest.approx(ours["delays"]["wired"]["packet"] / theirs["delays"]["wired"]["packet"])
    assert area == pytest.approx(ours["area"]["rows"] / theirs["area"]["rows"])
    delays = f"has {wired:.2f} times the delay ({bare:.2f} without wires)"
    assert (
        f"{delays} and {area:.2f} times the area of a ternary table of the dissertation's size."
        in sentences(layouts)[0]
    )


def test_parts_of_pages(root):
    store = Store(root / "docs" / "figures.json")
    for name, part in PARTS.items():
        assert all(len(line) <= 120 for line in part(store).splitlines() if not line.startswith("|")), name


def test_file(tmp_path, layouts):
    path = tmp_path / "layouts.json"
    copy = Layouts(path, layouts.blocks)
    copy.write()
    text = path.read_text()
    assert load(path).blocks == layouts.blocks
    load(path).write()
    assert path.read_text() == text
    assert load(tmp_path / "none.json").blocks == {}
    with pytest.raises(UsageError, match=r"none.json has no figures of mesh: run dsnswitch layout --all"):
        load(tmp_path / "none.json").of("mesh")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found: found.update(version=7), r"\$\.version"),
        (lambda found: found["blocks"]["mesh"].update(equivalent=False), r"\$\.blocks\.mesh\.equivalent"),
        (lambda found: found["blocks"]["mesh"].pop("vias"), r"'vias' is a required property"),
    ],
)
def test_malformed_file(tmp_path, root, change, message):
    found = json.loads((root / PATH).read_text())
    change(found)
    path = tmp_path / "layouts.json"
    path.write_text(json.dumps(found))
    with pytest.raises(UsageError, match=message):
        load(path)


def test_refresh_measures_what_is_stale(tmp_path, layouts, monkeypatch):
    """Current figures are kept. If a design of the picture is stale, all designs of the picture are laid out."""
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    (tmp_path / refresh.PICTURE_FILE).write_bytes(b"")
    known = {name: found | {"fingerprint": f"of {name}"} for name, found in layouts.blocks.items()}
    Layouts(tmp_path / PATH, known | {"gone": known["mesh"]}).write()
    new = {"mesh", "tcam-512"}
    asked = []
    monkeypatch.setattr(refresh, "fingerprint", lambda name: "new" if name in new else f"of {name}")
    monkeypatch.setattr(refresh, "subject", lambda name: name)
    monkeypatch.setattr(refresh, "lay_out", lambda name, bar: asked.append(name) or name)
    monkeypatch.setattr(refresh, "figures", lambda name: {key: known[name][key] for key in known[name]})
    monkeypatch.setattr(refresh, "drawing", lambda name, title: title)
    monkeypatch.setattr(refresh, "png", lambda titles: " ".join(titles).encode())
    refresh.refresh(tmp_path, lambda items, label: nullcontext(items), None)
    assert asked == ["mesh", "tcam-512", *(name for name in PICTURE if name != "tcam-512")]
    found = load(tmp_path / PATH)
    assert set(found.blocks) == set(DESIGNS)
    assert {found.of(name)["fingerprint"] for name in new} == {"new"}
    assert found.of("torus") == known["torus"]
    assert (tmp_path / refresh.PICTURE_FILE).read_bytes() == b"routing logic ternary table SECDED decoder"
