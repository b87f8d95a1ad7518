"""Bench of the route logic whose network size is an input: each size against the golden model and the relation.

Parameters: ``manifest`` (path), ``sizes`` (a list of sizes, each a list of numbers of supernodes), ``pairs`` (0 for every pair of
a size, else a number of random pairs), ``seed``.
"""

import random
from dataclasses import replace
from itertools import product

import cocotb

from dsnswitch.net.routing.dsn.relation import DsnRelation
from dsnswitch.net.routing.relation import Arrival
from dsnswitch.sim.bench.drivers.pins import load, load_manifest
from dsnswitch.sim.bench.drivers.route_driver import RouteDriver, batches
from dsnswitch.sim.golden.routing.dsn import route
from dsnswitch.sim.topology import largest_network

PARAMETERS, MANIFEST = load(), load_manifest()
LARGEST = largest_network(MANIFEST)
SIZES = [tuple(size) for size in PARAMETERS["sizes"]]
RANDOM = random.Random(PARAMETERS.get("seed", 1))
#: Port of the netlist by name.
INDEX = {port.name: port.index for port in LARGEST.ports}
INVALID = (0, 0, 1)


class Network:
    """One size: the network, its relation with the classes of the largest network, and the golden model's first hops."""

    def __init__(self, size):
        self.dsn = replace(LARGEST, sizes=size)
        self.relation = DsnRelation(self.dsn, LARGEST)
        self._ports, self._decided = {}, {}

    def any_switch(self):
        return self.dsn.switch(RANDOM.randrange(self.dsn.nodes))

    def pairs(self):
        """Pairs (source, destination), in which the source changes rarely."""
        count = PARAMETERS.get("pairs", 0)
        if not count:
            return product(self.dsn.switches(), repeat=2)
        return (
            (source, self.any_switch())
            for source in (self.any_switch() for _ in range(-(-count // 8)))
            for _ in range(8)
        )

    def wanted(self, switch, arrival, destination):
        """``(port, class)`` of a hop, or None at the destination: the port by the golden path, the class by the relation.

        The answer depends on the distance only, and is kept.
        """
        key = (*self.dsn.canonical(switch, destination), arrival)
        if key not in self._decided:
            start, end = key[:2]
            hops = self.relation.hops(start, arrival, end)
            self._decided[key] = (self._golden(start, end), hops[0][1]) if hops else None
            assert bool(hops) == (start != end)
        return self._decided[key]

    def _golden(self, start, end):
        """Name of the port to the first switch of the golden path."""
        hop = route(self.dsn, start, end)[0]
        [port] = [
            port
            for port, (there, _) in self.dsn.links_of(start)
            if (port.kind, self.dsn.level(start, port.index), port.direction, there[-1])
            == (hop.kind, hop.level, hop.direction, hop.target[-1])
        ]
        return port.name

    def in_largest(self, arrival):
        """An arrival with the port of the netlist, which has those of the largest network."""
        return arrival and arrival._replace(port=INDEX[self.dsn.ports[arrival.port].name])

    def states(self, has_arrival):
        """``(switch, arrival, destination)`` of each question: all switches of a route, or the first one only."""
        for source, destination in self.pairs():
            for place in self.route(source, destination) if has_arrival else ((source, None),):
                yield *place, destination

    def route(self, source, destination):
        """Every ``(switch, arrival)`` on the way to the destination, the destination included."""
        switch, arrival = source, None
        while True:
            yield switch, arrival
            hops = self.relation.hops(switch, arrival, destination)
            if not hops:
                return
            port, virtual_class = hops[0]
            switch, entry = self.dsn.neighbour(switch, port)
            arrival = Arrival(entry, virtual_class)


def configure(driver, size):
    """Drive the sizes."""
    driver.put(**{f"size_{field.name}": [value] for field, value in zip(LARGEST.fields, size)})


@cocotb.test()
async def every_size(dut):
    """Port and class of every hop. With inputs for the arrival, all switches of a route are asked, else its source."""
    driver = RouteDriver(dut, MANIFEST)
    await driver.start()
    asked = 0
    for size in SIZES:
        network = Network(size)
        configure(driver, size)
        classes = network.relation.classes
        for states in batches(network.states(driver.has_arrival), driver.lanes):
            driver.arrive(*(network.in_largest(arrival) for _, arrival, _ in states))
            answers = await driver.decide_all([(switch, destination) for switch, _, destination in states])
            asked += len(states)
            for state, found, found_class in zip(states, answers, driver.virtual_classes(len(states))):
                wanted = network.wanted(*state)
                if wanted is None:
                    assert found == (0, 1, 0), f"{size}: {state}: {found}, the packet has arrived"
                    continue
                name, virtual_class = wanted
                assert found == (1 << INDEX[name], 0, 0), f"{size}: {state}: {found}, golden {name}"
                single = classes[LARGEST.ports[INDEX[name]].kind] == 1
                assert single or found_class == virtual_class, f"{size}: {state}: {found_class}, {wanted}"
    dut._log.info("%d decisions of %d sizes agree", asked, len(SIZES))
    assert asked


@cocotb.test()
async def out_of_range(dut):
    """Addresses beyond a size, and sizes beyond the range, raise ``invalid`` and nothing else."""
    driver = RouteDriver(dut, MANIFEST)
    await driver.start()
    for size in SIZES:
        network = Network(size)
        for axis, (value, field) in enumerate(zip(size, LARGEST.fields)):
            for outside in range(value, field.size):
                there = list(network.any_switch())
                there[axis] = outside
                configure(driver, size)
                assert await driver.decide(network.any_switch(), tuple(there)) == INVALID, f"{size}: to {there}"
                assert await driver.decide(tuple(there), network.any_switch()) == INVALID, f"{size}: at {there}"
            for wrong in (0, *range(field.size + 1, 2 * field.size)):
                configure(driver, (*size[:axis], wrong, *size[axis + 1 :]))
                own = (0,) * len(LARGEST.fields)
                assert await driver.decide(own, own) == INVALID, f"size {wrong} of dimension {axis}"
