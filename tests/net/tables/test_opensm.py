"""OpenSM loads our forwarding tables into a simulated InfiniBand fabric, and we read what InfiniBand's tools print of it."""

import re

import pytest
from forwarding_dumps import SUBNET, parsed

from tools.opensm.fabric import Fabric, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"This machine {missing()}")

#: A square of switches, one of which has no host. Two cables are parallel, ``s1`` has a loopback plug, and an adapter has two
#: ports.
SQUARE = """\
switchguid=0x1(1)
Switch\t8 "S-0000000000000001"\t\t# "s1" base port 0 lid 0 lmc 0
[1]\t"H-0000000000000010"[1](11)\t\t# "n1 HCA-1" lid 0 4xEDR
[2]\t"S-0000000000000002"[2]\t\t# "s2" lid 0 4xEDR
[3]\t"S-0000000000000002"[3]\t\t# "s2" lid 0 4xEDR
[4]\t"S-0000000000000004"[4]\t\t# "s4" lid 0 4xEDR
[6]\t"S-0000000000000001"[6]\t\t# "s1" lid 0 4xEDR

switchguid=0x2(2)
Switch\t8 "S-0000000000000002"\t\t# "s2" base port 0 lid 0 lmc 0
[1]\t"H-0000000000000010"[2](12)\t\t# "n1 HCA-1" lid 0 4xEDR
[2]\t"S-0000000000000001"[2]\t\t# "s1" lid 0 4xEDR
[3]\t"S-0000000000000001"[3]\t\t# "s1" lid 0 4xEDR
[5]\t"S-0000000000000003"[5]\t\t# "s3" lid 0 4xEDR

switchguid=0x3(3)
Switch\t8 "S-0000000000000003"\t\t# "s3" base port 0 lid 0 lmc 0
[1]\t"H-0000000000000020"[1](21)\t\t# "n2 HCA-1" lid 0 4xEDR
[5]\t"S-0000000000000002"[5]\t\t# "s2" lid 0 4xEDR
[8]\t"S-0000000000000004"[8]\t\t# "s4" lid 0 4xEDR

switchguid=0x4(4)
Switch\t8 "S-0000000000000004"\t\t# "s4" base port 0 lid 0 lmc 0
[4]\t"S-0000000000000001"[4]\t\t# "s1" lid 0 4xEDR
[8]\t"S-0000000000000003"[8]\t\t# "s3" lid 0 4xEDR

caguid=0x10
Ca\t2 "H-0000000000000010"\t\t# "n1 HCA-1"
[1](11)\t"S-0000000000000001"[1]\t\t# lid 0 lmc 0 "s1" lid 0 4xEDR
[2](12)\t"S-0000000000000002"[1]\t\t# lid 0 lmc 0 "s2" lid 0 4xEDR

caguid=0x20
Ca\t1 "H-0000000000000020"\t\t# "n2 HCA-1"
[1](21)\t"S-0000000000000003"[1]\t\t# lid 0 lmc 0 "s3" lid 0 4xEDR
"""

#: Subnets: a text, a file, or a topology; and their numbers of switches and of host ports.
SUBNETS = {"square": (SQUARE, 4, 3), "leafspine": (SUBNET, 5, 6), "torus": ("torus:3x3", 9, 9)}


@pytest.fixture
def subnet(run, root):
    """A function that returns the text of a subnet by name."""

    def make(name):
        source = SUBNETS[name][0]
        if name == "torus":
            return run("topology", "--topology", source, "--format", "ibnetdiscover")[1]
        return source if "\n" in source else (root / source).read_text()

    return make


@pytest.fixture
def check(run, tmp_path):
    """A function that checks the text of a dump for the text of a subnet; returns status and standard error."""

    def call(graph, dump):
        (tmp_path / "graph").write_text(graph)
        (tmp_path / "dump").write_text(dump)
        status, _, err = run("table", "--topology", f"graph:{tmp_path / 'graph'}", "--load", tmp_path / "dump")
        return status, err

    return call


