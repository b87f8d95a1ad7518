"""Every export format, parsed back and compared with the golden links."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter

import jsonschema
import networkx as nx
import pytest

from dsnswitch.gen.cli.schemas import schema_of
from dsnswitch.net.files.export import FORMATS, export
from dsnswitch.net.topology.dsn import grid, ring
from dsnswitch.net.topology.dsn_f import DsnF
from dsnswitch.net.topology.supernode import Coc, K4x2
from dsnswitch.sim.golden.topology.dsn import links, nodes

SCHEMA = schema_of("topology")
SVG = "{http://www.w3.org/2000/svg}"

NETWORKS = [grid(4, 4), grid(3, 4, K4x2(double=True)), grid(5, 3), ring(7, 4), ring(2, 1), ring(3, 2), grid(1, 6, Coc(2, 3))]

every_network = pytest.mark.parametrize("dsn", NETWORKS, ids=lambda dsn: dsn.name)


def number(dsn, node):
    """Flat number by the formula, without `Address`."""
    x, *y, i = node
    return (sum(y) * dsn.sizes[0] + x) * dsn.m + i


def golden(dsn):
    """Multiset of ``(source, target, kind, level)``; parallel links count."""
    return Counter((number(dsn, at.source), number(dsn, at.target), at.kind, at.level) for at in links(dsn))


def addresses(dsn):
    return {number(dsn, node): ",".join(map(str, node)) for node in nodes(dsn)}


@every_network
def test_edges(dsn):
    header, *lines = export(dsn, "edges").splitlines()
    assert header == "# source target kind level"
    found = Counter()
    for line in lines:
        source, target, kind, level = line.split(" ")
        found[int(source), int(target), kind, None if level == "-" else int(level)] += 1
    assert found == golden(dsn)


@every_network
def test_json(dsn):
    document = json.loads(export(dsn, "json"))
    schema = SCHEMA
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    assert document["sizes"] == list(dsn.sizes)
    assert document["levels"] == list(dsn.levels)
    assert (document["topology"], document["supernode"], document["m"]) == (dsn.topology, dsn.supernode.name, dsn.m)
    assert [node["number"] for node in document["nodes"]] == list(range(dsn.nodes))
    assert {node["number"]: ",".join(map(str, node["address"])) for node in document["nodes"]} == addresses(dsn)
    assert Counter((at["source"], at["target"], at["kind"], at["level"]) for at in document["links"]) == golden(dsn)
    for at in document["links"]:
        here, there = at["source"] // dsn.m, at["target"] // dsn.m
        if at["kind"] == "local":
            assert (at["length"], here) == (None, there)
        else:
            stride, size = (1, dsn.sizes[0]) if at["kind"] == "x" else dsn.sizes
            assert (here // stride + at["length"]) % size == there // stride % size


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.update(extra=1),
        lambda document: document["nodes"][0].update(x=0),
        lambda document: document["links"][0].update(level=1),
        lambda document: document["links"][-1].update(level=None),
        lambda document: document["sizes"].pop(),
        lambda document: document.update(version=2),
    ],
)
def test_schema_refuses(change):
    document = json.loads(export(grid(4, 4), "json"))
    change(document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


@every_network
def test_graphml(dsn):
    net = nx.parse_graphml(export(dsn, "graphml"), node_type=int, force_multigraph=True)
    assert not net.is_directed()
    assert dict(net.nodes(data="address")) == addresses(dsn)
    for n, data in net.nodes(data=True):
        assert ",".join(str(data[key]) for key in (*dsn.dimensions, "id")) == addresses(dsn)[n]
    found = Counter()
    for a, b, data in net.edges(data=True):
        target = b if data["leaves"] == a else a
        found[data["leaves"], target, data["kind"], data.get("level")] += 1
        axis = "xy".find(data["kind"][0])
        assert data.get("length") == (None if axis < 0 else dsn.length(axis, data["level"]))
    assert found == golden(dsn)


@every_network
def test_anynet(dsn):
    routers, found = [], Counter()
    for line in export(dsn, "anynet").splitlines():
        words = line.split(" ")
        assert words[0::2][:2] == ["router", "node"]
        assert set(words[4::2]) <= {"router"}
        head, node, *others = map(int, words[1::2])
        assert head == node
        routers.append(head)
        found.update((head, other) for other in others)
    assert routers == list(range(dsn.nodes))
    # All links between two routers are listed at one end, because BookSim2 counts a link that both ends list as one link.
    assert not any((b, a) in found for a, b in found)
    expected = Counter()
    for (source, target, *_), count in golden(dsn).items():
        expected[frozenset((source, target))] += count
    assert Counter(map(frozenset, found.elements())) == expected


@every_network
def test_dot(dsn):
    text = export(dsn, "dot")
    assert text.startswith(f"graph {dsn.name} {{\n")
    assert text.endswith("\n}\n")
    assert {int(n): label for n, label in re.findall(r'^  (\d+) \[label="(.*?)"\];$', text, re.M)} == addresses(dsn)
    edge = r"^  (\d+) -- (\d+) \[color=\"#\w{6}\", kind=(\w+)(?:, level=(\d+))?\];$"
    found = Counter((int(a), int(b), kind, int(level) if level else None) for a, b, kind, level in re.findall(edge, text, re.M))
    assert found == golden(dsn)


@every_network
def test_svg(dsn):
    root = ET.fromstring(export(dsn, "svg"))
    assert root.find(f"{SVG}title").text.endswith(f"{dsn.nodes} nodes, {golden(dsn).total()} links")
    assert root.find(f"{SVG}desc").text
    x, y, width, height = map(float, root.get("viewBox").split())
    assert (x, y) == (0, 0)
    drawn = [element for element in root.iter() if element.get("data-kind")]
    found, paths = Counter(), set()
    for element in drawn:
        source, target = map(int, element.get("data-link").split())
        level = element.get("data-level")
        found[source, target, element.get("data-kind"), int(level) if level else None] += 1
        paths.add(element.get("d"))
        for across, down in re.findall(r"(-?[\d.]+),(-?[\d.]+)", element.get("d")):
            assert 0 <= float(across) <= width
            assert 0 <= float(down) <= height
    assert found == golden(dsn)
    assert len(paths) == len(drawn), "two links lie on each other"


@every_network
def test_svg_links_end_on_their_nodes(dsn):
    """All links of a node end at one position, which has a dot."""
    root = ET.fromstring(export(dsn, "svg"))
    ends = {}
    for element in root.iter():
        if element.get("data-kind"):
            points = re.findall(r"(-?[\d.]+),(-?[\d.]+)", element.get("d"))
            for node, point in zip(element.get("data-link").split(), (points[0], points[-1])):
                ends.setdefault(node, set()).add(point)
    assert all(len(places) == 1 for places in ends.values())
    assert len(set().union(*ends.values())) == len(ends) == dsn.nodes
    dots = {(element.get("cx"), element.get("cy")) for element in root.iter(f"{SVG}circle")}
    assert set().union(*ends.values()) <= dots


@pytest.mark.parametrize("n", [8, 63, 160])
def test_svg_of_dsn_f(n):
    """Every link is drawn once, from dot to dot, and no two links lie on each other."""
    network = DsnF(n)
    root = ET.fromstring(export(network, "svg"))
    drawn = [element for element in root.iter() if element.get("data-kind")]
    found = Counter(
        (*map(int, element.get("data-link").split()), element.get("data-kind"), element.get("data-level")) for element in drawn
    )
    wanted = Counter()
    for link in network.links():
        level = network.level(link.source, link.port)
        ends = network.number(link.source), network.number(link.target)
        wanted[*ends, network.ports[link.port].kind, None if level is None else str(level)] += 1
    assert found == wanted
    assert len({element.get("d") for element in drawn}) == len(drawn)
    dots = {(element.get("cx"), element.get("cy")) for element in root.iter(f"{SVG}circle")}
    ends = {re.findall(r"(-?[\d.]+),(-?[\d.]+)", element.get("d"))[end] for element in drawn for end in (0, -1)}
    assert ends == dots
    assert len(dots) == n
    assert all(1.05 / (0.05 + luminance(element.get("stroke"), 1.0)) >= 3 for element in drawn)


def luminance(colour, opacity):
    """Relative luminance (WCAG 2) of a colour over white."""
    parts = [1 - opacity * (1 - part / 255) for part in bytes.fromhex(colour[1:])]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))


@pytest.mark.parametrize("dsn", [grid(8, 8), grid(16, 16), ring(64, 6)], ids=lambda dsn: "x".join(map(str, dsn.sizes)))
def test_svg_links_are_dark_enough_for_print(dsn):
    """Every link has a contrast of at least 3:1 to the paper, the minimum for lines in WCAG."""
    groups = [g for g in ET.fromstring(export(dsn, "svg")).iter(f"{SVG}g") if g.find(f"{SVG}path[@data-kind]") is not None]
    assert len(groups) >= 2 * sum(dsn.levels)
    for group in groups:
        assert 1.05 / (0.05 + luminance(group.get("stroke"), float(group.get("opacity", "1")))) >= 3, group.attrib


def test_svg_emphasis():
    """Row 0, column 0 and supernode 0,0 are drawn in full strength. All other shortcuts are slightly lighter."""
    strong = Counter()
    for group in ET.fromstring(export(grid(4, 4), "svg")).iter(f"{SVG}g"):
        for element in group.findall(f"{SVG}path[@data-level]"):
            strong[element.get("data-kind"), group.get("opacity") == "1"] += 1
    assert strong == {("x", True): 8, ("x", False): 24, ("y", True): 8, ("y", False): 24}


def test_the_same_on_every_run():
    """The text is the same under another hash seed."""
    code = (
        "import sys; from dsnswitch.net.files.export import FORMATS, export; from dsnswitch.net.topology.dsn import grid\n"
        "for format in FORMATS: sys.stdout.write(export(grid(5, 3), format))"
    )
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": "7"}, capture_output=True, check=True)
    assert run.stdout.decode() == "".join(export(grid(5, 3), format) for format in FORMATS)
