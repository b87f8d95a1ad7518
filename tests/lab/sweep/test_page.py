"""Plots of a sweep: heat maps, curves, and the page in a browser."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
from browser import read

from dsnswitch.lab.sweep.heat import COLOURS, colour, heat_map, link_loads, plain_picture
from dsnswitch.net.files.parameters import network

#: What a reader does: filter, point at a circle, leave it, click it, choose another quantity. It writes what is seen then.
READER = """
<script>
const seen = {errors: []};
addEventListener("error", event => seen.errors.push(event.message));
const dots = () => [...document.querySelectorAll("#plot circle.point")];
const tip = () => document.getElementById("tip");
const set = (element, value) => { element.value = value; element.dispatchEvent(new Event("input", {bubbles: true})); };
const strokes = () => [...document.querySelectorAll(".map:not([hidden]) [data-link]")].map(link => link.style.stroke);
seen.all = dots().length;
seen.lines = document.querySelectorAll("#plot path.saturation").length;
seen.rows = document.querySelectorAll("#curves tbody tr").length;
seen.bounds = [...document.querySelectorAll("#curves tbody tr")].map(row => row.children[2].textContent);
seen.first = document.getElementById("links").textContent;
seen.maps = document.querySelectorAll(".map:not([hidden])").length;
set(document.getElementById("filter"), "delay 3");
seen.filtered = [...new Set(dots().map(dot => dot.dataset.curve))];
seen.hidden = tip().hidden;
dots()[1].dispatchEvent(new MouseEvent("mouseenter", {clientX: 100, clientY: 100}));
seen.tip = tip().hidden ? "" : tip().textContent;
dots()[1].dispatchEvent(new MouseEvent("mouseleave"));
seen.left = tip().hidden;
const before = strokes();
dots()[1].dispatchEvent(new MouseEvent("click"));
seen.clicked = document.getElementById("links").textContent;
seen.coloured = strokes().join() !== before.join();
seen.strokes = strokes();
set(document.getElementById("filter"), "");
const box = document.querySelector("#series input");
box.click();
box.dispatchEvent(new Event("input", {bubbles: true}));
seen.series = [...new Set(dots().map(dot => dot.dataset.curve))];
set(document.getElementById("quantity"), "accepted");
seen.axis = document.getElementById("plot").textContent.includes("accepted load, flits per host and cycle");
seen.requests = performance.getEntriesByType("resource").length;
const out = document.createElement("pre");
out.id = "seen";
out.textContent = JSON.stringify(seen);
document.body.append(out);
</script>
"""


def test_colours():
    assert [colour(place / 4) for place in range(5)] == list(COLOURS)
    assert (colour(-1), colour(7)) == (COLOURS[0], COLOURS[-1])
    assert len({colour(place / 100) for place in range(101)}) == 101


@pytest.mark.parametrize("topology", ["torus:4", "torus:3x3", "grid:4x4:ring-4", "ring:8", "dsn-f:63", "hypercube:4", "mesh:3x2"])
def test_every_link_of_a_heat_map_has_its_load(topology):
    found = network({"topology": topology})
    ends = [(found.number(one), found.number(end[0])) for one in found.switches() for _, end in found.links_of(one)]
    loads = [(7 * at + 3) % 100 / 100 for at in range(len(ends))]
    expected = {}
    for pair, load in zip(ends, loads):
        expected[tuple(sorted(pair))] = max(load, expected.get(tuple(sorted(pair)), 0))
    assert link_loads(found, loads) == expected
    root = ET.fromstring(heat_map(found, loads, "A <title> & more", 0.8))
    drawn = {}
    for link in root.iterfind(".//*[@data-link]"):
        pair = tuple(sorted(map(int, link.get("data-link").split())))
        drawn[pair] = float(link.get("data-load"))
        assert link.get("stroke") == colour(expected[pair] / 0.8)
    assert drawn == expected
    text = "".join(root.itertext())
    assert "A <title> & more" in text
    assert "0.8 flits per cycle" in text
    # The legend of the kinds of links is gone: every line is a link.
    assert len(plain_picture(found)[1]) == len(root.findall(".//{*}path")) + len(root.findall(".//{*}line"))


def test_plots_and_page(run, ring, tmp_path):
    """All files, and the page as a reader uses it."""
    out = tmp_path / "out"
    assert run("sweep", "run", ring, "--folder", out, "--workers", 0)[0] == 0
    status, text, err = run("sweep", "plot", out)
    assert (status, err) == (0, "")
    names = ["latency.svg", "links-1.svg", "links-2.svg", "links-3.svg", "index.html"]
    assert text == "".join(f"wrote {out / name}\n" for name in names)
    plot = (out / "latency.svg").read_text()
    assert "Neighbour, link delay 3" in plot
    stable = json.loads((out / "sweep.json").read_text())["curves"][2]["saturation"]["stable"]
    assert f">{stable:.2f}<" in plot
    assert {">saturated<", ">saturation (stable)<"} <= set(re.findall(">[^<]+<", plot))
    page = (out / "index.html").read_text()
    assert "<h1>Rings &lt;of four&gt; &amp; others</h1>" in page
    assert not re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", page)
    _read(page, tmp_path)


#: What a reader sees of two seeds: one line and one band of both, and the labels of the table.
SEEDS = """
<script>
const all = selector => [...document.querySelectorAll(selector)];
const seen = {errors: [], requests: performance.getEntriesByType("resource").length};
seen.lines = all("#plot path.line").length;
seen.bands = all("#plot path.spread").map(path => path.getAttribute("fill"));
seen.inks = new Set(all("#plot circle.point").map(dot => dot.getAttribute("stroke"))).size;
seen.labels = all("#curves tbody tr").map(row => row.children[0].textContent.slice(2));
const out = document.createElement("pre");
out.id = "seen";
out.textContent = JSON.stringify(seen);
document.body.append(out);
</script>
"""


def test_seeds_and_failed_links(run, ring, tmp_path):
    """Curves that differ in the seed only are one in the plot, and in the page one line with a band."""
    out = tmp_path / "out"
    assert run("sweep", "run", ring, "--folder", out, "--workers", 0)[0] == 0
    index = json.loads((out / "sweep.json").read_text())
    first, second = index["curves"][:2]
    first["alike"] = second["alike"] = "Ring"
    second["traffic"]["failed_links"] = first["traffic"]["failed_links"] = [{}, {}]
    (out / "sweep.json").write_text(json.dumps(index))
    assert run("sweep", "plot", out)[0] == 0
    plot = (out / "latency.svg").read_text()
    assert {">Ring, 2 failed links, 2 seeds<", ">least to greatest of all seeds<"} <= set(re.findall(">[^<]+<", plot))
    seen = read((out / "index.html").read_text(), SEEDS, tmp_path)
    assert (seen["lines"], seen["inks"], len(seen["bands"])) == (2, 2, 1)
    assert seen["labels"][0] == "Neighbour, link delay 0, 2 failed links"
    assert seen["labels"][2] == "Hot spot"


def _read(page, folder):
    seen = read(page, READER, folder)
    assert seen["all"] > 12
    assert (seen["lines"], seen["rows"], seen["maps"]) == (1, 3, 1)
    assert seen["bounds"][:2] == ["\u2265 1.0000"] * 2
    assert seen["bounds"][2].startswith("0.3")
    assert seen["first"] == "Loads of links: Neighbour, link delay 0 at load 1"
    assert seen["filtered"] == ["Neighbour, link delay 3"]
    assert seen["hidden"]
    lines = seen["tip"].splitlines()
    assert lines[:2] == ["Neighbour, link delay 3", "load 0.5"]
    assert "mean 1" in lines[3]
    assert seen["left"]
    assert seen["clicked"] == "Loads of links: Neighbour, link delay 3 at load 0.5"
    assert seen["coloured"]
    assert len(seen["strokes"]) == 4
    assert seen["series"] == ["Hot spot"]
    assert seen["axis"]
