"""Bench of the route logic whose network size is an input: each size against the golden model and the relation.

Parameters: ``manifest`` (path), ``sizes`` (a list of sizes, each a list of numbers of supernodes), ``pairs`` (0 for every pair of
a size, else a number of random pairs), ``seed``.
"""

from dataclasses import replace

import cocotb

from dsnswitch.net.routing.dsn.relation import DsnRelation
from dsnswitch.net.routing.relation import Arrival
from dsnswitch.net.topology.registry import network_of_manifest
from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS
from dsnswitch.sim.bench.drivers.route_driver import RouteDriver, any_switch, pairs
from dsnswitch.sim.golden.routing.dsn import route

LARGEST = network_of_manifest(MANIFEST)
SIZES = [tuple(size) for size in PARAMETERS["sizes"]]
#: Port of the netlist by name.
INDEX = {port.name: port.index for port in LARGEST.ports}
INVALID = (0, 0, 1)


def walk(network, hops, source, destination):
    """Every ``(switch, arrival)`` on the way to the destination, which is included. ``hops`` is that of a relation."""
    switch, arrival = source, None
    yield switch, arrival
    while found := hops(switch, arrival, destination):
        port, virtual_class = found[0]
        switch, entry = network.neighbour(switch, port)
        arrival = Arrival(entry, virtual_class)
        yield switch, arrival


class Size:
    """One size: the network, its relation with the classes of the largest network, and the golden model's first hops."""

    def __init__(self, size):
        self.size, self.dsn = size, replace(LARGEST, sizes=size)
        self.relation = DsnRelation(self.dsn, LARGEST)
        self._decided = {}

    def states(self, has_arrival):
        """``(switch, arrival, destination)`` of each question: all switches of a route, or the first one only."""
        for source, destination in pairs(self.dsn, each=8):
            way = walk(self.dsn, self.relation.hops, source, destination) if has_arrival else ((source, None),)
            for switch, arrival in way:
                # The netlist has the ports of the largest network.
                if arrival:
                    arrival = arrival._replace(port=INDEX[self.dsn.ports[arrival.port].name])
                yield switch, arrival, destination

    def judge(self, state, answer, virtual_class):
        """Check the port by the golden path, the class by the relation. Both depend on the distance only."""
        switch, arrival, destination = state
        key = (*self.dsn.canonical(switch, destination), arrival)
        if key not in self._decided:
            self._decided[key] = self._decide(*key)
        wanted, wanted_class = self._decided[key]
        assert answer == wanted, f"{self.size}: {state}: {answer}, golden {wanted}"
        assert wanted_class in (None, virtual_class), f"{self.size}: {state}: {virtual_class}, not {wanted_class}"

    def _decide(self, start, end, arrival):
        """Answer, and class unless the port has one class."""
        if arrival:
            name = LARGEST.ports[arrival.port].name
            arrival = arrival._replace(port=next(port.index for port in self.dsn.ports if port.name == name))
        hops = self.relation.hops(start, arrival, end)
        assert bool(hops) == (start != end)
        if not hops:
            return (0, 1, 0), None
        hop = route(self.dsn, start, end)[0]
        [port] = [
            port
            for port, (there, _) in self.dsn.links_of(start)
            if (port.kind, self.dsn.level(start, port.index), port.direction, there[-1])
            == (hop.kind, hop.level, hop.direction, hop.target[-1])
        ]
        return (1 << INDEX[port.name], 0, 0), None if self.relation.classes[port.kind] == 1 else hops[0][1]


def configure(driver, size):
    """Drive the sizes."""
    driver.put(**{f"size_{field.name}": [value] for field, value in zip(LARGEST.fields, size)})


@cocotb.test()
async def every_size(dut):
    """Port and class of every hop. With inputs for the arrival, all switches of a route are asked, else its source."""
    driver = await RouteDriver.begin(dut)
    for size in map(Size, SIZES):
        configure(driver, size.size)
        await driver.ask(size.states(driver.has_arrival), size)


@cocotb.test()
async def out_of_range(dut):
    """Addresses beyond a size, and sizes beyond the range, raise ``invalid`` and nothing else."""
    driver = await RouteDriver.begin(dut)
    for size in SIZES:
        dsn = Size(size).dsn
        for axis, (value, field) in enumerate(zip(size, LARGEST.fields)):
            for outside in range(value, field.size):
                there = list(any_switch(dsn))
                there[axis] = outside
                configure(driver, size)
                assert await driver.decide(any_switch(dsn), tuple(there)) == INVALID, f"{size}: to {there}"
                assert await driver.decide(tuple(there), any_switch(dsn)) == INVALID, f"{size}: at {there}"
            for wrong in (0, *range(field.size + 1, 2 * field.size)):
                configure(driver, (*size[:axis], wrong, *size[axis + 1 :]))
                own = (0,) * len(LARGEST.fields)
                assert await driver.decide(own, own) == INVALID, f"size {wrong} of dimension {axis}"
