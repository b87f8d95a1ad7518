"""Shared buffers in networks: everything arrives, nothing overflows, and nobody waits at zero load."""

import json

import pytest

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.port.shape import FabricShape
from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point

VALUES = {"block": "switch-core", "topology": "torus:4", "flit": 40, "packet": 4, "depth": 4, "channels": "2"}
POOL = {"pool": "dim0=6,host=4"}


def test_everything_arrives(core):
    """Beyond saturation, with packets of all lengths, without a flit too many in a buffer; then all credits are back."""
    engine = Engine(core(VALUES | POOL), [Point(load=0.9, lengths={1: 1, 3: 1, 4: 1}), Point(load=0.02)])
    engine.start_measuring()
    engine.run(1500)
    engine.drain()
    busy, idle = (engine.statistics(number) for number in range(2))
    assert busy.delivered_packets > 400
    assert idle.delivered_packets > 10


def test_manifest_states_the_storage():
    ports = {port["name"]: port for port in json.loads(core_manifest(VALUES | POOL).read_text())["core_ports"]}
    assert [ports["dim0_forward"][key] for key in ("flits", "pool", "channel_flits")] == [22, 6, 9]
    assert [ports["host_0"][key] for key in ("flits", "pool", "channel_flits")] == [12, 4, 8]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"pool": "dim0=y"}, "pool must be a number, or KIND=NUMBER with commas between them, not 'dim0=y'"),
        ({"pool": "dim0=3"}, "Pool of dim0 ports for packets of 4 flits must be in 4..4096, not 3"),
        ({"pool": "dim0=8,host=4", "block": "switch"}, "Pool of hosts of a switch must be 0, not 4"),
        ({"pool": "host=8", "block": "fabric-port"}, "Pool of hosts of a switch must be 0, not 8"),
    ],
)
def test_refused(core, more, message):
    with pytest.raises(UsageError, match=message):
        core(VALUES | more)


def test_a_fabric_port_counts_the_most_flits_of_a_channel():
    core = CoreShape(parse_network("torus:4"), flit=64, packet=4, spread={"dim0": 2}, pool=(("dim0", 8),))
    assert FabricShape(core, core.ports[0]).depth == 8 + 7
