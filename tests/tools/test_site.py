"""Sources of the documentation site: every block has a page that agrees with its manifest, and all links have a target."""

import posixpath
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib import import_module

import pytest

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.emit.manifest import never_elaborated
from tools import site as blocks
from tools.figures.store import Store
from tools.site import (
    INTERNAL,
    REFERENCE,
    block_pages,
    expanded,
    exported,
    guide_pages,
    main,
    navigation,
    reference_pages,
    sample,
    sources,
)

FIGURES = {"name": "gearbox_257_160_g5140", "block": "gearbox", "area": 1234.5, "period": 9.87, "levels": 7}
FIGURES |= {"flip_flops": 321, "memory_bits": 0}


@pytest.fixture(scope="module")
def made():
    return block_pages(Store(blocks={"model": {FIGURES["name"]: FIGURES}}), 500)


def test_every_block_has_a_page(made):
    for name, block in BLOCKS.items():
        page = made[f"blocks/{name}.md"]
        assert f"[`{name}`]({name}.md)" in made["blocks/index.md"]
        assert page.startswith(f"# {name}\n\n{block.summary()}")
        for key in block.OPTIONS:
            assert f"| `{key}` |" in page


def test_ports_and_latency_are_those_of_the_manifest(made):
    with never_elaborated():
        latency = sample("rs-encoder").component().latency
    page, picture = made["blocks/rs-encoder.md"], made["blocks/rs-encoder.svg"]
    assert f"Latency: {latency} cycle, 2.0 ns at 500 MHz. Results per cycle: 1." in page
    assert "| `o_payload` | output | 160 |" in page
    texts = [element.text for element in ET.fromstring(picture).iter() if element.tag.endswith("text")]
    assert {"rs_encoder_528_514_w16", "o_payload", "i_ready", "160", "clk"} <= set(texts)
    assert "Latency: 0 cycles, combinational." in made["blocks/route.md"]


def test_figures_are_those_of_the_store(made):
    assert "| `gearbox_257_160_g5140` | 1,234 | 9.9 | 7 | 321 |" in made["blocks/gearbox.md"]
    assert "No figures of this block are recorded" in made["blocks/route.md"]


def test_a_block_without_a_sample(monkeypatch):
    for name in ("suite", "baselines", "peers"):
        monkeypatch.setattr(blocks, name, tuple)
    with pytest.raises(Exception, match=r"tools/site\.py needs a sample of block gearbox: Block gearbox needs from"):
        sample("gearbox")


def test_links_lead_to_pages(root, made):
    """mkdocs checks the links again in `make docs`, including headings."""
    pages = guide_pages(root) | made | reference_pages()
    count = 0
    for name, text in pages.items():
        if name.endswith(".md"):
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[\w-]*)?\)", text):
                if not re.match(r"[a-z]+:", target):
                    count += 1
                    assert posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) in pages, (name, target)
    assert count > 100
    found = [page for part in navigation(pages) for names in part.values() for page in names]
    assert sorted(found) == sorted(name for name in pages if name.endswith(".md"))


def test_reference_names_modules(root):
    texts = sources(root)
    for _, packages in REFERENCE.values():
        modules = expanded(*packages)
        assert modules
        for module in modules:
            assert import_module(f"dsnswitch.{module}").__doc__
            assert exported(module)
            assert f"dsnswitch/{module.replace('.', '/')}.py" in texts
    assert ":class:`" not in "".join(text for name, text in texts.items() if "site" not in name)


def test_reference_has_every_package_of_networks_and_gateware(root):
    listed = {module for _, packages in REFERENCE.values() for module in expanded(*packages)}
    for top in ("hdl", "net"):
        packages = {path.parent for path in (root / top).rglob("__init__.py")} - {root / top}
        for folder in packages:
            package = ".".join(folder.relative_to(root).parts)
            modules = {f"{package}.{path.stem}" for path in folder.glob("*.py") if path.stem != "__init__"}
            public = {one for one in modules if exported(one) and not one.startswith(INTERNAL)}
            assert public <= listed, package
    assert all(
        (root / one.replace(".", "/")).is_dir() or (root / f"{one.replace('.', '/')}.py").exists() for one in INTERNAL
    )


def test_reference_has_exported_classes():
    pages = reference_pages()
    for page, name in (("link", "LightLink"), ("core", "SwitchCore"), ("switch", "Switch"), ("topology", "DsnF")):
        assert re.search(rf"members: \[.*\b{name}\b.*\]", pages[f"reference/{page}.md"])
    assert "ring_distance" not in pages["reference/routing.md"]


@pytest.mark.regress
@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (None, ""),
        ("[there](nowhere.md)", "nowhere.md"),
        ("[there](pcs.md#nowhere)", "nowhere"),
        ("::: dsnswitch.hdl.nowhere", "nowhere"),
    ],
)
def test_site_is_built(root, tmp_path, monkeypatch, broken, message):
    """mkdocs accepts the site, and refuses a link to a missing page, heading or module."""
    subprocess.run([".ci/setup", "docs"], cwd=root, check=True)
    monkeypatch.chdir(root)
    main(tmp_path)
    if broken:
        with (tmp_path / "pages" / "index.md").open("a") as page:
            page.write(f"\n{broken}\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", tmp_path / "mkdocs.yml"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode == 0) == (broken is None), done.stdout + done.stderr
    assert message in done.stdout + done.stderr
    if not broken:
        text = (tmp_path / "html" / "reference" / "routing" / "index.html").read_text()
        assert "RouteLogic" in text
        text = (tmp_path / "html" / "reference" / "link" / "index.html").read_text()
        assert 'id="dsnswitch.hdl.link.light.LightLink"' in text
        assert (tmp_path / "html" / "blocks" / "rs-decoder" / "index.html").exists()
