"""Forwarding: algorithm, table, and what chooses between them.

Parameters: ``manifest``; ``nodes``: ``[{"node": [..], "writes": [..]}]``, tables as writes of whole places, ``[place,
valid, value, length, action]`` or ``[word, valid, action]``; ``links_down``: pairs of nodes whose ports are dead; ``seed``;
``questions`` a node; ``walks`` along whole ways, which need the tables of all nodes.
"""

import random
from itertools import pairwise

import cocotb
from cocotb.triggers import Timer

from ..golden.lpm import LongestPrefix
from ..golden.routing import route
from ..golden.topology import graph, nodes
from .lockstep import reset
from .parameters import load, load_manifest
from .route_driver import network, next_node

PARAMETERS, MANIFEST = load(), load_manifest()
DSN = network(MANIFEST)
NAMES = {port["name"]: port["width"] for port in MANIFEST["ports"]}
PORTS, LATENCY = NAMES["out_port"], MANIFEST["latency_cycles"]
TERNARY = MANIFEST["parameters"]["kind"] == "ternary"
FIELDS = [field["name"] for field in MANIFEST["address"]["fields"]]
TABLES = {tuple(told["node"]): told["writes"] for told in PARAMETERS["nodes"]}
WIDTH = sum(field["width"] for field in MANIFEST["address"]["fields"])


def absolute(node):
    """The key of a node: its fields behind each other."""
    key = 0
    for field, value in zip(MANIFEST["address"]["fields"], node):
        key = key << field["width"] | value
    return key


class Switch:
    """The block under test, at one node at a time."""

    def __init__(self, dut):
        self.dut, self.at, self.model, self.filled = dut, None, None, 0

    def put(self, prefix, node):
        """Drive an address."""
        for name, value in zip(FIELDS, node):
            if f"{prefix}_{name}" in NAMES:
                getattr(self.dut, f"{prefix}_{name}").value = value

    async def clock(self):
        """One cycle; what is driven settles before the edge."""
        await Timer(5, unit="ns")
        for level in (1, 0):
            self.dut.clk.value = level
            await Timer(5, unit="ns")

    async def move(self, node):
        """Become another node, with its table."""
        if node == self.at:
            return
        self.at = node
        self.put("own", node)
        writes = TABLES[node]
        places = ("place", "valid", "value", "length", "action") if TERNARY else ("word", "valid", "action")
        free = [[place, 0, 0, 0, 0] for place in range(len(writes), self.filled)] if TERNARY else []
        self.dut.write.value = 1
        for write in writes + free:
            for name, value in zip(places, write):
                getattr(self.dut, f"write_{name}").value = value
            await self.clock()
        self.dut.write.value = 0
        self.filled = len(writes)
        if TERNARY:
            self.model = LongestPrefix(WIDTH, [(value, length, action) for _, _, value, length, action in writes])
        else:
            self.model = LongestPrefix(WIDTH, [(word, WIDTH, action) for word, valid, action in writes if valid])

    async def ask(self, dst, mode=0, packet=0, dead=0):
        """``(out_port, arrived, invalid, no_route, by_table)``."""
        dut = self.dut
        self.put("dst", dst)
        dut.mode.value, dut.packet_table.value, dut.dead.value = mode, packet, dead
        for _ in range(LATENCY):
            await self.clock()
        if not LATENCY:
            await Timer(5, unit="ns")
        found = tuple(
            int(getattr(dut, name).value) for name in ("out_port", "arrived", "invalid", "no_route", "by_table")
        )
        assert found[0].bit_count() + sum(found[1:4]) == 1, f"{self.at} to {dst}: {found}"
        return found


async def begin(dut):
    """The block after reset, with every input driven."""
    for name in NAMES.keys() - {"clk", "rst", "out_port", "arrived", "invalid", "no_route", "by_table"}:
        getattr(dut, name).value = 0
    await reset(dut)
    if "loaded" in NAMES:
        dut.loaded.value = 1
    return Switch(dut)


