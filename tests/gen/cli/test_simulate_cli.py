"""The command ``simulate``: text, JSON and CSV agree, limits, files, and bad input."""

import csv
import io
import json

import jsonschema
import pytest

from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import NetworkStopped
from dsnswitch.sim.network.experiment.limit import Limit
from dsnswitch.sim.network.experiment.results import HISTOGRAMS, STATISTICS
from dsnswitch.sim.network.experiment.schema import SCHEMA
from dsnswitch.sim.network.workload.patterns import FORMS

CUBE = ("simulate", "--topology", "hypercube:3", "--flit", 32)


def test_text_json_and_csv_agree(run, tmp_path):
    # A load that is given twice is one point.
    words = (*CUBE, "--load", "0.1,0.4,0.1", "--load", "0.4", "--cycles", 1000, "--seed", 3)
    status, as_json, err = run(*words, "--format", "json", "--out", tmp_path / "r.json")
    assert (status, err) == (0, "")
    found = json.loads(as_json)
    jsonschema.validate(found, SCHEMA)
    again = json.loads((tmp_path / "r.json").read_text())
    assert again == found
    assert [point["load"] for point in found["points"]] == [0.1, 0.4]
    rows = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv")[1])))
    lines = run(*words)[1].splitlines()
    assert lines[0] == "network     hypercube of 3 dimensions: 8 switches, 8 hosts"
    table = [line.split() for line in lines if line[:1] == " " and line.lstrip()[:3] in ("0.1", "0.4")]
    for point, row, line in zip(found["points"], rows, table, strict=True):
        assert float(row["accepted"]) == point["accepted"]
        assert float(row["queued_tail_p99.9"]) == point["latency"]["queued_tail"]["p99.9"]
        assert line[2] == f"{point['accepted']:.4f}"
        assert line[3] == f"{point['latency']['queued_tail']['mean']:.2f}"
        assert not point["missing"]
        assert point["latency"]["tail"]["mean"] == pytest.approx(
            point["zero_load"]["latency"] + point["zero_load"]["contention"], abs=1e-5
        )


def test_one_load(run):
    """The summary of one point has the identity of the zero load."""
    out = run(*CUBE, "--load", 0.01, "--cycles", 1000, "--link-delay", 2)[1]
    assert "further cycles" in out
    (line,) = (line for line in out.splitlines() if line.startswith("zero load"))
    words = line.split()
    switches, links, total = (float(words[index]) for index in (2, 7, 14))
    assert (words[5], words[10], words[12]) == ("2", "2", "3")
    assert total == pytest.approx(switches * 2 + links * 2 + 3, abs=1e-3)


