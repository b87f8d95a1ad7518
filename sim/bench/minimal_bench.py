"""Bench of the minimal route logic, against the golden model: every decision is a hop of a shortest path.

Parameters: ``manifest`` (path), ``pairs`` (0 for every pair, else a number of random pairs), ``seed``.
"""

import random
from functools import cache
from itertools import product

import cocotb

from dsnswitch.sim.bench.drivers.pins import load, load_manifest
from dsnswitch.sim.bench.drivers.route_driver import RouteDriver, batches, next_node
from dsnswitch.sim.golden.routing.dsn import SignedShortcuts
from dsnswitch.sim.golden.topology.dsn import nodes
from dsnswitch.sim.topology import network

PARAMETERS, MANIFEST = load(), load_manifest()
DSN = network(MANIFEST)
GOLDEN = SignedShortcuts(DSN, digit=2)
RANDOM = random.Random(PARAMETERS.get("seed", 1))


def pairs():
    """Pairs (current node, destination) in which the current node changes rarely."""
    everyone = list(nodes(DSN))
    owns = [tuple(MANIFEST["node"])] if MANIFEST["node"] else everyone
    count = PARAMETERS.get("pairs", 0)
    if not count:
        yield from product(owns, everyone)
        return
    for index in range(count):
        if index % 16 == 0:
            own = RANDOM.choice(owns)
        yield own, RANDOM.choice(everyone)


@cache
def left(distances, own, target):
    """Remaining hops of a packet at id ``own``."""
    return GOLDEN.hops((*(0 for _ in distances), own), (*distances, target))


def hops(own, dst):
    """Hops from node ``own`` to node ``dst``. All supernodes are alike."""
    return left(tuple((t - s) % n for s, t, n in zip(own, dst, DSN.sizes)), own[-1], dst[-1])


@cocotb.test()
async def every_decision(dut):
    """From the next node, the remaining path is one hop shorter, or the packet has arrived."""
    driver = RouteDriver(dut, MANIFEST)
    await driver.start()
    driver.arrive(None)
    links = cache(lambda node, port: next_node(MANIFEST, DSN, node, port))
    asked = 0
    for batch in batches(pairs(), driver.lanes):
        asked += len(batch)
        for (own, dst), (port, *flags) in zip(batch, await driver.decide_all(batch)):
            if own == dst:
                assert (port, *flags) == (0, 1, 0), f"{own}: port {port:b}, arrived and invalid {flags}"
                continue
            assert flags == [0, 0], f"{own} to {dst}: arrived and invalid {flags}"
            found = links(own, port)
            assert found, f"{own} to {dst}: no link on port {port:b}"
            assert hops(found[0], dst) == hops(own, dst) - 1, f"{own} to {dst}: {found[0]} is not on a shortest path"
    dut._log.info("%d decisions lie on shortest paths", asked)
    assert asked
