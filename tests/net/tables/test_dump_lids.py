"""Dumps of forwarding tables as the tools of InfiniBand print them, with several LIDs per port, and routes to switches."""

import re

import pytest
from forwarding_dumps import SUBNET, parsed

from dsnswitch.net.messages import UsageError
from dsnswitch.net.tables.compile import Tables, compile_tables
from dsnswitch.net.tables.management import ports_to_switches
from dsnswitch.net.topology.graph import Graph

#: LIDs of the hosts that have four each (LMC 2).
LIDS = {"a": range(16, 20), "b": range(20, 24)}


@pytest.fixture
def several(root, tmp_path):
    """The subnet, in which two hosts have several LIDs."""
    text = (root / SUBNET).read_text()
    for host, old in (("a", 6), ("b", 7)):
        first = LIDS[host][0]
        text = text.replace(f'"{host}" lid {old} ', f'"{host}" lid {first} ')
        text = text.replace(f"# lid {old} lmc 0", f"# lid {first} lmc 2")
    (tmp_path / "several").write_text(text)
    return tmp_path / "several"


@pytest.fixture
def loaded(run, several, tmp_path):
    """A function that checks the tables of the subnet after ``change`` of their text."""
    status, text, err = run("table", "--topology", f"graph:{several}", "--format", "lft")
    assert status == 0, err

    def check(change=lambda text: text):
        (tmp_path / "dump").write_text(change(text))
        status, _, err = run("table", "--topology", f"graph:{several}", "--load", tmp_path / "dump")
        return status, err

    check.text = text
    return check


def ported(text, switch, lid, port):
    """``text`` with another port for a LID in the table of a switch; None removes the entry."""
    head, mark, tail = text.partition(f"({switch}):")
    new = "# " if port is None else f"0x{lid:04x} {port:03} "
    changed, count = re.subn(f"0x{lid:04x} ... ", new, tail, count=1)
    assert count
    return head + mark + changed


def test_all_lids_of_a_port_have_its_route(loaded):
    found = parsed(loaded.text)
    assert len(found) == 5 * (5 + 4 + 2 * 4)
    for switch in range(1, 6):
        for lids in LIDS.values():
            assert len({found[f"0x{switch:016x}", lid] for lid in lids}) == 1
    assert loaded() == (0, loaded()[1])
    assert loaded()[1].count("\n") == 1


@pytest.mark.parametrize("lid", LIDS["a"])
def test_each_lid_is_checked(loaded, lid):
    status, err = loaded(lambda text: ported(text, "leaf3", lid, 0))
    assert (status, "leaf3 to a is lost at leaf3, where it counts as arrived" in err) == (1, True)
    status, err = loaded(lambda text: ported(text, "leaf3", lid, None))
    key = "key 0" if lid == LIDS["a"][0] else f"LID {lid}"
    assert (status, f"leaf3 to a is lost at leaf3, which has no action for {key}" in err) == (1, True)


def test_paths_of_different_lids_can_deadlock(loaded):
    """The second LID of a is reached from leaf3 through leaf2, and the third of b from leaf2 through leaf3: together, a cycle."""
    ports = {17: {"leaf3": 4, "spine1": 2, "leaf2": 3, "spine2": 1}, 22: {"leaf2": 3, "spine2": 3, "leaf3": 4, "spine1": 1}}

    def change(text, lids):
        for lid in lids:
            for switch, port in ports[lid].items():
                text = ported(text, switch, lid, port)
        return text

    for lid in ports:
        assert loaded(lambda text, lid=lid: change(text, [lid]))[0] == 0
    status, err = loaded(lambda text: change(text, ports))
    assert (status, "the routes can deadlock: " in err) == (1, True), err


def test_lmc_is_written(run, several):
    status, out, _ = run("topology", "--topology", f"graph:{several}", "--format", "ibnetdiscover")
    assert status == 0
    assert "# lid 16 lmc 2 " in out


def test_two_ports_with_one_lid(run, several):
    several.write_text(several.read_text().replace("lid 20 ", "lid 19 "))
    status, _, err = run("table", "--topology", f"graph:{several}", "--format", "lft")
    assert (status, "A LID must be that of one port, not 19 of a and b (LMC 2)" in err) == (2, True)


def test_every_port_needs_a_lid(run, several):
    several.write_text(several.read_text().replace("port 0 lid 4 ", "port 0 lid 0 "))
    status, _, err = run("table", "--topology", f"graph:{several}", "--format", "lft")
    assert (status, "needs a LID in 1..49151 of each port, not 0 of spine1" in err) == (2, True)


