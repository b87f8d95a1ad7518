"""Bench of route logic: every decision, and destinations that do not exist.

Parameters: ``manifest`` (path); ``against``: the golden ``paths`` of the DSN (default), its golden ``shortest`` paths, the golden
``choices`` of adaptive routing and digits, or the ``relation`` of any network, with every hop of each route; ``pairs`` (0 for
every pair, else a number of random pairs); ``seed``.
"""

from collections import namedtuple
from functools import cache
from itertools import islice, product

import cocotb

from dsnswitch.net.routing.minimal.digits import sign_widths
from dsnswitch.net.routing.registry import relation_of, routing_of_manifest
from dsnswitch.net.routing.relation import Arrival
from dsnswitch.net.topology.registry import network_of_manifest
from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, RANDOM
from dsnswitch.sim.bench.drivers.route_driver import RouteDriver, any_switch, next_node, pairs
from dsnswitch.sim.golden.routing.choices import Choices
from dsnswitch.sim.golden.routing.dsn import SignedShortcuts, route

NETWORK, OWN = network_of_manifest(MANIFEST), MANIFEST["node"] and tuple(MANIFEST["node"])
AGAINST = PARAMETERS.get("against", "paths")
#: Answers ``(port, arrived, invalid)``.
ARRIVED, INVALID = (0, 1, 0), (0, 0, 1)


class Paths:
    """Each packet leaves over the first link of the golden path. All supernodes are alike."""

    def __init__(self):
        self._links = cache(lambda node, port: next_node(NETWORK, node, port))
        self._first = cache(self._first_hop)

    def states(self):
        return ((switch, None, destination) for switch, destination in pairs(NETWORK, OWN))

    def judge(self, state, answer, virtual_class):
        own, _, dst = state
        distance = self.distance(own, dst)
        hop = self._first(distance, own[-1], dst[-1])
        if hop is None:
            assert answer == ARRIVED, f"{own} to {dst}: {answer}"
            return
        found = self._links(own, answer[0])
        wanted = (*((s + d) % n for s, d, n in zip(own, hop.target, NETWORK.sizes)), hop.target[-1])
        assert answer[1:] == (0, 0), f"{own} to {dst}: {answer}"
        assert found == (wanted, hop.kind, hop.level, hop.direction), f"{own} to {dst}: {found}, golden {hop}"

    def distance(self, own, dst):
        """Supernodes between two nodes in each dimension."""
        return tuple((t - s) % n for s, t, n in zip(own, dst, NETWORK.sizes))

    def _first_hop(self, distance, source, target):
        """First hop of the golden path from supernode 0 over ``distance`` supernodes, or None if the path has no hop."""
        hops = route(NETWORK, (0,) * len(distance) + (source,), (*distance, target))
        return hops[0] if hops else None


class Shortest(Paths):
    """From the next node, the remaining path is one hop shorter, or the packet has arrived."""

    def __init__(self):
        super().__init__()
        golden = SignedShortcuts(NETWORK, digit=2)
        self._left = cache(lambda distances, own, target: golden.hops((*(0 for _ in distances), own), (*distances, target)))

    def judge(self, state, answer, virtual_class):
        own, _, dst = state
        if own == dst:
            assert answer == ARRIVED, f"{own}: {answer}"
            return
        assert answer[1:] == (0, 0), f"{own} to {dst}: {answer}"
        found = self._links(own, answer[0])
        assert found, f"{own} to {dst}: no link on port {answer[0]:b}"
        assert self.hops(found[0], dst) == self.hops(own, dst) - 1, f"{own} to {dst}: {found[0]} is not on a shortest path"

    def hops(self, own, dst):
        """Hops from node ``own`` to node ``dst``."""
        return self._left(self.distance(own, dst), own[-1], dst[-1])

    judge_other = judge


class ByRelation:
    """Port and virtual channel class are those of the relation. The class is not checked at ports with one class."""

    def __init__(self):
        self._relation = relation_of(NETWORK, routing_of_manifest(MANIFEST["parameters"]))
        self._hops = cache(self._relation.hops)

    def states(self):
        """What switches are asked on the way of any packet, whatever hops it chooses."""
        seen, pending = set(), [(source, None, destination) for source, destination in pairs(NETWORK, each=1)]
        while pending:
            switch, _, destination = state = pending.pop()
            if state in seen:
                continue
            seen.add(state)
            for port, virtual_class in self._hops(*state):
                there, entry = NETWORK.neighbour(switch, port)
                pending.append((there, Arrival(entry, virtual_class), destination))
        found = (state for state in seen if OWN in (None, state[0]))
        return sorted(found, key=lambda state: (state[0], state[1] or (), state[2]))

    def judge(self, state, answer, virtual_class, choice=0):
        choices = self._hops(*state)
        if not choices:
            assert answer == ARRIVED, f"{state}: {answer}, the packet has arrived"
            return
        port, wanted = choices[choice]
        single = self._relation.classes[NETWORK.ports[port].kind] == 1
        assert answer == (1 << port, 0, 0), f"{state}: {answer}, relation {choices}"
        assert single or virtual_class == wanted, f"{state}: {virtual_class}, relation {choices}"

    def judge_other(self, state, answer, virtual_class):
        """Another hop, or the same one where there is no other."""
        self.judge(state, answer, virtual_class, -1)


