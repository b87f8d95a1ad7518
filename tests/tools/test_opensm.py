"""OpenSM's routes beside ours: its texts are read, virtual lanes decide on deadlock; and OpenSM itself where it is installed."""

from types import SimpleNamespace

import numpy as np
import pytest

from dsnswitch.net.files.export import export
from dsnswitch.net.files.formats.infiniband import identities
from dsnswitch.net.files.formats.infiniband_tables import OWN, write_dump
from dsnswitch.net.messages import UsageError
from dsnswitch.net.tables.dumps import given_dump
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.registry import parse_network
from tools.docs import opensm as parts
from tools.opensm import fabric, routes
from tools.opensm.fabric import Fabric, missing
from tools.opensm.routes import ENGINES, GRAPHS, OURS, PATH, Records, deadlock, figures, lanes_of, load, measured, needed

installed = pytest.mark.skipif(bool(missing()), reason=f"This machine {missing()}")


def test_ten_graphs():
    assert len(GRAPHS) == len(set(GRAPHS.values())) == 10
    for text, name in GRAPHS.items():
        assert text.endswith(f"{parse_network(name).nodes} switches")


@pytest.mark.parametrize(
    ("log", "found"),
    [
        ("lash_core: Lanes needed: 2, Balancing\nosm_ucast_mgr_process: lash tables configured on all switches\n", (True, 2)),
        ("lash_core: ERR 4D02: Lane requirements (9) exceed available lanes (8)\nminhop tables configured on all", (False, 9)),
        ("dfsssp_remove_deadlocks: Virtual Lanes needed: 3\nminhop tables configured on all switches\n", (False, 3)),
        ("lash tables configured on all switches\n", (True, None)),
    ],
)
def test_what_the_log_says(log, found):
    assert needed(log, "lash") == found


def test_service_levels_become_lanes():
    rows = '#in out : 0  1  2\n#-----\n0   1   : 0  1  0 \n12  1   : 0  1  0 \n\nSwitch 0x2, base LID 2, "b"\n0   1   : {} \n'
    levels = np.array([[0, 1], [2, 1]])
    assert lanes_of(rows.format("0  1  0"), levels).tolist() == [[0, 1], [0, 1]]
    with pytest.raises(UsageError, match="service levels to virtual lanes in one way, not 2"):
        lanes_of(rows.format("0  1  1"), levels)


#: A ring of four switches with two hosts each.
SWITCHES, HOSTS = "abcd", [f"{switch}{host}" for switch in "abcd" for host in range(2)]


@pytest.fixture(scope="module")
def clockwise():
    """Tables of the ring, in which all packets go one way round."""
    ring = Graph("ring", [*zip(SWITCHES, "bcda"), *((host[0], host) for host in HOSTS)], HOSTS)
    ids, tables = identities(ring), {}
    for switch, right in zip(SWITCHES, "bcda"):
        at = ring.parse_switch(switch)
        (onward,) = (port.index + 1 for port, end in ring.links_of(at) if ring.spell_switch(end[0]) == right)
        ports = {end: OWN if end == switch else onward for end in SWITCHES}
        ports |= {host: ring.hosts[host][1] + 1 if host[0] == switch else onward for host in HOSTS}
        tables[switch] = {ids[end].lid: port for end, port in ports.items()}
    return given_dump(ring, "dump", write_dump(ids, tables, set(SWITCHES)))[0]


def test_figures_of_a_dump(clockwise):
    """A channel carries the packets of the two hosts of three switches, to two hosts each at one, two or three switches."""
    found = figures(clockwise, 1.234)
    assert found == {"lanes": 1, "hops": 2.0, "load": 4 * (1 + 2 + 3), "ideal": found["ideal"], "seconds": 1.23}


def test_lanes_of_every_host_count(clockwise):
    """A lane for each source switch closes no cycle; one lane for all does, and so does one for every second host."""
    home = clockwise.wiring.ends.home
    own = np.repeat(home[:, None], len(home), axis=1)
    assert not deadlock(clockwise, own)
    assert deadlock(clockwise, 0 * own)
    seconds = own.copy()
    for switch in range(4):
        seconds[np.flatnonzero(home == switch)[1]] = 4
    assert deadlock(clockwise, seconds)


def test_part_of_the_page(tmp_path, monkeypatch):
    good = {"lanes": 2, "hops": 2.125, "load": 1320, "ideal": 8, "seconds": 0.16, "lost": 0, "deadlock": False}
    odd = {"minhop": {"deadlock": True, "lost": 1234}, "lash": None, "dfsssp": None}
    found = {name: good | (odd.get(name) or {}) for name in (OURS, *ENGINES)}
    found["lash"], found["dfsssp"] = {"lanes": 9, "seconds": 1.0}, {"lanes": None, "seconds": 1.0}
    store = SimpleNamespace(path=tmp_path / "figures.json")
    with pytest.raises(UsageError, match=r"opensm.json has no figures of random-ring.*: run make opensm"):
        parts.comparison(store)
    monkeypatch.setattr(routes, "measured", lambda text, folder, known: found)
    Records(tmp_path / "opensm.json").measure()
    lines = parts.comparison(store).splitlines()
    assert len(lines) == 2 + 4 * len(GRAPHS)
    assert lines[2].startswith("| random, degree 6, 128 switches | virtual lanes | 2 | 2, can deadlock, 1,234 pairs lost |")
    assert "| more than 8 | fails |" in lines[2]
    assert lines[3].startswith("|  | mean hops | 2.12 | ")
    assert lines[4].startswith("|  | greatest load, ideal 8 | 1,320 | ")
    assert lines[4].endswith("| - | - | 1,320 | 1,320 |")
    assert load(tmp_path / "opensm.json").missing() == []


