"""The golden model of detours against the relation, and against the dissertation's tables and examples."""

import random

import pytest
from failed_links import failed_ports

from dsnswitch.net.routing.detour.decisions import pack, unpack
from dsnswitch.net.routing.detour.relation import ARRIVED, UNDELIVERABLE, DetourRelation
from dsnswitch.net.routing.relation import Arrival
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.bench.drivers.route_driver import DetourStates
from dsnswitch.sim.golden.routing.detour import DetourModel
from dsnswitch.sim.golden.routing.dsn import TABLE_4_3, read_table

SPELLINGS = ["grid:4x4", "grid:8x8", "grid:5x3:coc-3x2", "ring:22:ring-6", "ring:3:ring-3", "grid:1x6", "grid:32x2"]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_decisions_are_those_of_the_relation(spelling):
    network = parse_network(spelling)
    relation, chance = DetourRelation(network), random.Random(2)
    states = DetourStates(network, relation.classes["local"])
    links, switches = list(network.links()), list(network.switches())
    seen = set()
    for share in (0.0, 0.02, 0.1, 0.3, 0.6):
        failed = failed_ports(network, chance.sample(links, round(share * len(links))))
        for _ in range(150):
            for state in states.route(*chance.choices(switches, k=2), failed):
                found = relation.decide(
                    state.switch,
                    None if state.arrival is None else Arrival(state.arrival, state.virtual_class),
                    unpack(state.header),
                    state.target,
                    lambda port, dead=state.dead: not dead >> port & 1,
                )
                wanted = states.answer(state)
                if state.arrival is not None and wanted[0] == state.arrival:
                    # The core refuses a packet that would return on a shortcut.
                    assert network.ports[state.arrival].kind == "local", state
                seen.add(wanted if wanted in (ARRIVED, UNDELIVERABLE) else "hop")
                assert (found if isinstance(found, str) else (*found[:2], pack(found.detour))) == wanted, state
    assert seen == {ARRIVED, UNDELIVERABLE, "hop"}


def test_local_routes_are_those_of_table_4_3():
    """The upper half of the table is compared, because its lower half repeats Table 4.2."""
    model, table = DetourModel(parse_network("grid:1x1"), 5), read_table(TABLE_4_3)
    for own in range(4):
        for goal in (goal for goal in range(8) if len(table[own][goal]) == 2):
            first, second = table[own][goal]
            way, _, header = model.decide((0, 0, own), None, 0, 4, (0, 0, goal), lambda way: True)
            assert way == ("local", first)
            came = ("local", own), own
            assert model.decide((0, 0, first), came, 0, header, (0, 0, goal), lambda way: True)[0] == ("local", second)