@pytest.mark.parametrize("lmc", [0, 2])
@pytest.mark.parametrize("name", SUBNETS)
def test_every_lid_is_reached_with_our_tables(run, tmp_path, subnet, check, name, lmc):
    _, switches, hosts = SUBNETS[name]
    with Fabric(tmp_path, subnet(name)) as fabric:
        fabric.manage("--lmc", lmc)
        graph = fabric.run("ibnetdiscover")
        (tmp_path / "graph").write_text(graph)
        status, ours, err = run("table", "--topology", f"graph:{tmp_path / 'graph'}", "--format", "lft")
        assert status == 0, err
        (tmp_path / "ours").write_text(ours)
        fabric.manage("--lmc", lmc, "--routing_engine", "file", "--lfts_file", "ours")
        loaded = fabric.run("dump_fts")
        assert parsed(loaded) == parsed(ours)
        assert check(graph, loaded)[0] == 0
        lids = sorted({lid for _, lid in parsed(ours)})
        assert len(lids) == switches + (hosts << lmc)
        adapter, switch = (max(re.findall(rf'"({kind}-[0-9a-f]+)"', graph)) for kind in "HS")
        # Queries by LID, from an adapter to every LID and back.
        for lid in lids[:: 1 + len(lids) // 8]:
            assert "Guid:" in fabric.run("smpquery", "nodeinfo", lid, host=adapter)
        (last,) = re.findall(rf'^Switch.*"{switch}".* lid (\d+) ', graph, re.M)
        assert re.search(rf"^To switch .* lid {last}-", fabric.run("ibtracert", lids[-1], last, host=adapter), re.M)
        reached = fabric.reached(lids)
    assert len(reached) == len(lids) ** 2
    assert {pair for pair, end in reached.items() if end != pair[1]} == set()


@pytest.mark.parametrize(
    ("engine", "name", "lmc", "note"),
    [("updn", "leafspine", 2, "packets that switches send: spine1 to spine2 is lost"), ("ftree", "leafspine", 0, "")],
)
def test_tables_of_opensm_are_read(tmp_path, subnet, check, engine, name, lmc, note):
    with Fabric(tmp_path, subnet(name)) as fabric:
        tables = fabric.manage("--lmc", lmc, "--routing_engine", engine)
        graph = fabric.run("ibnetdiscover")
        dumps = [tables, *(fabric.run(*words.split(), messages=True) for words in ("dump_lfts", "dump_fts -a", "dump_fts -n"))]
        switches = sorted(re.findall(r"^Switch.* lid (\d+) ", graph, re.M))
        dumps.append("".join(fabric.run("ibroute", lid) for lid in switches))
    for dump in dumps:
        status, err = check(graph, dump)
        assert (status, note in err) == (0, True), err


def test_tables_of_opensm_that_can_deadlock(tmp_path, run, check):
    """Shortest paths of OpenSM's default in a ring of five switches."""
    _, ring, _ = run("topology", "--topology", "torus:5", "--format", "ibnetdiscover")
    with Fabric(tmp_path, ring) as fabric:
        status, err = check(fabric.run("ibnetdiscover"), fabric.manage("--routing_engine", "minhop"))
    assert (status, "the routes can deadlock: " in err) == (1, True)


def test_what_the_tools_print_is_read_or_refused_by_name(run, tmp_path, subnet):
    def links(text):
        (tmp_path / "graph").write_text(text)
        return run("topology", "--topology", f"graph:{tmp_path / 'graph'}")

    with Fabric(tmp_path, subnet("square")) as fabric:
        fabric.manage("--lmc", 2)
        plain = links(fabric.run("ibnetdiscover"))
        assert (plain[0], plain[1].count(" link -"), plain[1].count(" host -")) == (0, 5, 3)
        assert "port leads back to the same node, left out: port 6 of s1\n" in plain[2]
        for option in "fgms":
            assert links(fabric.run("ibnetdiscover", f"-{option}", messages=True))[:2] == plain[:2]
        for tool in ("ibnetdiscover -p", "iblinkinfo", "iblinkinfo -l", "ibtracert 1 2", "ibnetdiscover -l", "ibnodes"):
            status, _, err = links(fabric.run(*tool.split()))
            name = {"ibnodes": "ibnetdiscover -l", "iblinkinfo -l": "iblinkinfo", "ibtracert 1 2": "ibtracert"}.get(tool, tool)
            assert (status, f"this is the output of {name}" in err) == (2, True), err
