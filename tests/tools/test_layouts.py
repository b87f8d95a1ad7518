"""Figures of layouts in pages: the file and its fingerprints."""

import json

import invented
import pytest

from dsnswitch.lab.layout.flow import lay_out
from dsnswitch.net.messages import UsageError
from tools import layouts as measured_set
from tools import layouts as refresh
from tools.layouts import DESIGNS, PATH, PICTURE, Layouts, figures, fingerprint, load


@pytest.fixture
def layouts():
    return invented.layouts(PATH)


@pytest.mark.regress
@pytest.mark.parametrize("name", ["node-torus", "direct-512", *PICTURE])
def test_a_layout_gives_the_recorded_figures(programs, root, name):
    """If this fails, the flow gives other figures, and its version in the fingerprint was not increased."""
    layouts = load(root / PATH)
    if layouts.of(name)["fingerprint"] != fingerprint(name):
        pytest.skip("the recorded figures are stale: run make layouts")
    found = figures(lay_out(measured_set.subject(name), lambda items, label: items))
    recorded = {key: value for key, value in layouts.of(name).items() if key != "fingerprint"}
    assert json.loads(json.dumps(found)) == recorded


def test_a_change_of_rtl_or_flow_makes_a_figure_stale(monkeypatch, tmp_path):
    monkeypatch.setattr(measured_set, "DESIGNS", {name: DESIGNS[name] for name in ("mesh", "scrambler")})
    blocks = {name: {"fingerprint": fingerprint(name)} for name in ("mesh", "scrambler")}
    recorded = Layouts(tmp_path, blocks)
    assert refresh.stale(recorded) == []
    monkeypatch.setitem(measured_set.DESIGNS, "scrambler", ("64b/66b scrambler, 64 bits", DESIGNS["mesh"][1]))
    measured_set.subject.cache_clear()
    try:
        assert refresh.stale(recorded) == ["scrambler"]
    finally:
        measured_set.subject.cache_clear()
    monkeypatch.setattr(measured_set, "FLOW", measured_set.FLOW + 1)
    assert refresh.stale(recorded) == ["mesh", "scrambler"]
    del blocks["mesh"]
    assert refresh.stale(recorded) == ["mesh", "scrambler"]


def test_file(tmp_path, layouts):
    path = tmp_path / "layouts.json"
    copy = Layouts(path, layouts.blocks)
    copy.write()
    text = path.read_text()
    assert load(path).blocks == layouts.blocks
    load(path).write()
    assert path.read_text() == text
    assert load(tmp_path / "none.json").blocks == {}
    with pytest.raises(UsageError, match=r"none.json has no figures of mesh: run make layouts"):
        load(tmp_path / "none.json").of("mesh")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found: found.update(version=7), r"\$\.version"),
        (lambda found: found["blocks"]["mesh"].update(equivalent=False), r"\$\.blocks\.mesh\.equivalent"),
        (lambda found: found["blocks"]["mesh"].pop("vias"), r"'vias' is a required property"),
    ],
)
def test_malformed_file(tmp_path, change, message):
    path = tmp_path / "layouts.json"
    invented.layouts(path, ["mesh"]).write()
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))
    with pytest.raises(UsageError, match=message):
        load(path)


def test_refresh_measures_what_is_stale(tmp_path, layouts, monkeypatch):
    """Current figures are kept. If a design of the picture is stale, all designs of the picture are laid out."""
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    (tmp_path / refresh.PICTURE_FILE).write_bytes(b"")
    known = layouts.blocks
    Layouts(tmp_path / PATH, known | {"gone": known["mesh"]}).write()
    new = {"mesh", "tcam-512"}
    asked = []
    monkeypatch.setattr(refresh, "fingerprint", lambda name: "new" if name in new else f"of {name}")
    monkeypatch.setattr(refresh, "subject", lambda name: name)
    monkeypatch.setattr(refresh, "lay_out", lambda name, bar: asked.append(name) or name)
    monkeypatch.setattr(refresh, "figures", lambda name: {key: known[name][key] for key in known[name]})
    monkeypatch.setattr(refresh, "drawing", lambda name, title: title)
    monkeypatch.setattr(refresh, "png", lambda titles: " ".join(titles).encode())
    refresh.refresh(tmp_path, lambda items, label: items)
    assert asked == ["mesh", "tcam-512", *(name for name in PICTURE if name != "tcam-512")]
    found = load(tmp_path / PATH)
    assert set(found.blocks) == set(DESIGNS)
    assert {found.of(name)["fingerprint"] for name in new} == {"new"}
    assert found.of("torus") == known["torus"]
    assert (tmp_path / refresh.PICTURE_FILE).read_bytes() == b"routing logic ternary table SECDED decoder"
