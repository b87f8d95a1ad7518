"""Bench of a table, ternary or direct: a lookup in every cycle, with writes in between.

Parameters: ``manifest`` (path); ``seed``. Of a ternary table ``changes``: a list of ``{"writes": [[place, valid, value, length,
action], ...]}``, each of which turns one whole table into another, and ``pace``: the share of cycles with a write. Of a direct
table ``words``: ``{key: action}`` that an image has loaded, or absent.
"""

import random

import cocotb

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, SEED, WIDTHS
from dsnswitch.sim.bench.drivers.lockstep import begin
from dsnswitch.sim.bench.drivers.lookups import Lookups
from dsnswitch.sim.golden.table import LongestPrefix

TERNARY = MANIFEST["block"] == "table-ternary"
WIDTH, ACTION = WIDTHS["key"], WIDTHS["action"]
#: Entries or words, and entries that fit into the field but do not exist: a write to them must change nothing.
SIZE = MANIFEST["parameters"]["entries" if TERNARY else "words"]
BEYOND = range(SIZE, 1 << WIDTHS.get("write_place", 0))


async def start(dut):
    await begin(dut)
    return Lookups(dut, ("hit", "action"))


async def ask(lookups, key, answer, write=None, loaded=1):
    """One cycle: look up ``key``, whose correct answer is ``(action,)`` or None, and do ``write`` if it is given."""
    done = await lookups.cycle((key, answer), {"key": key, "loaded": loaded}, write)
    if done:
        (key, answer), (hit, action) = done
        found = (action,) if hit else None
        assert found == answer, f"key {key:0{WIDTH}b}: {found}, model {answer}"
        assert found or not action, f"key {key:0{WIDTH}b}: action without a hit"


def model(places):
    """Golden table with the entries of ``places``. Copies of an entry must have equal actions."""
    networks = {}
    for value, length, action in places.values():
        name = value >> WIDTH - length, length
        assert networks.setdefault(name, (value, length, action))[2] == action, f"two actions for {name}"
    return LongestPrefix(WIDTH, networks.values())


def stray_write(rng, places, key):
    """Sometimes a write that changes no answer: to an entry that does not exist, or one that frees a free entry; else None."""
    free = set(range(SIZE)) - places.keys()
    kind = rng.randrange(4)
    if kind == 0 and BEYOND:
        return rng.choice(BEYOND), 1, key, rng.randint(0, WIDTH), 1
    return (rng.choice(sorted(free)), 0) if kind == 1 and free else None


@cocotb.test(skip=not TERNARY)
async def changes_under_traffic(dut):
    """Tables are replaced under traffic: each answer is that of the current entries, and of the old or the new table."""
    rng, lookups, places = random.Random(SEED), await start(dut), {}
    old = model(places)
    recent = [0]
    for change in PARAMETERS["changes"]:
        steps = [tuple(step) for step in change["writes"]]
        after = dict(places)
        for place, *entry in steps:
            after[place] = tuple(entry[1:]) if entry[0] else None
        new = model({place: entry for place, entry in after.items() if entry})
        # Keys near the changed prefixes find more errors than random keys.
        near = [step[2] for step in steps] or [0]
        asked = 0
        while steps or asked < 40:
            write = steps.pop(0) if steps and rng.random() < PARAMETERS.get("pace", 0.7) else None
            key = rng.choice((rng.choice(near) ^ rng.getrandbits(2), rng.getrandbits(WIDTH), rng.choice(recent)))
            now = model(places).lookup(key)
            assert now in (old.lookup(key), new.lookup(key)), f"key {key:0{WIDTH}b}: {now} is neither old nor new"
            await ask(lookups, key, now, write or stray_write(rng, places, key))
            recent = [*recent[-3:], key]
            asked += 1
            if write:
                places.pop(write[0], None)
                if write[1]:
                    places[write[0]] = write[2:]
        old = new
    for _ in range(lookups.latency):
        await ask(lookups, 0, old.lookup(0))
    dut._log.info("%d lookups agree", lookups.answered)
    assert lookups.answered >= 40 * len(PARAMETERS["changes"])


@cocotb.test(skip=not TERNARY)
async def every_length_is_a_prefix(dut):
    """Bits after the length are ignored, a length beyond the key counts as the key's, and reset empties the table."""
    lookups, value = await start(dut), (1 << WIDTH) - 1
    keys = sorted({value ^ 1 << bit for bit in range(WIDTH)} | {0, value})
    now = LongestPrefix(WIDTH)
    for key in keys:
        await ask(lookups, key, None)
    for length in range(1 << WIDTHS["write_length"]):
        await ask(lookups, value, now.lookup(value), (0, 1, value, length, 1))
        now = LongestPrefix(WIDTH, [(value, min(length, WIDTH), 1)])
        for key in keys:
            await ask(lookups, key, now.lookup(key))
    await ask(lookups, value, now.lookup(value), (0, 0))
    for _ in range(lookups.latency + 2):
        await ask(lookups, value, None)
    assert lookups.answered > 3 * len(keys)


@cocotb.test(skip=TERNARY)
async def every_word(dut):
    """Each key has the word of the image or of the last write. Keys without a word miss, and so do keys beyond the memory."""
    rng, lookups, words = random.Random(SEED), await start(dut), {}
    for key in range(0 if "words" in PARAMETERS else SIZE):
        if rng.random() < 0.8:
            words[key] = (rng.getrandbits(ACTION),)
        write = key, int(key in words), *words.get(key, (0,))
        await ask(lookups, rng.randrange(SIZE), None, write, loaded=0)
    words |= {int(key): (action,) for key, action in PARAMETERS.get("words", {}).items()}
    for key in range(1 << WIDTH):
        await ask(lookups, key, words.get(key))
    for _ in range(2000):
        # The written word is often the one that is looked up: this lookup returns the old word, the next one the new word.
        key = rng.randrange(1 << WIDTH)
        word = rng.choice((key, rng.randrange(1 << WIDTH)))
        write = (word, rng.getrandbits(1), rng.getrandbits(ACTION)) if rng.random() < 0.5 else None
        await ask(lookups, key, words.get(key), write)
        if write and word < SIZE:
            words.pop(word, None)
            if write[1]:
                words[word] = write[2:]
        if rng.random() < 0.05:
            await ask(lookups, key, None, loaded=0)
    dut._log.info("%d lookups agree", lookups.answered)
    assert lookups.answered > 2000
