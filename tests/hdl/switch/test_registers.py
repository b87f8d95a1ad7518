"""Registers of the switch over APB: a bench accesses every one; the SystemRDL text is what the bench compares with."""

import pytest
from systemrdl import RDLCompiler
from systemrdl.node import RegNode
from systemrdl.rdltypes import AccessType

from dsnswitch.gen.emit.rdl import rdl
from dsnswitch.gen.emit.verilog import hierarchy
from dsnswitch.hdl.core.core import SwitchCore

from .conftest import ONE, alone

#: Tables, two hosts, and buffers that are no multiple of a packet.
TABLES = {"packet": 3, "depth": 8, "hosts": 2, "lookup": "forwarding", "kind": "direct", "apb": True}
#: A specialised switch, which has its own address and those of its neighbours as constants.
SMALL = TABLES | {"topology": "ring:1:ring-2", "node": "0,1", "flit": 32}
#: A universal switch with two routes to choose from.
LARGER = TABLES | {"topology": "torus:3", "flit": 48}
TESTS = ["every_address", "every_write", "counters_count", "waits_for_credits", "tables_change_routes", "a_port_goes_down"]


def compiled(registers, folder):
    """Every register of a map, read from its SystemRDL text by systemrdl-compiler."""
    path = folder / "map.rdl"
    path.write_text(rdl(registers, "a test"))
    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    root = compiler.elaborate()
    return [
        {
            "path": node.get_path().partition(".")[2],
            "address": node.absolute_address,
            "fields": [
                {
                    "name": field.inst_name,
                    "low": field.low,
                    "width": field.width,
                    "reset": field.get_property("reset"),
                    "writable": field.get_property("sw") in (AccessType.rw, AccessType.w),
                    "kept": field.get_property("sw") == AccessType.rw and field.get_property("onwrite") is None,
                }
                for field in node.fields()
            ],
        }
        for node in root.top.descendants(unroll=True)
        if isinstance(node, RegNode)
    ]


@pytest.fixture
def managed(joined, arranged, tmp_path):
    """A function that runs tests of a bench on a switch with registers."""

    def run(values, tests, bench="registers_bench", packets=25, **more):
        block, *_ = arranged(alone, values)
        registers = block.component().registers
        entries = compiled(registers, tmp_path)
        parameters = {"registers": entries, "address_width": registers.address_width, "own": [1], "packets": packets} | more
        return joined(bench, alone, values, tests, **parameters)

    return run


def test_every_register(managed):
    tests = [test for test in TESTS if test != "tables_change_routes"]
    assert managed(SMALL, tests) == len(tests)


def test_one_node(managed):
    """The bench of a switch on the same switch: traffic, latency and events."""
    assert managed(SMALL, ONE, bench="switch_bench", packets=12) == len(ONE)


def test_one_node_without_pauses(managed):
    """Neither hosts nor other ends nor the core pause, so that packets follow each other at once."""
    assert managed(SMALL, ONE[:1], bench="switch_bench", packets=60, stall=0) == 1


def test_credits_that_the_core_at_the_other_end_loses_are_counted(managed):
    assert managed(SMALL, ["far_credits_are_lost"]) == 1


#: Two virtual networks.
NETWORKS = SMALL | {"virtual_networks": 2}


@pytest.mark.regress
def test_credits_of_one_of_several_virtual_networks_return(managed):
    assert managed(NETWORKS | {"depth": 5}, ["far_credits_are_lost"], packets=6) == 1


@pytest.mark.regress
def test_every_register_of_virtual_networks(managed):
    tests = [test for test in TESTS if test not in ("tables_change_routes", "far_credits_are_lost")]
    more = {"free_weights": True, "weights": "3/1", "delays": True}
    assert managed(NETWORKS | more, tests) == len(tests)


@pytest.mark.regress
def test_lost_credits_are_noticed(managed, mutate, monkeypatch):
    """The core loses the 21st credit of each channel of a line."""
    old = "m.d.sync += rx.credit[v].eq(channel.credit)"
    new = """seen = Signal(5, name=f"seen_{port.name}_{v}")
            m.d.sync += seen.eq(seen + (channel.credit & (seen != 31)))
            m.d.sync += rx.credit[v].eq(channel.credit & ((seen != 20) | port.is_host))"""
    mutate(SwitchCore, "elaborate", old, new)
    monkeypatch.setattr(hierarchy, "kept", None)
    assert managed(SMALL | {"depth": 9}, ["credits_are_lost"]) == 1


@pytest.mark.regress
def test_every_register_of_a_larger_switch(managed):
    assert managed(LARGER, TESTS) == len(TESTS)