def opensm(text):
    """The tables as OpenSM writes them in ``opensm-lfts.dump``."""
    text = text.replace("  Lid  Out   Destination\n       Port     Info\n", "").replace(" : (", " # ").replace("')", "'")
    return text.replace("0x0005 ", "0x0063 002 # unknown node and type\n0x0005 ").replace(" valid lids", " lids")


def everything(text):
    """The output of ``dump_lfts -a``."""
    text = text.replace("switch Lid 1 guid", "switch DR path slid 0; dlid 0; 0,1 guid").replace("dumped\n", "dumped \n")
    text = text.replace("0x0001 ", "0x0000 255 : (path #0 - illegal port)\n0x0001 ", 1)
    text = text.replace("0x0005 ", "0x0063 002 : (node info not available fabric scan)\n0x0005 ")
    return text + "\n*** WARNING ***: this command has been replaced by dump_fts\n\n\n"


def brief(text):
    """The output of ``dump_lfts -n``."""
    return "\n".join(line.partition(" : ")[0] + " " for line in text.splitlines()) + "\n"


@pytest.mark.parametrize("change", [opensm, everything, brief])
def test_what_the_tools_print(loaded, change):
    assert loaded(change) == loaded()


def test_messages_of_the_tool(loaded):
    noisy = "ibwarn: [7] mad_rpc: failed\nSubnGet(LFT) failed on switch 'x' DR path slid 0; dlid 0; 0,1 AM 0x1\n"
    status, err = loaded(lambda text: noisy + text.replace("0x0005 ", "0x00ibwarn: [7] recv failed\n05 ", 1))
    assert status == 0, err
    assert "dump: 3 messages of the tool left out, line 1: ibwarn: [7] mad_rpc: failed" in err


def test_outputs_that_are_no_tables_name_the_tool_that_is_needed(run, several, loaded):
    status, err = loaded(lambda text: "Multicast mlids [0xc000-0xc000] of switch Lid 1 guid 0x1 (leaf1):\n")
    assert (status, "the output of dump_mfts; tables are in that of dump_lfts" in err) == (2, True)
    status, err = loaded(lambda text: several.read_text())
    assert (status, "the output of ibnetdiscover; tables are in that of dump_lfts" in err) == (2, True)
    (several.parent / "alone").write_text(loaded.text)
    status, _, err = run("table", "--load", several.parent / "alone")
    assert (status, "forwarding tables needs --topology graph:FILE with the output of ibnetdiscover" in err) == (2, True)


def test_packets_of_switches_are_noted(loaded):
    """Up*/down* of OpenSM leaves the spines without routes to each other."""
    status, err = loaded(lambda text: ported(text, "spine1", 5, None))
    assert (status, err.count("\n")) == (0, 2)
    assert "packets that switches send: spine1 to spine2 is lost at spine1, which has no action for LID 5\n" in err


def test_routes_to_switches_without_hosts(run, tmp_path):
    """A fat tree of three levels, in which 12 of 20 switches have no hosts."""
    subnet, dump = tmp_path / "subnet", tmp_path / "dump"
    _, out, _ = run("topology", "--topology", "fattree:k=4", "--format", "ibnetdiscover")
    subnet.write_text(out)
    status, out, err = run("table", "--topology", f"graph:{subnet}", "--format", "lft")
    assert status == 0, err
    dump.write_text(out)
    status, _, err = run("table", "--topology", f"graph:{subnet}", "--load", dump)
    assert (status, err.count("packets that switches send: the routes can deadlock")) == (0, 0), err
    switches, hosts = out.count("Unicast"), out.count("(Channel Adapter") // out.count("Unicast")
    assert (switches, hosts) == (20, 16)
    assert len(parsed(out)) == switches * (switches + hosts)


def test_given_tables_have_no_routes_to_switches_without_hosts():
    links = [("a", "x"), ("x", "b"), ("b", "c"), ("c", "a"), *((host, host[0]) for host in ("a+", "b+", "c+"))]
    made = compile_tables(Graph("ring", links, ["a+", "b+", "c+"]), 1)
    assert (ports_to_switches(made) < 0).sum() == 4
    with pytest.raises(UsageError, match="given tables have no turn classes, by which packets could go to switch x"):
        ports_to_switches(Tables(made.wiring, "given", 1, made.tables))
