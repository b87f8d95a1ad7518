"""Bench of the light link, against the golden models of its parts: PCS in plain integers, SECDED in matrices.

Parameters: ``manifest`` (path), ``words`` (number), ``stall`` (probability), ``wrong`` (probability of wrong bits in a
codeword), ``enable`` (0 or 1), ``seed``.
"""

import cocotb

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, RANDOM, STALL, code_of
from dsnswitch.sim.bench.drivers.link_line import mii
from dsnswitch.sim.bench.drivers.lockstep import exchange, reset
from dsnswitch.sim.golden.fec import secded
from dsnswitch.sim.golden.pcs import pcs260
from dsnswitch.sim.golden.pcs.framing import random_words
from dsnswitch.sim.golden.pcs.mii import IDLES

BLOCK, FORMAT = MANIFEST["block"], MANIFEST["parameters"]["format"]
CODE, ENABLE = code_of(MANIFEST["code"]), PARAMETERS["enable"]
#: Blocks of idles before the traffic, a few more than the lock needs.
LOCKING = 68
WORDS = [IDLES] * 4 * LOCKING + random_words(PARAMETERS["words"], RANDOM)
GROUPS = [WORDS[start : start + 4] for start in range(0, len(WORDS) - 3, 4)]
LATENCY = MANIFEST["latency_cycles"]


def codewords():
    """Codewords of the golden transmitter for GROUPS."""
    sender = pcs260.Transmitter(FORMAT)
    blocks = [sender.step(group) for group in GROUPS]
    return secded.numbers(secded.encode(CODE, secded.words(blocks, CODE.k))) if ENABLE else blocks


def received():
    """The codewords with up to three wrong bits each, from the first block after the lock."""
    words = codewords()
    for index in range(LOCKING, len(words)):
        if RANDOM.random() < PARAMETERS["wrong"]:
            for bit in RANDOM.sample(range(CODE.n), RANDOM.choice((1, 1, 1, 2, 3))):
                words[index] ^= 1 << bit
    return words


def at_full_speed(transfers):
    """Whether there is a transfer in every cycle after the latency; True with stalls."""
    return STALL or [at for _, at in transfers] == list(range(LATENCY, LATENCY + len(transfers)))


@cocotb.test(skip=BLOCK != "light-link-tx")
async def sends(dut):
    await reset(dut)
    dut.enable.value = ENABLE
    want = codewords()
    found = await exchange(dut, [mii(group) for group in GROUPS], len(want), stall=STALL)
    assert [payload for payload, _ in found] == want
    assert at_full_speed(found)


@cocotb.test(skip=BLOCK != "light-link-rx")
async def receives(dut):
    """Words and every counter are those of the golden model."""
    await reset(dut)
    dut.enable.value = ENABLE
    words, golden = received(), pcs260.Receiver(FORMAT)
    data, corrected, uncorrectable, _ = secded.decode(CODE, secded.words(words, CODE.n))
    if not ENABLE:
        data, corrected, uncorrectable = secded.words(words, CODE.n)[:, : CODE.k], corrected & False, corrected & False
    want = [mii(golden.step(block, bool(bad))) for block, bad in zip(secded.numbers(data), uncorrectable)]
    found = await exchange(dut, words, len(want), stall=STALL)
    assert [payload for payload, _ in found] == want
    assert at_full_speed(found)
    for name in ("blocks", "header_errors", "corrected_blocks", "errored_blocks"):
        assert int(getattr(dut, name).value) == getattr(golden, name), name
    assert int(dut.corrected.value) == corrected[LOCKING:].sum()
    assert int(dut.uncorrectable.value) == uncorrectable[LOCKING:].sum()
    assert (int(dut.corrected.value) > 0) == bool(ENABLE)
    assert golden.errored_blocks > 0


@cocotb.test(skip=BLOCK != "light-link-rx")
async def enable_may_change_at_any_block(dut):
    """With a wrong bit in every block for which ``enable`` is 1, all words arrive as sent and are counted as corrected."""
    await reset(dut)
    words, golden, found = codewords(), pcs260.Receiver(FORMAT), []
    want = [mii(golden.step(word & (1 << CODE.k) - 1)) for word in words]
    enabled = [RANDOM.randrange(2) for _ in words]
    for word, on in zip(words, enabled):
        dut.enable.value = on
        found += await exchange(dut, [word ^ on << RANDOM.randrange(CODE.n)], 0)
    found += await exchange(dut, [], len(want) - len(found))
    assert [payload for payload, _ in found] == want
    # The receiver is locked when the 65th codeword has passed the decoder.
    assert int(dut.corrected.value) == sum(enabled[65:])
    assert int(dut.uncorrectable.value) == 0
