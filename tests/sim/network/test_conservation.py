"""Random networks, traffic, delays, failures, tables and errors: every packet is accounted for, and all credits return."""

import networkx as nx
import pytest
from cores import CUBE, DETOUR, DSN, FORWARDING, LAYERS, TABLE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.engine import lookup
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Burst, Point

CORES = {"cube": CUBE, "dsn": DSN, "detour": DETOUR, "table": TABLE, "layers": LAYERS, "forwarding": FORWARDING}


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


def may_wait_in_a_cycle(made, old, new):
    """Whether packets can wait for each other in a cycle while each switch has its old or its new action for a destination."""
    network, waits = made.network, nx.DiGraph()
    layers = [found for found in (lookup.layers_of(network, one) for one in (old, new)) if found is not None]
    for column, end in enumerate(network.terminals()):
        ports = {at: {port_of(network, one, at, column) for one in (old, new)} for at in network.switches()}
        for source in network.switches():
            pair = network.number(source), network.number(end)
            for layer in {found[pair] for found in layers} or {0}:
                ways, known = [source], set()
                while ways:
                    at = ways.pop()
                    if at == end or at in known:
                        continue
                    known.add(at)
                    for port in ports[at]:
                        after = network.neighbour(at, port)[0]
                        ways.append(after)
                        if after != end:
                            waits.add_edges_from(((at, port, layer), (after, one, layer)) for one in ports[after])
    return not nx.is_directed_acyclic_graph(waits)


def changed(made, failing, old):
    """Tables without a link that keep the ranks of the old ones, or other ones if the ranks do not fit the classes."""
    values = {"network": made.network, "parameters": made.manifest["parameters"], "broken": [failing]}
    try:
        return lookup.tables_for(**values, before=old)
    except UsageError:
        return lookup.tables_for(**values)


def port_of(network, tables, at, column):
    number, wiring = network.number(at), tables.wiring
    action = tables.tables[number].lookup(int(wiring.keys(wiring.place[number])[column]))
    return action & (1 << tables.port_bits) - 1


@pytest.mark.parametrize("name", CORES)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_packet_is_accounted_for(core, name, data):
    made = core(CORES[name])
    some = data.draw(st.lists(points(made), min_size=1, max_size=3))
    engine = Engine(made, [point for point, _ in some], threads=data.draw(st.integers(1, 2)))
    engine.start_measuring()
    engine.run(400)
    changes = {}
    for number, (point, failing) in enumerate(some):
        if failing and point.tables:
            changes[number] = changed(made, failing, point.tables)
    stops = any(may_wait_in_a_cycle(made, some[number][0].tables, new) for number, new in changes.items())
    if stops:
        engine.drain(withdrawn=range(len(some)))
    for number, (_, failing) in enumerate(some):
        if failing:
            engine.fail(number, *failing)
    if changes:
        cycles = engine.rewrite(changes)
    if stops:
        engine.run(cycles)
        for number, (point, _) in enumerate(some):
            engine.set_load(number, point.load)
    engine.run(300)
    engine.stop_measuring()
    engine.drain(withdrawn=range(len(some)))
    for number, (point, failing) in enumerate(some):
        found, log = engine.statistics(number), engine.delivered(number)
        assert not found.missing
        assert engine.queued(number) == engine.in_flight(number) == 0
        assert found.measured == len(log)
        # Packets that were taken back have not been injected.
        assert found.injected_packets <= found.measured + found.marked + sum(found.lost.values()) <= found.offered_packets
        causes = {cause for cause, count in found.lost.items() if count}
        allowed = {"link"} if point.errors else set()
        allowed |= {"no_route", "u_turn", "expired"} if failing and point.tables is not None else set()
        assert causes <= allowed
        assert point.errors or not found.marked
