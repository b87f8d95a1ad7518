"""Bench of the DSN's route logic, against the golden model.

Parameters: ``manifest`` (path), ``pairs`` (0 for every pair, else a number of random pairs), ``walks``, ``seed``.
"""

import random
from functools import cache
from itertools import product

import cocotb

from dsnswitch.sim.bench.drivers.pins import load, load_manifest
from dsnswitch.sim.bench.drivers.route_driver import RouteDriver, batches, next_node
from dsnswitch.sim.golden.routing.dsn import route, route_nodes
from dsnswitch.sim.golden.topology.dsn import nodes
from dsnswitch.sim.topology import network

PARAMETERS, MANIFEST = load(), load_manifest()
DSN = network(MANIFEST)
RANDOM = random.Random(PARAMETERS.get("seed", 1))
#: Answer for a packet that has arrived: ``(port, arrived, invalid)``.
ARRIVED = (0, 1, 0)


def random_node():
    """A random node of the network."""
    return (*(RANDOM.randrange(size) for size in DSN.sizes), RANDOM.randrange(DSN.m))


def questions():
    """Pairs (current node, destination) in which the current node changes rarely."""
    own = tuple(MANIFEST["node"]) if MANIFEST["node"] else None
    count = PARAMETERS.get("pairs", 0)
    if not count:
        everyone = list(nodes(DSN))
        yield from product([own] if own else everyone, everyone)
        return
    for index in range(count):
        if not own and index % 16 == 0:
            current = random_node()
        yield own or current, random_node()


@cache
def relative_hop(distance, source, target):
    """First hop of the golden path from supernode 0 over ``distance`` supernodes, or None if the path has no hop."""
    hops = route(DSN, (0,) * len(distance) + (source,), (*distance, target))
    return hops[0] if hops else None


@cocotb.test()
async def every_decision(dut):
    """The logic sends each packet over the first link of the golden path, or says that it has arrived."""
    driver = RouteDriver(dut, MANIFEST)
    await driver.start()
    links = cache(lambda node, port: next_node(MANIFEST, DSN, node, port))
    asked = 0
    for batch in batches(questions(), driver.lanes):
        asked += len(batch)
        for (own, dst), answer in zip(batch, await driver.decide_all(batch)):
            distance = tuple((t - s) % n for s, t, n in zip(own, dst, DSN.sizes))
            hop = relative_hop(distance, own[-1], dst[-1])
            if hop is None:
                assert answer == ARRIVED, f"{own} to {dst}: {answer}"
                continue
            found = links(own, answer[0])
            wanted = (*((s + d) % n for s, d, n in zip(own, hop.target, DSN.sizes)), hop.target[-1])
            assert answer[1:] == (0, 0), f"{own} to {dst}: {answer}"
            assert found == (wanted, hop.kind, hop.level, hop.direction), f"{own} to {dst}: {found}, golden {hop}"
    dut._log.info("%d decisions agree", asked)
    assert asked


@cocotb.test()
async def walks(dut):
    """Packets follow only the decisions of the logic. The nodes on their path are those of the golden path."""
    if MANIFEST["node"]:
        return
    driver = RouteDriver(dut, MANIFEST)
    await driver.start()
    for _ in range(PARAMETERS.get("walks", 200)):
        source, target = random_node(), random_node()
        golden = route_nodes(DSN, source, target)
        seen = [source]
        while True:
            port, arrived, _ = await driver.decide(seen[-1], target)
            if arrived:
                break
            step = next_node(MANIFEST, DSN, seen[-1], port)
            assert step, f"{source} to {target} at {seen[-1]}: no link on port {port:b}"
            seen.append(step[0])
            assert len(seen) <= len(golden), f"{source} to {target}: {seen} is longer than {golden}"
        assert seen == golden


@cocotb.test()
async def destinations_outside(dut):
    """A destination that does not exist raises ``invalid`` and nothing else."""
    driver = RouteDriver(dut, MANIFEST)
    await driver.start()
    fields = MANIFEST["address"]["fields"]
    own = tuple(MANIFEST["node"] or random_node())
    for index, field in enumerate(fields):
        outside = range(field["size"], 1 << field["width"])
        for value in random.Random(1).sample(outside, min(len(outside), 64)):
            for _ in range(8):
                dst = list(random_node())
                dst[index] = value
                assert await driver.decide(own, tuple(dst)) == (0, 0, 1), f"{own} to {dst}"