#: Channel on which a packet arrived, what its header says, and its signs as :class:`Choices` has them.
ChoiceArrival = namedtuple("ChoiceArrival", "port virtual_class header signs")


class Chosen:
    """Walks of packets over both hops of the logic, from each source with each choice of signs that it is offered.

    Each hop is one of the golden model, the class counts turns, and no packet needs more classes than there are.
    """

    def __init__(self):
        self._classes = {port["kind"]: port["classes"] for port in MANIFEST["outputs"]}
        self._has_digits = any(port["name"] == "in_state" for port in MANIFEST["ports"])
        signed = sign_widths(NETWORK) if self._has_digits else ()
        self._golden = Choices(NETWORK, max(self._classes.values()) - 1, signed)
        self._seen, self._pending = set(), []

    def states(self):
        for source, target in pairs(NETWORK, each=1):
            for signs in self._golden.offered(source, target) if self._has_digits and source != target else (None,):
                self._pending.append((source, ChoiceArrival(None, 0, self._header(source, target, signs), signs), target))
        while self._pending:
            if (state := self._pending.pop()) not in self._seen:
                self._seen.add(state)
                yield state

    def judge(self, state, answer, virtual_class):
        own, arrival, target = state
        if own == target:
            assert answer == ARRIVED, f"{state}: {answer}, the packet has arrived"
            return
        there = next(
            (end[0] for port in NETWORK.ports if 1 << port.index == answer[0] and (end := NETWORK.neighbour(own, port.index))),
            None,
        )
        wanted = self._golden.exits(own, target, arrival.signs)
        assert (there in wanted, *answer[1:]) == (True, 0, 0), f"{state}: {answer} to {there}, golden {wanted}"
        came = None if arrival.port is None else NETWORK.neighbour(own, arrival.port)[0]
        turned = came is not None and came[-1] > own[-1] and there[-1] > own[-1]
        port = answer[0].bit_length() - 1
        number, classes = arrival.virtual_class + turned, self._classes[NETWORK.ports[port].kind]
        assert number < classes, f"{state}: class {number} by port {port} of {classes} classes"
        assert classes == 1 or virtual_class == number, f"{state}: class {virtual_class}, golden {number}"
        entry, header = NETWORK.neighbour(own, port)[1], self._header(own, target, arrival.signs)
        self._pending.append((there, ChoiceArrival(entry, number, header, arrival.signs), target))

    judge_other = judge

    def judge_header(self, state, header):
        own, arrival, target = state
        wanted = self._header(own, target, arrival.signs)
        assert header == wanted, f"{state}: the header says {header:b}, golden {wanted:b}"

    def _header(self, here, target, signs):
        return self._golden.header(here, target, signs) if signs else 0


@cocotb.test()
async def every_decision(dut):
    driver = await RouteDriver.begin(dut)
    reference = {"paths": Paths, "shortest": Shortest, "relation": ByRelation, "choices": Chosen}[AGAINST]()
    await driver.ask(reference.states(), reference)


def outside():
    """Addresses that do not exist: with one field that is too large, and some others."""
    for index, field in enumerate(NETWORK.fields):
        values = range(field.size, 1 << field.width)
        for value in RANDOM.sample(values, min(len(values), 64)):
            for _ in range(8):
                address = any_switch(NETWORK)
                yield (*address[:index], value, *address[index + 1 :])
    addresses = product(*(range(1 << field.width) for field in NETWORK.fields))
    absent = [address for address in islice(addresses, 1 << 16) if not NETWORK.contains(address)]
    yield from RANDOM.sample(absent, min(len(absent), 200))


@cocotb.test()
async def destinations_outside(dut):
    """A destination that does not exist raises ``invalid`` and nothing else."""
    driver = await RouteDriver.begin(dut)
    own = OWN or any_switch(NETWORK)
    for destination in outside():
        assert await driver.decide(own, destination) == INVALID, f"{own} to {destination}"
