"""Bench of the route logic of any network, against its relation: port and class of every hop, arrived, invalid.

Parameters: ``manifest`` (path), ``pairs`` (0 for every route, else a number of random routes), ``seed``.
"""

import random
from itertools import islice, product

import cocotb

from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.routing.relation import Arrival
from dsnswitch.sim.bench.drivers.pins import load, load_manifest
from dsnswitch.sim.bench.drivers.route_driver import RouteDriver, batches
from dsnswitch.sim.topology import network

PARAMETERS, MANIFEST = load(), load_manifest()
RANDOM = random.Random(PARAMETERS.get("seed", 1))
NETWORK = network(MANIFEST)
RELATION = relation_of(NETWORK, MANIFEST["parameters"]["routing"])


def any_switch():
    return NETWORK.switch(RANDOM.randrange(NETWORK.nodes))


def missing():
    """Addresses that do not exist, limited to a number that takes little time to simulate."""
    addresses = product(*(range(1 << field.width) for field in NETWORK.fields))
    absent = [address for address in islice(addresses, 1 << 16) if not NETWORK.contains(address)]
    return RANDOM.sample(absent, min(len(absent), 200))


def routes():
    """Pairs (source, destination) to check."""
    count = PARAMETERS.get("pairs", 0)
    if not count:
        yield from product(NETWORK.switches(), repeat=2)
        return
    for _ in range(count):
        yield tuple(any_switch() for _ in range(2))


def decisions():
    """``(switch, arrival, destination, choices)`` of every hop on the routes, sorted by switch: the straps change rarely."""
    seen = {}
    for source, destination in routes():
        state = source, None, destination
        while state not in seen:
            seen[state] = choices = RELATION.hops(*state)
            if not choices:
                break
            port, virtual_class = choices[0]
            switch, entry = NETWORK.neighbour(state[0], port)
            state = switch, Arrival(entry, virtual_class), destination
    own = MANIFEST["node"] and tuple(MANIFEST["node"])
    found = [(*state, choices) for state, choices in seen.items() if own in (None, state[0])]
    return sorted(found, key=lambda state: (state[0], state[1] or (), state[2]))


@cocotb.test()
async def every_hop(dut):
    """Port and virtual channel class are those of the relation. ``out_class`` is not checked at ports with one class."""
    driver = RouteDriver(dut, MANIFEST)
    await driver.start()
    asked = 0
    for batch in batches(decisions(), driver.lanes):
        driver.arrive(*(arrival for _, arrival, *_ in batch))
        answers = await driver.decide_all([(switch, destination) for switch, _, destination, _ in batch])
        for (*state, choices), found, found_class in zip(batch, answers, driver.virtual_classes(len(batch))):
            if not choices:
                assert found == (0, 1, 0), f"{state}: {found}, the packet has arrived"
                continue
            port, virtual_class = choices[0]
            single = RELATION.classes[NETWORK.ports[port].kind] == 1
            assert found == (1 << port, 0, 0), f"{state}: {found}, relation {choices}"
            assert single or found_class == virtual_class, f"{state}: {found_class}, relation {choices}"
            asked += 1
    dut._log.info("%d hops agree", asked)
    assert asked


@cocotb.test()
async def destinations_outside(dut):
    """A destination that does not exist raises ``invalid`` and nothing else."""
    driver = RouteDriver(dut, MANIFEST)
    await driver.start()
    for destination in missing():
        own = tuple(MANIFEST["node"] or any_switch())
        assert await driver.decide(own, destination) == (0, 0, 1), f"{own} to {destination}"
