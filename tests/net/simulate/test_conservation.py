"""Random networks, traffic, delays, failures, tables and errors: every packet is accounted for, and all credits return."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsnswitch.net.simulate import lookup
from dsnswitch.net.simulate.engine import Engine
from dsnswitch.net.simulate.points import Burst, NetworkStopped, Point

#: Cores that other tests use too, so that they are compiled once.
CORES = {
    "torus": {"block": "switch-core", "topology": "torus:2x2x2", "flit": 48, "packet": 3, "depth": 6},
    "ring": {"block": "switch-core", "topology": "torus:4", "flit": 40, "packet": 4, "depth": 8},
    "wormhole": {"block": "switch-core", "topology": "ring:3:ring-2", "flit": 96, "packet": 3, "depth": 2, "hosts": 2}
    | {"channels": "2", "switching": "wormhole"},
    "detour": {
        "block": "switch-core",
        "topology": "grid:2x1:k4x2",
        "routing": "detour",
        "flit": 64,
        "packet": 2,
        "depth": 4,
    },
    "table": {
        "block": "switch-core",
        "topology": "torus:4x4",
        "flit": 48,
        "packet": 4,
        "lookup": "table",
        "entries": 24,
    },
    "layers": {
        "block": "switch-core",
        "topology": "torus:4x4",
        "flit": 48,
        "packet": 4,
        "lookup": "table",
        "kind": "direct",
    }
    | {"layers": 4},
    "forwarding": {
        "block": "switch-core",
        "topology": "ring:3:ring-2",
        "flit": 64,
        "packet": 2,
        "lookup": "forwarding",
    },
}


@st.composite
def points(draw, made):
    """A point of a core, and the link that fails in the middle of the run, or None."""
    network, parameters = made.network, made.manifest["parameters"]
    links = [(switch, port.index) for switch in network.switches() for port, _ in network.links_of(switch)]
    delay = draw(st.integers(0, 9) | st.dictionaries(st.sampled_from(links), st.integers(0, 9), max_size=3))
    lengths = draw(st.dictionaries(st.integers(1, parameters["packet"]), st.floats(0.1, 1), min_size=1))
    failing = draw(st.none() | st.sampled_from(links)) if "dead" in made.layout.inputs else None
    more = {}
    if parameters["lookup"] != "algorithm":
        more = {"tables": lookup.tables_for(network, parameters), "lossy": failing is not None}
    point = Point(
        load=draw(st.sampled_from([0.02, 0.3, 1.0])),
        lengths=lengths,
        burst=draw(st.none() | st.just(Burst(20, 30))),
        seed=draw(st.integers(0, 1000)),
        delay=delay,
        errors=draw(st.sampled_from([0.0, 0.001, 0.1])),
        ordered=failing is None,
        log=True,
        **more,
    )
    return point, failing


@pytest.mark.parametrize("name", CORES)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_packet_is_accounted_for(core, name, data):
    made = core(CORES[name])
    some = data.draw(st.lists(points(made), min_size=1, max_size=3))
    engine = Engine(made, [point for point, _ in some], threads=data.draw(st.integers(1, 2)))
    engine.start_measuring()
    engine.run(400)
    for number, (point, failing) in enumerate(some):
        if failing:
            engine.fail(number, *failing)
            if point.tables is not None:
                new = lookup.tables_for(made.network, made.manifest["parameters"], broken=[failing])
                engine.rewrite({number: new})
    try:
        engine.run(300)
        engine.stop_measuring()
        engine.drain(withdrawn=range(len(some)))
    except NetworkStopped as stopped:
        # Routes of the tables before and after may close a cycle together, if both have packets in the network.
        if some[stopped.point][1] is None or CORES[name].get("lookup") != "table":
            raise
        return
    for number, (point, failing) in enumerate(some):
        found, log = engine.statistics(number), engine.delivered(number)
        assert not found.missing
        assert engine.queued(number) == engine.in_flight(number) == 0
        assert found.measured == len(log)
        # Packets that were taken back have not been injected.
        assert (
            found.injected_packets <= found.measured + found.marked + sum(found.lost.values()) <= found.offered_packets
        )
        causes = {cause for cause, count in found.lost.items() if count}
        allowed = {"link"} if point.errors else set()
        allowed |= {"no_route", "u_turn", "expired"} if failing and point.tables is not None else set()
        assert causes <= allowed
        assert point.errors or not found.marked