def test_command(run, tmp_path, monkeypatch):
    """It measures what is not recorded, and needs OpenSM."""
    (tmp_path / "docs").mkdir()
    known, *others = GRAPHS.values()
    records = Records(tmp_path / PATH, {known: {key: {} for key in [OURS, *ENGINES]}})
    monkeypatch.setattr(routes, "measured", lambda text, folder, known: {key: {"lanes": len(text)} for key in [OURS, *ENGINES]})
    records.measure(lambda items, label: items[:1])
    assert [*load(records.path).networks] == sorted([known, others[0]])
    monkeypatch.setattr(fabric, "missing", lambda: "needs ibsim")
    assert run("opensm", "--root", tmp_path)[::2] == (2, "dsnswitch: error: Command opensm needs ibsim\n")
    monkeypatch.setattr(fabric, "missing", lambda: "")
    status, out, err = run("opensm", "--root", tmp_path)
    assert (status, out) == (0, f"10 networks, 8 of them measured, in {records.path}\n"), err
    assert load(records.path).networks[known] == {key: {} for key in [OURS, *ENGINES]}
    assert load(records.path).networks[others[-1]][OURS] == {"lanes": len(others[-1])}


def test_only_what_is_not_known_is_measured(tmp_path, monkeypatch):
    """Ours are measured again; Nue, too, if the number of our classes has changed."""
    monkeypatch.setattr(routes, "ours", lambda network: {"lanes": 3})
    monkeypatch.setattr(routes, "theirs", lambda engine, graph, folder, classes: {"lanes": classes, "new": True})
    records = Records(tmp_path / "opensm.json", {"torus:4x4": {name: {"lanes": 2} for name in (OURS, *ENGINES)}})
    assert measured("torus:4x4", tmp_path, records.networks["torus:4x4"]) == records.networks["torus:4x4"]
    records.forget()
    found = measured("torus:4x4", tmp_path, records.networks["torus:4x4"])
    assert found[OURS] == {"lanes": 3}
    assert {name for name, record in found.items() if record.get("new")} == {"nue, our lanes"}
    assert measured("torus:4x4", tmp_path, {}).keys() == {OURS, *ENGINES}


@installed
def test_opensm_routes_a_torus(tmp_path):
    """16 switches, whose shortest paths every engine finds; all routes arrive, and only minhop's can deadlock."""
    found = measured("torus:4x4", tmp_path, {})
    assert found.keys() == {OURS, *ENGINES}
    assert {record["hops"] for record in found.values()} == {2.133}
    assert {name for name, record in found.items() if record.get("deadlock")} == {"minhop"}
    assert {record.get("lost", 0) for record in found.values()} == {0}
    assert found[OURS]["load"] <= min(record["load"] for record in found.values())
    assert found[OURS]["lanes"] == found["nue, our lanes"]["lanes"] == found["lash"]["lanes"] == 2


@installed
def test_lash_needs_its_lanes(tmp_path):
    """The routes of LASH are free of deadlock on the lanes that OpenSM gives the paths, and not on one lane."""
    (tmp_path / "graph").write_text(export(parse_network("torus:4x4"), "ibnetdiscover"))
    with Fabric(tmp_path, (tmp_path / "graph").read_text()) as subnet, subnet.managed("--qos", "-R", "lash"):
        (tmp_path / "graph").write_text(subnet.run("ibnetdiscover"))
        torus = parse_network(f"graph:{tmp_path / 'graph'}")
        made, faults = given_dump(torus, "dump", subnet.dump("lfts"))
        ids = identities(torus)
        levels = np.array(subnet.levels([ids[end].port_guid for end in made.wiring.ends.names]))
        lanes = lanes_of(subnet.dump("sl2vl"), levels)
    assert set(lanes.ravel()) == {0, 1}
    assert "the routes can deadlock" in faults[0]
    assert deadlock(made, 0 * lanes)
    assert not deadlock(made, lanes)


@installed
def test_a_simulator_that_fails(tmp_path):
    """The message has the end of its log."""
    message = r"^ibsim\.log has no 'simulator ready' and ends in .*line 2$"
    with pytest.raises(UsageError, match=message), Fabric(tmp_path, 'Switch 4 "a"\n[5] "b"[1]\n'):
        pass
