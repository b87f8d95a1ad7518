"""Bench of the ternary table, against longest-prefix match on strings: a lookup in every cycle, with writes in between.

Parameters: ``manifest`` (path), ``changes``: a list of ``{"writes": [[place, valid, value, length, action], ...]}``, each
of which turns one whole table into another; ``seed``, ``pace``: the share of cycles with a write.
"""

import random

import cocotb
from cocotb.triggers import Timer

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, SEED, WIDTHS
from dsnswitch.sim.bench.drivers.lockstep import reset
from dsnswitch.sim.golden.table import LongestPrefix

WIDTH = WIDTHS["key"]
ENTRIES = MANIFEST["parameters"]["entries"]
WRITE_FIELDS = ("place", "valid", "value", "length", "action")
#: Entries that fit into the field but do not exist: a write to them must change nothing.
BEYOND = range(ENTRIES, 1 << WIDTHS.get("write_place", 0))


def model(places):
    """Golden table with the entries of ``places``. Copies of an entry must have equal actions."""
    networks = {}
    for value, length, action in places.values():
        name = value >> WIDTH - length, length
        assert networks.setdefault(name, (value, length, action))[2] == action, f"two actions for {name}"
    return LongestPrefix(WIDTH, networks.values())


class Traffic:
    """Sends a key in every cycle, and checks its answer ``latency_cycles`` later.

    Unused fields of the write port are random: all of them in a cycle without a write, and value, length and action of a
    write that frees an entry.
    """

    def __init__(self, dut):
        self.dut, self.expected, self.asked = dut, [], 0
        self.latency, self.rng = MANIFEST["latency_cycles"], random.Random(2)

    async def cycle(self, key, answer, write=None):
        """One cycle: look up ``key``, whose correct answer is ``answer``, and do ``write`` if it is given."""
        dut = self.dut
        dut.key.value = key
        dut.write.value = int(write is not None)
        fields = dict(zip(WRITE_FIELDS, write or ()))
        counts = WRITE_FIELDS[: (0 if write is None else 5 if fields["valid"] else 2)]
        for name in WRITE_FIELDS:
            if f"write_{name}" in WIDTHS:
                anything = self.rng.getrandbits(WIDTHS[f"write_{name}"])
                getattr(dut, f"write_{name}").value = fields[name] if name in counts else anything
        self.expected.append((key, answer))
        dut.clk.value = 0
        await Timer(5, unit="ns")
        if len(self.expected) > self.latency:
            key, answer = self.expected.pop(0)
            found = (int(dut.action.value),) if int(dut.hit.value) else None
            assert found == answer, f"key {key:0{WIDTH}b}: {found}, model {answer}"
            assert found or not int(dut.action.value), f"key {key:0{WIDTH}b}: action without a hit"
            self.asked += 1
        dut.clk.value = 1
        await Timer(5, unit="ns")


def stray_write(rng, places, key):
    """Sometimes a write that changes no answer: to an entry that does not exist, or one that frees a free entry; else None."""
    free = set(range(ENTRIES)) - places.keys()
    kind = rng.randrange(4)
    if kind == 0 and BEYOND:
        return rng.choice(BEYOND), 1, key, rng.randint(0, WIDTH), 1
    return (rng.choice(sorted(free)), 0) if kind == 1 and free else None


@cocotb.test()
async def changes_under_traffic(dut):
    """Tables are replaced under traffic: each answer is that of the current entries, and of the old or the new table."""
    rng = random.Random(SEED)
    for name in WIDTHS.keys() - {"action", "hit", "clk", "rst"}:
        getattr(dut, name).value = 0
    await reset(dut)
    traffic, places = Traffic(dut), {}
    old = model(places)
    recent = [0]
    for change in PARAMETERS["changes"]:
        steps = [tuple(step) for step in change["writes"]]
        after = dict(places)
        for place, *entry in steps:
            after[place] = tuple(entry[1:]) if entry[0] else None
        after = {place: entry for place, entry in after.items() if entry}
        new = model(after)
        # Keys near the changed prefixes find more errors than random keys.
        near = [step[2] for step in steps] or [0]
        lookups = 0
        while steps or lookups < 40:
            write = steps.pop(0) if steps and rng.random() < PARAMETERS.get("pace", 0.7) else None
            key = rng.choice((rng.choice(near) ^ rng.getrandbits(2), rng.getrandbits(WIDTH), rng.choice(recent)))
            now = model(places).lookup(key)
            assert now in (old.lookup(key), new.lookup(key)), f"key {key:0{WIDTH}b}: {now} is neither old nor new"
            await traffic.cycle(key, now, write or stray_write(rng, places, key))
            recent = [*recent[-3:], key]
            lookups += 1
            if write:
                places.pop(write[0], None)
                if write[1]:
                    places[write[0]] = write[2:]
        old = new
    for _ in range(traffic.latency):
        await traffic.cycle(0, old.lookup(0))
    dut._log.info("%d lookups agree", traffic.asked)
    assert traffic.asked >= 40 * len(PARAMETERS["changes"])


@cocotb.test()
async def every_length_is_a_prefix(dut):
    """Bits after the length are ignored, a length beyond the key counts as the key's, and reset empties the table."""
    await reset(dut)
    traffic = Traffic(dut)
    value = (1 << WIDTH) - 1
    keys = sorted({value ^ 1 << bit for bit in range(WIDTH)} | {0, value})
    now = LongestPrefix(WIDTH)
    for key in keys:
        await traffic.cycle(key, None)
    for length in range(1 << WIDTHS["write_length"]):
        await traffic.cycle(value, now.lookup(value), (0, 1, value, length, 1))
        now = LongestPrefix(WIDTH, [(value, min(length, WIDTH), 1)])
        for key in keys:
            await traffic.cycle(key, now.lookup(key))
    # A write that frees the entry, then a cycle without a write.
    for write, after in (((0, 0, value, 0, 0), LongestPrefix(WIDTH)), (None, LongestPrefix(WIDTH))):
        await traffic.cycle(value, now.lookup(value), write)
        now = after
    for _ in range(traffic.latency + 1):
        await traffic.cycle(value, now.lookup(value))
    assert traffic.asked > 3 * len(keys)
