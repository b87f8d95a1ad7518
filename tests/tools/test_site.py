"""Sources of the documentation site: every block has a page that agrees with its manifest, and all links have a target."""

import posixpath
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib import import_module

import pytest

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.emit.manifest import never_elaborated
from tools.site import INTERNAL, TOP, block_pages, exported, linked, navigation, packages, reference_pages, sample


@pytest.fixture(scope="module")
def made():
    return block_pages()


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
    assert f"Latency: {latency} cycle, 1.6 ns at 644.5 MHz. Results per cycle: 1." in page
    assert "| `o_payload` | output | 160 |" in page
    texts = [element.text for element in ET.fromstring(picture).iter() if element.tag.endswith("text")]
    assert {"rs_encoder_528_514_w16", "o_payload", "i_ready", "160", "clk"} <= set(texts)
    assert "Latency: 0 cycles" in made["blocks/route.md"]


def test_links_lead_to_pages(root, made):
    """mkdocs checks the links again in `make docs`, including headings."""
    pages = made | reference_pages()
    pages |= {new: linked((root / old).read_text(), posixpath.dirname(old)) for old, new in TOP.items()}
    for path in (root / "docs").rglob("*.*"):
        name = path.relative_to(root / "docs").as_posix()
        pages[name] = linked(path.read_text(), "docs") if path.suffix == ".md" else ""
    count = 0
    for name, text in pages.items():
        if name.endswith(".md"):
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[\w-]*)?\)", text):
                if not re.match(r"[a-z]+:", target):
                    count += 1
                    assert posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) in pages, (name, target)
    assert count > 100
    names = [name for name in pages if name.endswith(".md")]
    assert sorted(page for part in navigation(names) for found in part.values() for page in found) == sorted(names)


def test_reference_has_every_public_class(root):
    pages = reference_pages()
    for package, modules in packages().items():
        assert import_module(f"dsnswitch.{package}").__doc__
        for module in modules:
            assert f"::: dsnswitch.{module}\n" in pages[f"reference/{package}.md"]
            assert import_module(f"dsnswitch.{module}").__doc__
            assert exported(module)
    for page, name in (("hdl.link", "LightLink"), ("hdl.core", "SwitchCore"), ("net.topology", "DsnF")):
        assert re.search(rf"members: \[.*\b{name}\b.*\]", pages[f"reference/{page}.md"])
    for one in INTERNAL:
        path = root / one.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").exists()


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
def test_site_is_built(root, tmp_path, broken, message):
    """mkdocs accepts the site, and refuses a link to a missing page, heading or module."""
    subprocess.run([".ci/setup", "docs"], cwd=root, check=True)
    shutil.copytree(root / "docs", tmp_path / "docs")
    shutil.copy(root / "mkdocs.yml", tmp_path)
    for name in ("src", "tools"):
        (tmp_path / name).symlink_to(root / name)
    if broken:
        with (tmp_path / "docs" / "ideas.md").open("a") as page:
            page.write(f"\n{broken}\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", tmp_path / "mkdocs.yml"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert (done.returncode == 0) == (broken is None), done.stdout + done.stderr
    assert message in done.stdout + done.stderr
    if not broken:
        text = (tmp_path / "build" / "site" / "reference" / "hdl.link" / "index.html").read_text()
        assert 'id="dsnswitch.hdl.link.light.LightLink"' in text
        assert (tmp_path / "build" / "site" / "blocks" / "rs-decoder" / "index.html").exists()
