"""The command compare: every figure by its formula, sorting, bad words, and the page in a browser."""

import csv
import json
import re

import networkx as nx
import pytest
from browser import read

from dsnswitch.lab.compare.rows import COLUMNS, FULL, candidates
from dsnswitch.lab.compare.saturation import prepared, saturation
from dsnswitch.net.topology.fitting import near_cube, switches_for
from dsnswitch.net.topology.registry import parse_network

#: What a reader does: filter by words, by topology, choose another axis, select a row. It writes what is seen then.
READER = """
<script>
const seen = {errors: []};
addEventListener("error", event => seen.errors.push(event.message));
const names = view => view.filter.indices.map(at => view.model.data.network[at]);
const settled = () => new Promise(done => setTimeout(done, 200));
const within = (root, selector) => [...root.querySelectorAll(selector),
  ...[...root.querySelectorAll("*")].flatMap(one => one.shadowRoot ? within(one.shadowRoot, selector) : [])];
async function read() {
  const page = Bokeh.documents[0], get = name => page.get_model_by_name(name);
  const table = get("table"), view = {filter: table.view.filter, model: table.source};
  seen.heads = table.columns.map(one => one.title);
  seen.all = names(view);
  seen.canvases = page.get_model_by_name("plot") !== null && page.get_model_by_name("floor") !== null;
  seen.drawn = Object.keys(Bokeh.index).length || Bokeh.index.roots.length;
  get("text").value_input = "torus 4X4";
  await settled();
  seen.filtered = names(view);
  get("text").value_input = "TORUS cables < 40 latency>1";
  await settled();
  seen.conditions = names(view);
  get("text").value_input = "";
  await settled();
  seen.legend = get("plot").right[0].items.map(one => one.label.value);
  seen.heights = within(document, ".slick-viewport").filter(one => one.clientHeight)
    .map(one => [one.clientHeight, one.querySelector(".grid-canvas").clientHeight]);
  get("topologies").active = [0];
  await settled();
  seen.first = names(view);
  get("topologies").active = get("topologies").labels.map((name, at) => at);
  await settled();
  seen.again = names(view);
  get("across").value = "cables";
  await settled();
  seen.axis = get("plot").below[0].axis_label;
  const before = JSON.stringify(get("floor").title.text);
  table.source.selected.indices = [seen.all.length - 1];
  await settled();
  seen.floor = [before, get("floor").title.text];
  seen.boxes = get("floor").renderers[0].data_source.data.name.length;
  seen.lines = get("floor").renderers[1].data_source.data.number.reduce((sum, one) => sum + one, 0);
  seen.requests = performance.getEntriesByType("resource").filter(one => !one.name.startsWith("data:")).length;
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
}
function wait() { window.Bokeh && Bokeh.documents.length && Bokeh.documents[0].is_idle ? read() : setTimeout(wait, 50); }
wait();
</script>
"""


def test_helpers_of_sizes():
    assert switches_for(100, 16, 6) == 10
    assert switches_for(101, 16, 6) == 11
    assert switches_for(10, 6, 6) is None
    assert near_cube(64, 3) == [4, 4, 4]
    assert near_cube(65, 3) == [5, 4, 4]
    assert near_cube(5, 2, 3) == [3, 3]
    for count in range(2, 300):
        for dimensions in (2, 3, 4):
            sizes = near_cube(count, dimensions)
            assert max(sizes) - min(sizes) <= 1
            least = [*sizes[:-1], sizes[-1]]
            least[sizes.index(max(sizes))] -= 1
            product = 1
            for size in least:
                product *= size
            assert product < count or max(sizes) == 2


