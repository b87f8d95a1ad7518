"""Driver of the block ``forwarding``: one packet in every cycle, its answer ``latency_cycles`` later."""

import random
from collections import deque, namedtuple
from itertools import chain, repeat

from cocotb.triggers import Timer

from dsnswitch.sim.bench.drivers.lockstep import reset

#: Outputs of the block, in the order in which the driver returns them.
OUTPUTS = ("out_port", "arrived", "invalid", "no_route", "by_table")

#: A request to the switch: a destination (coordinates and id), and the two bits that ask for the table.
Packet = namedtuple("Packet", "dst mode packet_table")


class ForwardingDriver:
    """Drives the block under test, at one node at a time.

    In a cycle without a packet all inputs are random, and the answer is ignored.
    """

    def __init__(self, dut, manifest, seed=1):
        self.dut, self.rng = dut, random.Random(seed)
        self.latency = manifest["latency_cycles"]
        self.widths = {port["name"]: port["width"] for port in manifest["ports"]}
        self.ports = self.widths[OUTPUTS[0]]
        self._fields = [(field["name"], field["width"]) for field in manifest["address"]["fields"]]
        #: ``out_class`` of the last answer; 0 where the block has no such output.
        self.virtual_class = 0
        self.ternary = manifest["parameters"]["kind"] == "ternary"
        self._under_way = deque()

    async def start(self):
        """Reset with every input driven, and declare a direct table loaded. Packets come from a host: ``in_*`` stay 0."""
        for name in self.widths.keys() - {"clk", "rst", *OUTPUTS, "out_class"}:
            getattr(self.dut, name).value = 0
        await reset(self.dut)
        if "loaded" in self.widths:
            self.dut.loaded.value = 1

    def _address(self, prefix, node):
        for (name, _), value in zip(self._fields, node):
            if f"{prefix}_{name}" in self.widths:
                getattr(self.dut, f"{prefix}_{name}").value = value

    def _random_packet(self):
        dst = tuple(self.rng.getrandbits(width) for _, width in self._fields)
        return Packet(dst, self.rng.getrandbits(1), self.rng.getrandbits(1))

    async def cycle(self, packet=None, dead=None):
        """One cycle: ``packet`` enters; ``dead`` is the mask of dead ports, which applies to the answer of this cycle.

        Returns
        -------
        (Packet, tuple) or None
            The packet that is answered and the values of :data:`OUTPUTS`; None if no packet entered ``latency_cycles`` ago.
        """
        dut = self.dut
        dst, mode, packet_table = packet or self._random_packet()
        self._address("dst", dst)
        dut.mode.value, dut.packet_table.value = mode, packet_table
        dut.dead.value = self.rng.getrandbits(self.ports) if dead is None else dead
        self._under_way.append(packet)
        dut.clk.value = 0
        await Timer(5, unit="ns")
        answered = None
        if len(self._under_way) > self.latency and (done := self._under_way.popleft()):
            answered = done, tuple(int(getattr(dut, name).value) for name in OUTPUTS)
            if "out_class" in self.widths:
                self.virtual_class = int(dut.out_class.value)
            ports, *flags = answered[1][:4]
            assert ports.bit_count() + sum(flags) == 1, f"{done}: {answered[1]}"
        dut.clk.value = 1
        await Timer(5, unit="ns")
        return answered

    async def answers(self, packets, dead):
        """Send ``packets``, one per cycle; yields ``(packet, outputs, mask)``.

        ``dead()`` is called in every cycle for the mask of dead ports; ``mask`` is its value in the cycle of the answer.
        """
        for packet in chain(packets, repeat(None, self.latency)):
            mask = dead()
            answered = await self.cycle(packet, mask)
            if answered:
                yield (*answered, mask)

    async def load(self, node, writes):
        """Set the switch's address to ``node``, then load its table.

        Parameters
        ----------
        node : tuple of int
            Address of the switch.
        writes : list of list
            ``[place, valid, value, length, action]`` for a ternary table, ``[word, valid, action]`` for a direct table.
        """
        assert not any(self._under_way), "straps must not change while packets are under way"
        self._address("own", node)
        names = ("place", "valid", "value", "length", "action") if self.ternary else ("word", "valid", "action")
        self.dut.write.value = 1
        for write in writes:
            for name, value in zip(names, write, strict=True):
                if f"write_{name}" in self.widths:
                    getattr(self.dut, f"write_{name}").value = value
            await self.cycle()
        self.dut.write.value = 0

    async def ask(self, packet, dead):
        """Send one packet, then random packets until its answer, and return the answer."""
        answered = await self.cycle(packet, None if self.latency else dead)
        for left in reversed(range(self.latency)):
            answered = await self.cycle(None, None if left else dead)
        return answered[1]


def random_table(rng, manifest, width, keys):
    """A random table of the block ``forwarding``.

    Half of the actions are any value of the field, so that some name no port. There are also writes that do not change the
    answers: to free entries and absent words with random contents, and to entries that do not exist.

    Parameters
    ----------
    width : int
        Bits of a key.
    keys : list of int
        Keys of the packets that will be sent, which the entries match.

    Returns
    -------
    list of list
        Writes, as :meth:`load` takes them.
    list of (int, int, int)
        Value, length and action of the prefixes in the table after the writes.
    """
    widths = {port["name"]: port["width"] for port in manifest["ports"]}

    def action():
        bits = widths["write_action"]
        return rng.getrandbits(bits) if rng.random() < 0.5 else rng.randrange(len(manifest["outputs"]) + 1)

    if manifest["parameters"]["kind"] == "direct":
        words = [[word, int(rng.random() < 0.8), action()] for word in range(1 << width)]
        rng.shuffle(words)
        return words, [(word, width, number) for word, valid, number in words if valid]
    entries = manifest["parameters"]["entries"]
    prefixes = {}
    for _ in range(rng.randrange(entries + 1) if entries > 1 else 1):
        length = rng.choice((width, rng.randint(0, width)))
        prefixes[rng.choice(keys) >> width - length << width - length, length] = action()
    networks = sorted(((*prefix, number) for prefix, number in prefixes.items()), key=lambda network: -network[1])
    places = sorted(rng.sample(range(entries), len(networks)))
    writes = [[place, 1, *network] for place, network in zip(places, networks)]
    # An entry that does not exist would match every key if it were written.
    beyond = range(entries, 1 << widths.get("write_place", 0))
    writes += [[place, 1, 0, 0, action()] for place in beyond]
    writes += [
        [place, 0, rng.getrandbits(width), rng.randint(0, width), action()]
        for place in set(range(entries)) - set(places)
    ]
    rng.shuffle(writes)
    return writes, networks
