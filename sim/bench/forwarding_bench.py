"""Bench of forwarding, against the golden path, the golden table and the rules that select between them.

Parameters: ``manifest`` (path); ``seed``; ``tables``: ``[{"node": [..], "writes": [..]}]``, tables of these nodes with the
routes of the route logic; ``nodes`` and ``packets``: number of random tables, and of random packets for each.
"""

import random
from collections import namedtuple
from itertools import chain, product, repeat

import cocotb

from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.registry import network_of_manifest
from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, RANDOM, SEED, WIDTHS
from dsnswitch.sim.bench.drivers.lockstep import begin
from dsnswitch.sim.bench.drivers.lookups import Lookups
from dsnswitch.sim.golden.core.core import Reason, forwarding
from dsnswitch.sim.golden.routing.dsn import route
from dsnswitch.sim.golden.table import LongestPrefix, table_key
from dsnswitch.sim.golden.topology.dsn import nodes

DSN = network_of_manifest(MANIFEST)
RELATION = relation_of(DSN)
KEYS = MANIFEST["parameters"].get("keys", "absolute")
EVERYONE = list(nodes(DSN))
MEMBERS = frozenset(EVERYONE)
WIDTH = len(table_key(DSN, KEYS, EVERYONE[0], EVERYONE[0]))
FIELDS = MANIFEST["address"]["fields"]
#: Addresses that fit into the fields but belong to no node.
NOBODY = sorted(set(product(*(range(1 << field["width"]) for field in FIELDS))) - MEMBERS)
TABLES = {tuple(table["node"]): table["writes"] for table in PARAMETERS.get("tables", ())}


#: Outputs of the block, in the order of :class:`Answer`.
OUTPUTS = ("out_port", "arrived", "invalid", "no_route", "by_table")

#: A request to the switch: a destination (coordinates and id), and the two bits that ask for the table.
Packet = namedtuple("Packet", "dst mode packet_table")


class Switch(Lookups):
    """Drives the block under test, at one node at a time: a packet in every cycle, its answer ``latency_cycles`` later.

    In a cycle without a packet all inputs are random, and the answer is ignored.
    """

    def __init__(self, dut):
        super().__init__(dut, (*OUTPUTS, "out_class"))
        self.ports = WIDTHS[OUTPUTS[0]]
        #: ``out_class`` of the last answer; 0 where the block has no such output.
        self.virtual_class = 0

    @classmethod
    async def begin(cls, dut):
        """Reset, and declare a direct table loaded. Packets come from a host: ``in_*`` stay 0."""
        await begin(dut)
        if "loaded" in WIDTHS:
            dut.loaded.value = 1
        return cls(dut)

    async def send(self, packet=None, dead=None, write=None):
        """One cycle: ``packet`` enters; ``dead`` is the mask of dead ports, which applies to the answer of this cycle.

        Returns the packet that is answered and the values of :data:`OUTPUTS`; None if no packet entered ``latency_cycles`` ago.
        """
        anything = [RANDOM.getrandbits(field["width"]) for field in FIELDS], *(RANDOM.getrandbits(1) for _ in range(2))
        dst, mode, packet_table = packet or anything
        inputs = {f"dst_{field['name']}": value for field, value in zip(FIELDS, dst)}
        inputs |= {"mode": mode, "packet_table": packet_table}
        inputs["dead"] = RANDOM.getrandbits(self.ports) if dead is None else dead
        done, found = await self.cycle(packet, inputs, write) or (None, None)
        if not done:
            return None
        *outputs, self.virtual_class = found
        ports, *flags, _ = outputs
        assert ports.bit_count() + sum(flags) == 1, f"{done}: {outputs}"
        return done, tuple(outputs)

    async def answers(self, packets, dead):
        """Send ``packets``, one per cycle; yields ``(packet, outputs, mask)``.

        ``dead()`` is called in every cycle for the mask of dead ports; ``mask`` is its value in the cycle of the answer.
        """
        for packet in chain(packets, repeat(None, self.latency)):
            mask = dead()
            if answered := await self.send(packet, mask):
                yield (*answered, mask)

    async def load(self, node, writes):
        """Set the switch's address to ``node``, then load its table, when no packets are under way."""
        for field, value in zip(FIELDS, node):
            if f"own_{field['name']}" in WIDTHS:
                getattr(self.dut, f"own_{field['name']}").value = value
        for write in writes:
            assert await self.send(write=write) is None, "straps must not change while packets are under way"


def random_table(rng, keys):
    """A random table of the block ``forwarding``.

    Half of the actions are any value of the field, so that some name no port. There are also writes that do not change the
    answers: to free entries and absent words with random contents, and to entries that do not exist.

    The entries match ``keys``. Returns the writes, as :meth:`Switch.load` takes them, and value, length and action of the
    prefixes in the table after them.
    """

    def action():
        return rng.getrandbits(WIDTHS["write_action"]) if rng.random() < 0.5 else rng.randrange(len(MANIFEST["outputs"]) + 1)

    if MANIFEST["parameters"]["kind"] == "direct":
        words = [[word, int(rng.random() < 0.8), action()] for word in range(1 << WIDTH)]
        rng.shuffle(words)
        return words, [(word, WIDTH, number) for word, valid, number in words if valid]
    entries = MANIFEST["parameters"]["entries"]
    prefixes = {}
    for _ in range(rng.randrange(entries + 1) if entries > 1 else 1):
        length = rng.choice((WIDTH, rng.randint(0, WIDTH)))
        prefixes[rng.choice(keys) >> WIDTH - length << WIDTH - length, length] = action()
    networks = sorted(((*prefix, number) for prefix, number in prefixes.items()), key=lambda network: -network[1])
    places = sorted(rng.sample(range(entries), len(networks)))
    writes = [[place, 1, *network] for place, network in zip(places, networks)]
    # An entry that does not exist would match every key if it were written.
    writes += [[place, 1, 0, 0, action()] for place in range(entries, 1 << WIDTHS.get("write_place", 0))]
    writes += [[place, 0] for place in set(range(entries)) - set(places)]
    rng.shuffle(writes)
    return writes, networks