@pytest.mark.parametrize(("hosts", "radix"), [(2, 4), (10, 8), (100, 12), (1000, 24), (4096, 36)])
def test_networks_that_fit(hosts, radix):
    """Every candidate holds the hosts, and its switches have the ports."""
    found = candidates(hosts, radix)
    assert len(found) >= (1 if radix < 8 else 3)
    assert len({text for _, text in found}) == len(found)
    for name, text in found:
        network = parse_network(text)
        if network.nodes > 3000:
            continue
        terminals = list(network.terminals())
        at = [network.hosts_of(switch) for switch in terminals]
        each = -(-hosts // len(terminals)) if max(at) == 1 else 0
        ports = max(len(network.links_of(switch)) + (each or network.hosts_of(switch)) for switch in network.switches())
        assert ports <= radix, (name, network.spelling)
        assert (each * len(terminals) or sum(at)) >= hosts, network.spelling


WORDS = ("compare", "--endpoints", "120", "--radix", "12", "--topology", "torus", "--topology", "hypercube", "--topology", "grid")


def test_figures_of_a_network(run):
    """A torus of 4 x 4 switches with 6 hosts each, computed by networkx and by the formulas of the cost model."""
    words = ("compare", "--endpoints", "96", "--radix", "10", "--topology", "torus", "--format", "json", "--per-cabinet", "4")
    status, text, err = run(*words, "--switch-delay", "40", "--cost", "cable-monster")
    assert (status, err) == (0, "")
    found = json.loads(text)
    one = next(row for row in found["networks"] if row["network"] == "torus:4x4")
    graph = nx.grid_2d_graph(4, 4, periodic=True)

    def metres(a, b):
        # Cabinets hold rows of four switches, and stand in two rows of two.
        spots = [(row % 2, row // 2) for row in (a[1], b[1])]
        return 2 if spots[0] == spots[1] else 4 + 0.6 * abs(spots[0][0] - spots[1][0]) + 2.1 * abs(spots[0][1] - spots[1][1])

    for a, b in graph.edges:
        graph.edges[a, b].update(metres=metres(a, b), ns=40 + 5 * metres(a, b))
    far = [value for _, row in nx.all_pairs_dijkstra_path_length(graph, weight="ns") for value in row.values() if value]
    hops = [value for _, row in nx.all_pairs_shortest_path_length(graph) for value in row.values() if value]
    lengths = [data["metres"] for *_, data in graph.edges(data=True)]
    price = 16 * 500 * 10 + sum(1.25 * (16 * m + 40) if m <= 5 else 1.25 * (5 * m + 376) for m in lengths)
    price += sum(2.5 if m == 2 else 6.25 for m in lengths)
    expected = {
        "switches": 16,
        "per_switch": 6,
        "ports": 10,
        "cables": 32,
        "diameter": 4,
        "hops": sum(hops) / len(hops),
        "latency": sum(far) / len(far),
        "worst": max(far),
        "bisection": 8 / 96,
        "cable": sum(lengths) / 32,
        "length": sum(lengths),
        "cost": price / 96,
        "power": 0,
        "saturation": None,
    }
    assert list(expected) == list(COLUMNS)
    for name, value in expected.items():
        assert one[name] == pytest.approx(value), name
    assert (found["hosts"], found["radix"], found["switch_ns"], found["cost"]) == (96, 10, 40, "cable-monster")


@pytest.mark.parametrize(("column", "least"), [("cost", True), ("bisection", False)])
def test_sorted_by_a_column(run, column, least):
    rows = list(csv.DictReader(run(*WORDS, "--format", "csv", "--sort", column)[1].splitlines()))
    values = [float(row[column]) for row in rows]
    assert values == sorted(values, reverse=not least)
    assert len(rows) >= 3
    text = run(*WORDS, "--sort", column)[1].splitlines()
    assert text[-1] == FULL
    assert [line.split()[0] for line in text[-1 - len(rows) : -1]] == [row["network"] for row in rows]


def test_text_leaves_unknown_columns_out(run):
    head = " ".join(run(*WORDS)[1].splitlines()[:3])
    assert "latency," in head
    assert "saturation" not in head


def test_networks_with_figures(run):
    """Conditions choose rows, and a line counts the others of each."""
    rows = json.loads(run(*WORDS, "--format", "json")[1])["networks"]
    status, text, err = run(*WORDS, "--format", "json", "--where", "diameter<=4", "--where", "cost < 500")
    found = json.loads(text)
    assert (status, err) == (0, "")
    assert found["networks"] == [row for row in rows if row["diameter"] <= 4 and row["cost"] < 500]
    most = sum(row["diameter"] > 4 for row in rows)
    assert 0 < most < len(rows)
    assert found["left_out"][0] == f"{most} network{'s' * (most > 1)} without diameter<=4"


def test_names_of_figures_are_listed(root):
    page = (root / "docs/floor.md").read_text()
    assert set(COLUMNS) <= set(re.findall(r"\w+", page.partition("`--where` networks by")[2].partition(". Each")[0]))


def test_full_bisection(run):
    """A fat tree has 0.5 cables per host between two halves; one with half or a third of the links up has as much less."""
    words = ("compare", "--endpoints", 64, "--radix", 12, "--topology", "fattree", "--format", "json")
    found = {row["network"]: row["bisection"] for row in json.loads(run(*words)[1])["networks"]}
    assert found.pop("fattree:k=12,levels=2") == found.pop("fattree:k=8,levels=3") == 0.5
    assert found.keys() == {"fattree:k=10,levels=2,up=3", "fattree:k=10,levels=2,up=2", "fattree:k=6,levels=3,up=2"}
    assert 0.1 < min(found.values()) <= max(found.values()) < 0.3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--topology torus --endpoints 200000 --radix 40", "--simulate needs a network that can be simulated"),
        ("--topology torus --endpoints 64 --radix 8 --out /proc/x", "/proc/x cannot be written"),
        ("--topology torus --endpoints 64 --radix 8 --page /proc/x", "/proc/x cannot be written"),
        ("--topology torus --endpoints 64 --radix 8 --where cost<1", "A network must have cost<1"),
    ],
)
def test_refused_before_a_simulation(run, monkeypatch, words, message):
    """A request that cannot succeed is refused at once, not after minutes."""

    def never(*_):
        raise AssertionError("A simulation began")

    monkeypatch.setattr("dsnswitch.lab.compare.saturation.saturation", never)
    status, text, err = run("compare", *words.split(), "--simulate")
    assert (status, text) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_networks_that_cannot_be_simulated(run, monkeypatch):
    """The others are simulated; conditions on the saturation hold for none of them."""
    monkeypatch.setattr("dsnswitch.lab.compare.saturation.MOST_SWITCHES", 20)
    monkeypatch.setattr("dsnswitch.lab.compare.saturation.saturation", lambda one: 0.25)
    words = ("compare", "--endpoints", 60, "--radix", 8, "--topology", "torus", "--topology", "fattree", "--simulate")
    rows = list(csv.DictReader(run(*words, "--format", "csv")[1].splitlines()))
    assert {row["saturation"] for row in rows} == {"", "0.25"}
    assert all((row["saturation"] == "") == (int(row["switches"]) > 20) for row in rows)
    found = json.loads(run(*words, "--format", "json", "--where", "saturation>=0.25")[1])
    assert [row["network"] for row in found["networks"]] == [row["network"] for row in rows if row["saturation"]]
    assert any(line.startswith("saturation of ") for line in found["left_out"])


def test_what_is_left_out_is_said(run, monkeypatch):
    """In the error if there is no other network, else in the output."""
    words = ("compare", "--endpoints", "200000", "--radix", "8", "--topology", "dsn-f")
    status, text, err = run(*words)
    assert (status, text) == (2, "")
    assert "none fits switches of 8 ports: dsn-f:66667: Switches n of a DSN-F must be in 8..16384, not 66667" in err
    monkeypatch.setattr("dsnswitch.lab.compare.rows.MOST", 50)
    words = ("compare", "--endpoints", "120", "--radix", "7", "--topology", "mesh", "--topology", "dsn-f")
    status, text, err = run(*words)
    assert (status, err) == (0, "")
    assert "\nleft out: dsn-f:60: it has 60 switches, more than 50\n" in text
    assert len(json.loads(run(*words, "--format", "json")[1])["left_out"]) == text.count("left out: ")


@pytest.mark.regress
def test_saturation_of_a_ring():
    # The static bound of a torus of four switches with one host each is 1; the simulator reaches most of it.
    assert 0.3 < saturation(prepared(parse_network("torus:4"), 1)) <= 1


def test_page(run, tmp_path):
    """The page has no address of another page, and works in a browser."""
    page = tmp_path / "index.html"
    status, text, err = run(*WORDS, "--page", page)
    assert (status, err) == (0, "")
    html = page.read_text()
    assert not re.findall(r"""<(?:script|link|img)[^>]+(?:src|href)\s*=\s*["']?(?:https?:)?//""", html)
    assert "Networks for 120 hosts, switches of 12 ports" in html
    _read(html, tmp_path, [line.split()[0] for line in text.splitlines() if ":" in line.split()[0]])


def _read(html, folder, networks):
    seen = read(html, READER, folder, "--virtual-time-budget=20000")
    assert seen["heads"][0] == "network"
    assert "mean latency, ns" in seen["heads"]
    assert seen["all"] == seen["again"] == networks
    assert seen["canvases"]
    assert seen["filtered"] == [name for name in networks if "torus" in name and "4x4" in name]
    assert seen["filtered"]
    assert seen["conditions"] == ["torus:4x4"]
    assert set(seen["legend"]) == {name.partition(":")[0] for name in networks}
    # The last row of the table is seen.
    assert seen["heights"]
    assert all(seen >= rows >= 25 * len(networks) for seen, rows in seen["heights"])
    kind = networks[0].partition(":")[0]
    assert seen["first"] == [name for name in networks if name.startswith(kind)]
    assert seen["axis"] == "cables"
    assert seen["floor"][0] != seen["floor"][1]
    assert seen["floor"][1].startswith(networks[-1])
    assert seen["boxes"] > 1
    assert seen["lines"] > 1