@pytest.mark.regress
def test_whole_switches(run):
    """A hop takes two cycles of the core and one of the port. Each link carries its source's packets."""
    words = ("--topology", "torus:2", "--flit", 16, "--packet", 2, "--depth", 4)
    status, out, err = run("simulate", *words, "--block", "switch", "--load", 0.02, "--cycles", 1000, "--format", "json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    assert found["core"]["block"] == "switch"
    [point] = found["points"]
    assert (point["zero_load"]["switch_cycles"], point["zero_load"]["link_cycles"]) == (2, 1)
    assert point["zero_load"]["latency"] == 2 * 2 + 1 + 1
    assert [(link["from"], link["to"]) for link in found["links"]] == [("0", "1"), ("1", "0")]
    assert sum(point["links"]) == pytest.approx(2 * point["accepted"], abs=0.002)


def test_saturation(run, tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "p.svg"
    words = (*CUBE, "--pattern", "bit-complement", "--load", 0.2, "--cycles", 1000, "--saturation", "--plot", plot)
    found = json.loads(run(*words, "--format", "json")[1])
    jsonschema.validate(found, SCHEMA)
    assert 0.4 < found["saturation"]["stable"] <= 1
    assert 0.4 < found["saturation"]["over"] <= 1
    assert "offered load" in plot.read_text()


def test_compare(run, refuse, tmp_path):
    """A plot shows results of other calls too: another seed is a run of the same curve."""
    pytest.importorskip("matplotlib")
    words = (*CUBE, "--load", 0.1, "--cycles", 1000)
    other, plot = tmp_path / "o.json", tmp_path / "p.svg"
    run(*words, "--out", other)
    assert run(*words, "--seed", 2, "--plot", plot, "--compare", other)[0] == 0
    assert plot.read_text().count("hypercube:3, routing base, 2 seeds") == 1
    assert "Option --compare needs --plot" in refuse(*words, "--compare", other)
    other.write_text("{}")
    assert f"Result {other}" in refuse(*words, "--plot", plot, "--compare", other)


def test_bursts_offer_less_than_one(run):
    """Bursts of 100 cycles and silence of 300 offer a quarter of a flit per cycle at most, which the network carries."""
    words = (*CUBE, "--burst", "100:300", "--load", 0.2, "--cycles", 4000, "--saturation", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(run(*words)[1]))
    assert float(row["saturation_stable"]) == 0.25
    assert 0.2 < float(row["saturation_over"]) < 0.3


def test_a_saturated_load_has_no_latencies(run):
    out = run(*CUBE, "--load", 1, "--cycles", 1000, "--pattern", "hot-spot:0:1")[1]
    assert ": saturated" in out
    assert "latency" not in out.replace("the latencies grow", "")
    assert "contention" not in out
    assert "no packet was offered" in run(*CUBE, "--load", 0.00001, "--cycles", 1000)[1]


def test_completion_and_trace(run, tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("cycle,source,destination,flits\n3,0,7,4\n")
    out = run(*CUBE, "--pattern", f"trace:{trace}")[1]
    assert "completion  11 cycles for 1 packet of 1 host\n" in out
    status, out, err = run(*CUBE, "--pattern", "all-to-all:4", "--require", "completion<10", "--format", "json")
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    value = found["points"][0]["completion"]
    assert status == 1
    assert err == f"dsnswitch: limit completion<10 does not hold: {value}\n"


def test_limits(run):
    words = (*CUBE, "--load", 0.1, "--cycles", 1000)
    assert run(*words, "--require", "p99<60", "--require", "accepted > 0.05", "--require", "tail.mean<=10")[0] == 0
    status, out, err = run(*words, "--require", "mean<8", "--require", "head.max>=2")
    assert (status, err.count("\n")) == (1, 1)
    assert "limit mean<8 does not hold at load 0.1: " in err
    assert "confidence" in out


def test_a_saturated_point_keeps_no_limit_on_latency():
    point = {"latency": {name: dict.fromkeys(STATISTICS, 3) for name in HISTOGRAMS}, "saturated": True, "accepted": 0.2}
    assert Limit("max<9").broken([point]) == [(point, None)]
    assert not Limit("max<9").broken([point | {"saturated": False}])
    assert not Limit("accepted>0.1").broken([point])
    assert Limit("accepted>0.2").broken([point]) == [(point, 0.2)]


def test_limits_on_numbers_of_packets():
    point = {"marked": 2, "lost": {"link": 1, "no_route": 0, "undeliverable": 3}}
    for name, value in (("lost", 4), ("undeliverable", 3), ("marked", 2)):
        assert Limit(f"{name}<={value}").broken([point]) == []
        assert Limit(f"{name}<{value}").broken([point]) == [(point, value)]


def test_a_stopped_network(run, monkeypatch):
    def stops(engine, cycles):
        raise NetworkStopped("Point 0: 3 packets are in the network", 7, 0, None)

    monkeypatch.setattr(Engine, "run", stops)
    status, out, err = run(*CUBE)
    assert (status, out) == (1, "")
    assert err == "dsnswitch: the simulation ends: Point 0: 3 packets are in the network\n"


def test_tables_that_deadlock(run, tmp_path):
    """The routes of the algorithm on one layer: the command says that they can deadlock, and then that they have."""
    table, trace = tmp_path / "t.json", tmp_path / "t.csv"
    run("table", "--topology", "torus:5", "--format", "json", "--out", table)
    trace.write_text("cycle,source,destination,flits\n" + "".join(f"0,{n},{(n + 2) % 5},4\n" for n in range(5)))
    words = ("simulate", "--topology", "torus:5", "--flit", 32, "--depth", 4, "--lookup", "table", "--tables", table)
    status, out, err = run(*words, "--pattern", f"trace:{trace}")
    warning, stopped = err.splitlines()
    assert (status, out) == (1, "")
    assert warning.startswith(f"dsnswitch: {table}: the routes can deadlock: ")
    assert stopped.startswith("dsnswitch: the simulation ends: Point 0: 5 packets are in the network, and none has moved since")
    assert "these channels wait for each other: " in stopped
    assert stopped.count(" dim0_forward") == 6


def test_tables_with_a_failure(run):
    """Packets are lost from the failure until the new tables are written, which the results state."""
    words = (*CUBE, "--lookup", "table", "--fail", "0,0,0:dim0_forward@6500", "--reroute", 1000, "--load", 0.2)
    found = json.loads(run(*words, "--cycles", 3000, "--format", "json")[1])
    jsonschema.validate(found, SCHEMA)
    (point,) = found["points"]
    assert point["lost"]["no_route"] > 0
    assert found["core"]["routing"] == "table, 2 turn classes"
    assert found["traffic"]["reroute"] == 1000
    lost = f"lost: {point['lost']['no_route']} no_route"
    assert lost in run(*words, "--cycles", 3000)[1]
    rows = list(csv.DictReader(io.StringIO(run(*words, "--cycles", 3000, "--format", "csv")[1])))
    assert rows[0]["lost"] == str(point["lost"]["no_route"])


def test_a_configuration_file(run, tmp_path):
    file = tmp_path / "c.toml"
    file.write_text('block = "switch-core"\ntopology = "hypercube:2"\nflit = 32\npacket = 2\ndepth = 4\n')
    words = ("--topology", "hypercube:3", "--cycles", 1000, "--packet", 4, "--depth", 8, "--format", "json")
    found = json.loads(run("simulate", "--config", file, *words)[1])
    assert found["core"]["parameters"]["flit"] == 32
    assert found["network"]["switches"] == 8


@pytest.mark.regress
def test_sizes_are_inputs(run):
    """Two sizes of one core."""
    for size in (2, 3):
        words = ("--topology", f"ring:{size}:ring-2", "--max-p", 2, "--flit", 64, "--cycles", 1000, "--format", "json")
        found = json.loads(run("simulate", *words)[1])
        assert found["network"]["switches"] == 2 * size
        assert found["core"]["top"].startswith("switch_core_sized_ring_4_ring2_")


def test_a_configuration_file_has_every_option(run, refuse, tmp_path, monkeypatch):
    """Those of traffic, links and measurement too, under the names of the command line; the line overrides them."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "c.toml"
    file.write_text('topology = "hypercube:2"\nflit = 32\nload = [0.1, 0.2]\npattern = "transpose"\nseed = 2\ncycles = 1000\n')
    found = json.loads(run("simulate", "--config", "c.toml", "--format", "json", "--pattern", "uniform")[1])
    assert [point["load"] for point in found["points"]] == [0.1, 0.2]
    assert (found["traffic"]["pattern"], found["rules"]["cycles"]) == ("uniform", 1000)
    file.write_text('topology = "hypercube:2"\nloads = 0.1\n')
    assert "c.toml has an unknown key 'loads'; did you mean load?" in refuse("simulate", "--config", "c.toml")
    file.write_text('topology = "hypercube:2"\nload = 0.0\n')
    assert "key 'load'" in refuse("simulate", "--config", "c.toml")


def test_the_help_has_groups_on_two_screens(run, monkeypatch):
    for columns in (80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = run("simulate", "--help")[1].splitlines()
        assert len(lines) <= 100
        titles = [line for line in lines if line[:1].isalpha() and line.endswith(":")]
        assert titles == ["Network:", "Core:", "Traffic:", "Links:", "Measurement:", "Output:", "Options:"]


def test_patterns_are_listed(run):
    status, out, err = run("simulate", "--pattern", "help")
    assert (status, err) == (0, "")
    assert "transpose" in out


def test_other_configurations(refuse, tmp_path):
    file = tmp_path / "c.toml"
    for text, message in (
        ('block = "route"\n', "A simulation takes the configuration of a switch-core or a switch, not of route"),
        ('block = "switch"\ntopology = "torus:2"\nlink = "selected"\n', "must be light or strict, not selected"),
        ('block = "switch"\ntopology = "torus:2"\napb = true\n', "needs a switch without registers"),
        ('block = "switch-core"\ntopology = "hypercube:3"\nnode = "0,0,0"\n', "needs a universal core, not one of node 0,0,0"),
    ):
        file.write_text(text)
        assert message in refuse("simulate", "--config", file)


def test_delays_of_cables(run, refuse, tmp_path):
    """A file of delays: one packet takes those of its links. Cycles and metres, either end of a cable, further columns."""
    file, trace = tmp_path / "delays.csv", tmp_path / "t.csv"
    file.write_text("from,port,delay,colour\n0,dim0_forward,7,red\n2,dim0_backward,2 m,blue\n1,dim0_forward,10,blue\n")
    trace.write_text("cycle,source,destination,flits\n3,0,2,4\n")
    ring = ("simulate", "--topology", "torus:5", "--flit", 32, "--link-delay", file)
    status, out, err = run(*ring, "--pattern", f"trace:{trace}", "--format", "json")
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    assert (status, err) == (0, "")
    assert found["points"][0]["completion"] == 3 * 2 + 7 + 10 + 3
    delays = {(row["from"], row["to"]): delay for row, delay in zip(found["links"], found["traffic"]["link_delay"])}
    expected = {("0", "1"): 7, ("1", "2"): 10}
    expected |= {(b, a): delay for (a, b), delay in expected.items()}
    assert {ends: delay for ends, delay in delays.items() if delay} == expected
    assert "links of 0 to 10 further cycles" in run(*ring, "--pattern", f"trace:{trace}")[1]
    for text, message in (
        ("from,port\n0,dim0_forward\n", "must have the columns from,port,delay"),
        ("", "must have the columns from,port,delay"),
        ("from,port,delay\n9,dim0_forward,1\n", "line 2"),
        ("from,port,delay\n0,dim1_forward,1\n", "line 2: switch 0 has no link at port 'dim1_forward'"),
        ("from,port,delay\n0,dim0_forward\n", "line 2: a delay must be cycles, such as 3"),
        ("from,port,delay\n0,dim0_forward,x\n", "line 2: a delay must be cycles, such as 3"),
        ("from,port,delay\n0,dim0_forward,1\n1,dim0_backward,2\n", "line 3: the cable has a delay of 1 cycles already, not 2"),
    ):
        file.write_text(text)
        assert message in refuse(*ring)
    assert "Delays of links /no.csv cannot be read" in refuse(*CUBE, "--link-delay", "/no.csv")


def test_metres():
    from dsnswitch.sim.network.workload.scenario import delay_of

    assert [delay_of("5m", 5, 1), delay_of("5.1 m", 5, 1), delay_of("0m", 5, 1), delay_of("2m", 5, 0.5)] == [25, 26, 0, 5]
    assert delay_of("7", 5, 1) == 7


def test_the_page_lists_every_pattern(root):
    page = (root / "docs" / "simulate.md").read_text()
    for form, description in FORMS.values():
        assert f"| `{form}` | {description} |" in page


def test_virtual_networks_have_results_of_their_own(run):
    words = ("simulate", "--topology", "torus:4", "--virtual-networks", 2, "--channels", "dim0=1/2,host=1/2", "--cycles", 1000)
    words = (*words, "--load", 0.3, "--shares", "90:10")
    found = json.loads(run(*words, "--format", "json")[1])
    jsonschema.validate(found, SCHEMA)
    (point,) = found["points"]
    first, second = point["virtual_networks"]
    assert first["packets"] + second["packets"] == point["packets"]
    assert first["offered"] + second["offered"] == pytest.approx(point["offered"], abs=1e-5)
    lines = run(*words)[1].splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("virtual network"))
    shown = lines[start + 1].split()
    assert shown[:3] == ["0", f"{first['offered']:.4f}", f"{first['accepted']:.4f}"]
    assert shown[3] == f"{first['latency']['queued_tail']['mean']:.2f}"


def test_hosts_that_answer_stop_a_network(run):
    status, out, err = run("simulate", "--topology", "torus:4", "--load", 0.5, "--outstanding", 16, "--reply-queue", 2)
    assert (status, out) == (1, "")
    assert err.startswith("dsnswitch: the simulation ends: Point 0: ")
    assert err.endswith("; a host takes no request while its replies wait\n")