def key_of(own, dst):
    """Table key of an existing node ``dst`` at node ``own``."""
    return int(table_key(DSN, KEYS, own, dst), 2)


def output(own, hop):
    """Output port of node ``own`` for a hop of a golden path."""
    [index] = [
        link["output"]
        for link in MANIFEST["links"]
        if (link["id"], link["to_id"], link["kind"], link["level"]) == (own[-1], hop.target[-1], hop.kind, hop.level)
        and (hop.direction is None or (link["offset"] > 0) == (hop.direction == "forward"))
    ]
    return index


def expected(ports, table, own, packet, dead):
    """Golden answer of node ``own`` with the table ``table``."""
    exists = packet.dst in MEMBERS
    hops = route(DSN, own, packet.dst) if exists else ()
    hop = output(own, hops[0]) if hops else None
    entry = table.lookup(key_of(own, packet.dst)) if exists else None
    return forwarding(ports, exists, hop, entry, by_packet=bool(packet.mode or packet.packet_table), dead=dead)


def check_class(switch, own, packet):
    """Check that a packet from a host that uses the algorithm gets the relation's class. Ports with one class are skipped."""
    port, virtual_class = RELATION.hops(own, None, packet.dst)[0]
    if RELATION.classes[DSN.ports[port].kind] > 1:
        assert switch.virtual_class == virtual_class, f"{own}, {packet}: class {switch.virtual_class}"


def random_packet(rng, own, others):
    """A packet to this node, to one of ``others``, or to a destination that does not exist."""
    kind = rng.random()
    dst = rng.choice(NOBODY) if NOBODY and kind < 0.25 else own if kind < 0.35 else rng.choice(others)
    return Packet(dst, int(rng.random() < 0.25), int(rng.random() < 0.25))


def reasons(ports, action_bits):
    """All rules that can apply in this configuration."""
    possible = set(Reason)
    if not NOBODY:
        possible -= {Reason.DOES_NOT_EXIST, Reason.DOES_NOT_EXIST_BY_TABLE}
    if ports == (1 << action_bits) - 1:
        possible.remove(Reason.NO_SUCH_PORT)
    return possible


@cocotb.test()
async def random_packets(dut):
    """With random tables, and a random packet and random dead ports in every cycle, each answer equals the golden answer."""
    rng = random.Random(SEED)
    switch = await Switch.begin(dut)
    seen, asked = set(), 0
    for _ in range(PARAMETERS.get("nodes", 8)):
        own = tuple(MANIFEST["node"] or rng.choice(EVERYONE))
        # Few destinations, so that packets match entries and a destination occurs with several modes.
        others = rng.sample(EVERYONE, min(len(EVERYONE), 40))
        writes, networks = random_table(rng, [key_of(own, dst) for dst in others])
        table = LongestPrefix(WIDTH, networks)
        await switch.load(own, writes)
        packets = [random_packet(rng, own, others) for _ in range(PARAMETERS.get("packets", 150))]
        dead = lambda: rng.getrandbits(switch.ports) & rng.getrandbits(switch.ports)  # noqa: E731
        async for packet, outputs, mask in switch.answers(packets, dead):
            *answer, reason = expected(switch.ports, table, own, packet, mask)
            assert outputs == tuple(answer), f"{own}, {packet}, dead {mask:b}: {outputs}, golden {answer}, {reason.value}"
            if reason is Reason.ALGORITHM:
                check_class(switch, own, packet)
            seen.add(reason)
            asked += 1
    dut._log.info("%d answers agree", asked)
    missing = reasons(switch.ports, WIDTHS["write_action"]) - seen
    assert not missing, missing


@cocotb.test()
async def the_algorithm_as_a_table(dut):
    """A table with the routes of the route logic gives the same answers. Other destinations are ``invalid`` in every mode."""
    rng = random.Random(SEED)
    switch = await Switch.begin(dut)
    for own, writes in TABLES.items():
        await switch.load(own, writes)
        packets = [Packet(dst, *by) for dst in EVERYONE for by in ((0, 1), (1, 0))]
        packets += [Packet(dst, *by) for dst in NOBODY for by in ((0, 0), (0, 1), (1, 0), (1, 1))]
        rng.shuffle(packets)
        async for packet, outputs, _ in switch.answers(packets, lambda: 0):
            hops = route(DSN, own, packet.dst) if packet.dst in MEMBERS else ()
            by_table = packet.mode | packet.packet_table
            if packet.dst not in MEMBERS:
                answer = (0, 0, 1, 0, by_table)
            else:
                answer = (1 << output(own, hops[0]) if hops else 0, int(not hops), 0, 0, by_table)
            assert outputs == answer, f"{own}, {packet}: {outputs}, golden {answer}"
    dut._log.info("%d nodes, %d destinations that do not exist", len(TABLES), len(NOBODY))
    assert TABLES