def port_of(node, there):
    """Mask of the ports that lead from ``node`` to ``there``."""
    bits = [link["output"] for link in MANIFEST["links"] if link["id"] == node[-1]]
    return sum(1 << bit for bit in set(bits) if next_node(MANIFEST, DSN, node, 1 << bit)[0] == there)


@cocotb.test()
async def every_choice(dut):
    """Random packets, modes and dead ports: the golden path's port, or the golden table's, or no route, and which it was."""
    rng = random.Random(PARAMETERS.get("seed", 1))
    switch = await begin(dut)
    everyone, seen = list(nodes(DSN)), set()
    for node in TABLES:
        await switch.move(node)
        for _ in range(PARAMETERS.get("questions", 100)):
            dst = rng.choice((node, *rng.sample(everyone, 5)))
            mode, packet = rng.random() < 0.2, rng.random() < 0.3
            dead = rng.getrandbits(PORTS) & rng.getrandbits(PORTS)
            hops = route(DSN, node, dst)
            algorithm = port_of(node, hops[0].target) if hops else 0
            table = switch.model.lookup(absolute(dst))
            by_table = mode or packet or bool(algorithm & dead)
            if not by_table:
                expected = (algorithm, int(not hops), 0, 0, 0)
            elif table == (PORTS,):
                expected = (0, 1, 0, 0, 1)
            elif table is None or table[0] > PORTS or 1 << table[0] & dead:
                expected = (0, 0, 0, 1, 1)
            else:
                expected = (1 << table[0], 0, 0, 0, 1)
            found = await switch.ask(dst, int(mode), int(packet), dead)
            assert found == expected, (
                f"{node} to {dst}, mode {mode}, packet {packet}, dead {dead:b}: {found}, {expected}"
            )
            seen.add((*(bool(value) for value in expected), mode, packet))
    # Every answer, and each reason to ask the table.
    wanted = PARAMETERS.get("kinds", 8)
    assert len(seen) >= wanted, seen


@cocotb.test()
async def ways_round_dead_links(dut):
    """Packets whose link is dead fall back on the tables, stay with them, and arrive; the others take the golden path."""
    if not PARAMETERS.get("walks"):
        return
    rng = random.Random(PARAMETERS.get("seed", 1))
    switch = await begin(dut)
    down = {frozenset(map(tuple, link)) for link in PARAMETERS["links_down"]}
    everyone, net, fell = list(nodes(DSN)), graph(DSN), 0
    for _ in range(PARAMETERS["walks"]):
        source, target = (rng.choice(everyone) for _ in range(2))
        if rng.random() < 0.7:
            # Where a dead link is on the way.
            source, target = rng.choice([tuple(map(tuple, link)) for link in PARAMETERS["links_down"]])
        here, packet, way = source, 0, [source]
        while True:
            await switch.move(here)
            dead = 0
            for link in down:
                if here in link:
                    dead |= port_of(here, next(end for end in link if end != here))
            port, arrived, invalid, no_route, packet = await switch.ask(target, 0, packet, dead)
            assert not invalid, f"{source} to {target} at {here}"
            assert not no_route, f"{source} to {target} at {here}"
            if arrived:
                break
            there = next_node(MANIFEST, DSN, here, port)[0]
            assert frozenset((here, there)) not in down
            assert net.has_edge(here, there)
            here = there
            way.append(here)
            assert len(way) <= len(everyone)
        assert here == target
        golden = [source, *(hop.target for hop in route(DSN, source, target))]
        meets = any(frozenset(pair) in down for pair in pairwise(golden))
        assert meets == bool(packet), f"{source} to {target}: {way}, golden {golden}"
        assert meets or way == golden
        fell += meets
    dut._log.info("%d ways, %d of them round a dead link", PARAMETERS["walks"], fell)
    assert fell
