"""The engine: equal to Verilator per packet and per cycle, exact in cases with known cycles, and it notices what it should."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from cores import CUBE, DETOUR, DSN, FORMS, MANY, PAIR, RING

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.net import extras
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.compile import compiler, generate
from dsnswitch.sim.network.compile.compiler import flags
from dsnswitch.sim.network.engine.engine import Core, Engine
from dsnswitch.sim.network.engine.points import Burst, NetworkStopped, Point, SimulationError
from dsnswitch.sim.verilated.network import Network, rows

LARGE = {"block": "switch-core", "topology": "grid:8x8:k4x2", "flit": 64, "packet": 4, "depth": 8}


def times(log, first=0):
    """``{(source, destination, injected, head, flits)}`` of a log, with cycles from ``first``."""
    return sorted(
        (int(p["source"]), int(p["destination"]), int(p["injected"]) - first, int(p["head"]) - first, int(p["hops"])) for p in log
    )


@pytest.mark.parametrize("isa", FORMS)
@pytest.mark.parametrize(
    "values",
    [PAIR, *(pytest.param(one, marks=pytest.mark.regress) for one in (RING, DSN | {"channels": "1"}))],
    ids=["pair", "ring", "dsn"],
)
def test_equals_verilator(lab, core, values, isa):
    """Every packet enters and arrives in the same cycles as in instances of the same Verilog."""
    made, rng = core(values, isa), random.Random(3)
    trace = [
        (rng.randrange(9), rng.randrange(made.hosts), rng.randrange(made.hosts), rng.randrange(1, values["packet"] + 1))
        for _ in range(60 * made.hosts)
    ]
    with Network(core_manifest(values), lab.folder / "tools") as other:
        expected = other.replay(trace)
    engine = Engine(made, [Point(), Point(trace=trace, log=True)], isa=isa)
    engine.run(200)
    engine.drain()
    assert len(expected) == len(trace)
    assert rows(engine.delivered(1)) == expected


def test_one_flow_takes_two_cycles_per_switch_and_those_of_its_links(core):
    made = core(CUBE)
    trace = [(10 + 50 * number, 0, number, 1 + number % 3) for number in range(8)]
    for delay in (0, 1, 5):
        engine = Engine(made, [Point(trace=trace, log=True, delay=delay)])
        engine.run(600)
        log = engine.delivered(0)
        assert len(log) == 8
        for packet in log:
            hops = 1 + int(packet["destination"]).bit_count()
            assert packet["hops"] == hops
            assert packet["injected"] == packet["offered"]
            assert packet["head"] - packet["injected"] == 2 * hops + delay * (hops - 1)
            assert packet["tail"] - packet["head"] == packet["flits"] - 1


def test_links_of_different_length(core):
    made = core(CUBE)
    switch = made.network.switch(0)
    engine = Engine(made, [Point(trace=[(5, 0, 1, 1), (5, 1, 0, 1), (5, 0, 2, 1)], log=True, delay={(switch, 0): 9})])
    engine.run(100)
    found = {(int(p["source"]), int(p["destination"])): int(p["head"] - p["injected"]) for p in engine.delivered(0)}
    assert found == {(0, 1): 13, (1, 0): 13, (0, 2): 4}


def test_a_ring_of_four_at_full_load(core):
    """Each link carries one flow: nobody waits, at full throughput."""
    made = core(RING)
    engine = Engine(made, [Point(load=1.0, destinations=[1, 2, 3, 0], lengths={1: 1})])
    engine.run(50)
    engine.start_measuring()
    engine.run(1000)
    found = engine.statistics(0)
    assert found.delivered_flits == found.injected_flits == 4000
    assert np.flatnonzero(found.head).tolist() == [4]
    assert np.flatnonzero(found.queued_tail).tolist() == [4]
    assert np.flatnonzero(found.hops).tolist() == [2]
    assert found.link_flits.sum() == 4000
    assert found.source_flits.tolist() == [1000] * 4
    assert found.quantile(0.5) == found.mean() == 4


def test_a_hot_spot_takes_one_flit_per_cycle(core):
    made = core(RING)
    engine = Engine(made, [Point(load=1.0, destinations=[-1, 0, 0, 0]), Point(load=0.5, weights=[1, 0, 0, 1])])
    engine.run(500)
    engine.start_measuring()
    engine.run(2000)
    found = engine.statistics(0)
    assert found.delivered_flits == found.destination_flits[0] == 2000
    assert found.source_flits[0] == 0
    assert set(np.flatnonzero(engine.statistics(1).destination_flits)) == {0, 3}


def test_points_and_threads_do_not_change_a_point(core):
    made = core(CUBE)
    points = [Point(load=0.1 + 0.01 * number, seed=number, log=True, delay=number % 3) for number in range(70)]
    together, threads = Engine(made, points), Engine(made, points, threads=2)
    assert together.words == 2
    alone = Engine(made, points[66:67])
    for engine in (together, threads, alone):
        engine.run(300)
        engine.drain()
    assert times(together.delivered(66)) == times(alone.delivered(0))
    assert all(times(together.delivered(number)) == times(threads.delivered(number)) for number in range(70))


@pytest.mark.parametrize("isa", FORMS)
def test_joined_words(core, isa):
    """576 switches in two words: hops and latencies are right, and threads change nothing."""
    made, logs = core(MANY, isa), []
    for threads in (1, 2):
        engine = Engine(made, [Point(load=0.02, log=True)], threads=threads)
        engine.run(300)
        engine.drain()
        logs.append(engine.delivered(0))
    assert times(logs[0]) == times(logs[1])
    assert len(logs[0]) > 500
    for packet in logs[0]:
        ends = [made.network.switch(int(packet[end])) for end in ("source", "destination")]
        distance = sum(min((a - b) % 24, (b - a) % 24) for a, b in zip(*ends))
        assert packet["hops"] == 1 + distance
        assert packet["head"] - packet["injected"] >= 2 * packet["hops"]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("values", [CUBE, DSN], ids=["cube", "dsn"])
def test_nothing_is_lost(core, values, seed):
    """Random traffic beyond saturation: all packets arrive, and all credits return."""
    rng, made = random.Random(seed), core(values)
    lengths = {flits: rng.random() for flits in range(1, values["packet"] + 1)}
    burst = (None, Burst(20, 20))[seed % 2]
    points = [
        Point(load=load, lengths=lengths, seed=seed, burst=burst, delay=rng.choice((0, 1, 7)), log=True) for load in (0.3, 1.0)
    ]
    engine = Engine(made, points, threads=2)
    engine.start_measuring()
    engine.run(1500)
    engine.stop_measuring()
    engine.drain()
    for number in range(len(points)):
        found = engine.statistics(number)
        assert found.offered_packets == found.measured == len(engine.delivered(number)) > 100
        assert not found.missing
        assert engine.queued(number) == engine.in_flight(number) == 0
        if number == 0:
            assert abs(found.offered - 0.3) < (0.1 if burst else 0.05)
        assert sum(found.sums.values()) > 0
        assert found.cycles == 1500


def test_a_saturated_network_drains(core):
    """Packets that wait in source queues are taken back; those of which a flit has left still arrive."""
    engine = Engine(core(RING), [Point(load=1.0, log=True), Point(load=0.1, log=True)])
    engine.start_measuring()
    engine.run(2000)
    waiting = engine.queued(0)
    assert waiting > 200
    assert engine.drain(withdrawn=[0]) < 150
    found, other = engine.statistics(0), engine.statistics(1)
    assert not found.missing
    assert found.measured == len(engine.delivered(0)) == found.injected_packets
    assert 0 <= found.offered_packets - found.measured - waiting + 4 <= 4
    assert other.measured == other.offered_packets


def test_several_hosts_and_channels(core):
    """A packet takes two cycles per switch, one per flit; under load all arrive, and credits return."""
    made = core(DSN)
    assert {len(made.host_ports), *(port["channels"] // port["classes"] for port in made.manifest["core_ports"])} == {2}
    trace = [(10 + 60 * number, 1, number, 1 + number % 3) for number in range(made.hosts)]
    engine = Engine(made, [Point(trace=trace, log=True), Point(load=1.0, lengths={1: 0.5, 3: 0.5})])
    engine.start_measuring()
    engine.run(60 * made.hosts + 100)
    engine.drain(withdrawn=[1])
    log = engine.delivered(0)
    assert len(log) == made.hosts
    assert set(log["tail"] - log["head"] + 1 - log["flits"]) == {0}
    assert set(log["head"] - log["injected"] - 2 * log["hops"]) == {0}
    assert engine.statistics(1).measured > 100


def test_every_kind_of_netlist_gives_the_same():
    """A flat netlist in small functions, and one in modules."""
    logs = []
    for hierarchy, chunk in (("400", 400), ("none", 3)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(generate, "CHUNK", chunk)
            patch.setattr(generate, "HIERARCHY", hierarchy)
            engine = Engine(Core(core_manifest(RING)), [Point(load=0.7, log=True)])
        engine.run(400)
        logs.append(times(engine.delivered(0)))
    assert logs[0] == logs[1]
    assert len(logs[0]) > 100


def test_failed_links_are_avoided(core):
    made = core(DETOUR)
    switch = made.network.switch(0)
    engine = Engine(made, [Point(load=0.1, failed=[(switch, 0)]), Point(load=0.1, ordered=False)])
    engine.run(200)
    engine.start_measuring()
    engine.run(500)
    engine.fail(1, switch, 0)
    engine.run(500)
    engine.start_measuring(1)
    engine.run(500)
    engine.drain()
    for number in (0, 1):
        found = engine.statistics(number)
        assert found.link_flits[0, 0] == 0 < found.link_flits[0, 1]
        assert found.delivered_packets > 100


@pytest.mark.regress
def test_512_switches(core):
    """The DSN of 8 x 8 x 8 under load: everything arrives, and the mean latency is that of other simulators."""
    engine = Engine(core(LARGE), [Point(load=0.2)])
    engine.run(300)
    engine.start_measuring()
    engine.run(700)
    found = engine.statistics(0)
    assert abs(found.accepted - 0.2) < 0.01
    assert 21 < found.mean() < 25
    engine.drain()
    assert abs((found.hops * np.arange(len(found.hops))).sum() / found.measured - 6.29) < 0.05


# What the checks notice: a state that is changed from outside.


def running(core, values=RING, **more):
    engine = Engine(core(values), [Point(load=0.8, **more)])
    engine.run(100)
    return engine


def flip_credits(engine):
    """Take all credits of the output that leads forward from switch 0."""
    rows = [row for row, port, _, _ in engine.core.credits if port == "dim0_forward"]
    assert rows
    for row in rows:
        engine._rows[0][row + engine.cycle % 2 * engine.core.layout.flops][0] &= 254


def spoil(engine, cycles=40):
    """Change a bit of the flits that the host of switch 0 gets."""
    row = engine.core.layout.outputs["host_0_tx_flit"][39]
    for _ in range(cycles):
        engine._rows[0][row + engine.cycle % 2 * engine.core.layout.flops][0] ^= 1
        engine.run(1)


def test_a_changed_payload_is_noticed(core):
    engine = running(core)
    with pytest.raises(SimulationError, match=r"Cycle \d+, point 0, switch 0: the payload of packet \d+ from host"):
        spoil(engine)


def test_a_changed_header_is_noticed(core):
    engine = running(core)
    layout = engine.core.layout
    for bit in range(3):
        engine._rows[0][layout.outputs["dim0_forward_tx_flit"][bit] + engine.cycle % 2 * layout.flops] ^= 255
    with pytest.raises(SimulationError):
        engine.run(50)


@pytest.mark.parametrize("values", [RING, DSN], ids=["ring", "dsn"])
def test_a_missing_credit_is_noticed_at_the_end(core, values):
    """An output that has one credit less than its receiver has places, in a network that is empty."""
    made = core(values)
    assert {(port, channel) for _, port, channel, _ in made.credits} == {
        (port["name"], channel) for port in made.manifest["core_ports"] for channel in range(port["channels"])
    }
    engine = Engine(made, [Point(load=0), Point(load=0.1)])
    engine.run(100)
    engine.drain()
    row = made.credits[0][0] + engine.cycle % 2 * made.layout.flops
    engine._rows[0][row][0] ^= 2
    with pytest.raises(SimulationError, match=rf"switch {made.network.spell_switch(made.network.switch(1))}: port .* credits"):
        engine.drain()


@pytest.mark.parametrize("name", ["rx_credit", "tx_valid"])
@pytest.mark.parametrize("port", ["dim0_forward", "host_0"])
def test_a_lost_or_invented_signal_is_noticed(core, name, port):
    """A credit or flit that is lost or invented in a core at saturation."""
    for copy in range(4):
        engine = running(core)
        layout = engine.core.layout
        row = layout.outputs[f"{port}_{name}"][0] + engine.cycle % 2 * layout.flops
        engine._rows[0][row][0] ^= 1 << copy
        with pytest.raises(SimulationError):
            engine.drain(2000)


def test_a_network_that_stops_is_noticed(core):
    """All links out of one switch lose their credits: packets wait for ever."""
    engine = running(core, destinations=[1, -1, -1, -1])
    for _ in range(20):
        flip_credits(engine)
        engine.run(7)
    with pytest.raises(NetworkStopped, match=r"none has moved since cycle \d+; channel 0 dim0_forward.* is empty, but packets"):
        engine.run(5000)


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ({"load": 1.5}, "Load must be in 0..1 flits per host and cycle, not 1.5"),
        ({"lengths": {5: 1}}, "Packets must have 1..4 flits"),
        ({"destinations": [1, 2, 3, 4]}, "Destinations must be 4 numbers of hosts"),
        ({"weights": [0, 1, 0, 0]}, "Weights must be 4 numbers"),
        ({"trace": [(0, 1, 9, 1)]}, "A trace has cycle, source, destination, flits, not 0, 1, 9, 1"),
        ({"trace": [(0, 1, 2, 1)], "destinations": [1, 0, 0, 0]}, "not two of them"),
        ({"payloads": [[1]]}, "Payloads are those of a trace"),
        ({"payloads": [[1, 2]], "trace": [(0, 1, 2, 1)]}, "Payloads must have a number for each flit of each row"),
        ({"payloads": [[1 << 64]], "trace": [(0, 1, 2, 1)]}, "The data of a flit must have at most 64 bits"),
        ({"burst": Burst(0.5, 3)}, "Bursts and pauses must last at least 1 cycle"),
        ({"delay": -1}, "Delay of a link must be in 0..1000, not -1"),
        ({"inputs": {"nothing": 1}}, "Input must be one of"),
        ({"failed": [((0,), 0)]}, "Links fail in a core with detours or tables"),
    ],
)
def test_impossible_points(core, point, message):
    with pytest.raises(ValueError, match=message):
        Engine(core(RING), [Point(**point)])


def test_other_machines_get_no_flags_of_x86():
    assert flags("generic", "aarch64") == ["-march=native"]
    assert flags("generic", "x86_64") == ["-march=native", "-mno-avx512f"]


def test_impossible_cores(core, tmp_path):
    with pytest.raises(UsageError, match="needs the manifest of a universal switch-core"):
        Core(core_manifest({"block": "route", "topology": "torus:2x2"}))
    with pytest.raises(UsageError, match="cannot be read"):
        Core(tmp_path / "none.json")
    with pytest.raises(UsageError, match="Form of the code must be one of avx512, generic, not 'mmx'"):
        core(RING, "mmx")
    manifest = core_manifest(RING)
    about = json.loads(Path(manifest).read_text())
    path = tmp_path / "core.json"
    path.write_text(json.dumps({key: value for key, value in about.items() if key != "state"}))
    with pytest.raises(UsageError, match="does not state the registers of the core: emit it again"):
        Core(path)
    with pytest.raises(UsageError, match=r"has no register host_0_allocator\.none, which its manifest states"):
        core(RING).register("host_0_allocator.none")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "features", frozenset)
        with pytest.raises(UsageError, match="no AVX-512"):
            Core(manifest, "avx512")
        patch.setenv("CXX", "no-such-compiler")
        with pytest.raises(UsageError, match="no-such-compiler is not installed"):
            Core(manifest)
        patch.delenv("CXX")
        patch.setenv("DSNSWITCH_CACHE", str(tmp_path))
        patch.setattr(extras, "find_spec", lambda name: None)
        with pytest.raises(UsageError, match="needs pyosys"):
            Core(manifest)
