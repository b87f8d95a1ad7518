"""Bench of the direct-indexed table: a lookup in every cycle, with writes in between.

Parameters: ``manifest`` (path); ``words``: ``{key: action}`` that an image has loaded, or absent; ``seed``.
"""

import random

import cocotb

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, SEED, WIDTHS
from dsnswitch.sim.bench.drivers.lockstep import reset, tick

WORDS, ACTION = MANIFEST["parameters"]["words"], WIDTHS["action"]


IDLE = random.Random(2)


async def cycle(dut, key, loaded=1, write=None):
    """One cycle with a lookup and, if given, a write; returns ``(action,)`` or None. Without a write its fields are random."""
    dut.key.value, dut.loaded.value, dut.write.value = key, loaded, int(write is not None)
    fields = ("word", "valid", "action")
    for name, number in zip(fields, write or (IDLE.getrandbits(WIDTHS[f"write_{field}"]) for field in fields)):
        getattr(dut, f"write_{name}").value = number
    await tick(dut)
    found = (int(dut.action.value),) if int(dut.hit.value) else None
    assert found or not int(dut.action.value), f"key {key}: an action without a hit"
    return found


@cocotb.test()
async def every_word(dut):
    """Each key has the word of the image or of the last write. Keys without a word miss, and so do keys beyond the memory."""
    rng = random.Random(SEED)
    for name in ("key", "loaded", "write", "write_word", "write_valid", "write_action"):
        getattr(dut, name).value = 0
    await reset(dut)
    model = {}
    if "words" in PARAMETERS:
        model = {int(key): action for key, action in PARAMETERS["words"].items()}
    else:
        for key in range(WORDS):
            if rng.random() < 0.8:
                model[key] = rng.getrandbits(ACTION)
            assert await cycle(dut, rng.randrange(WORDS), 0, (key, int(key in model), model.get(key, 0))) is None
    asked = 0
    for key in range(1 << WIDTHS["key"]):
        assert await cycle(dut, key) == ((model[key],) if key in model else None), f"key {key}"
        asked += 1
    for _ in range(2000):
        # The written word is often the one that is looked up: this lookup returns the old word, the next one the new word.
        key = rng.randrange(1 << WIDTHS["key"])
        word = rng.choice((key, rng.randrange(1 << WIDTHS["key"])))
        write = (word, rng.getrandbits(1), rng.getrandbits(ACTION)) if rng.random() < 0.5 else None
        expected = (model[key],) if key in model else None
        assert await cycle(dut, key, 1, write) == expected, f"key {key}, write {write}"
        if write and word < WORDS:
            model.pop(word, None)
            if write[1]:
                model[word] = write[2]
        asked += 1
        if rng.random() < 0.05:
            assert await cycle(dut, key, 0) is None
    dut._log.info("%d lookups agree", asked)
    assert asked > 2000
