"""Bench of the light link with Ethernet frames, and wrong bits between transmitter and receiver.

Parameters: ``manifest`` (path), ``clean`` (number of blocks without errors), ``blocks`` (a list of bit error rate, number
of blocks, and share of codewords that the code misses at this rate), ``seed``.
"""

import random
from itertools import pairwise

import cocotb

from dsnswitch.sim.bench.drivers import link_line
from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, SEED, code_of
from dsnswitch.sim.bench.drivers.link_line import counted, fours, lost_frames
from dsnswitch.sim.bench.drivers.port_wires import most, random_errors, verdicts
from dsnswitch.sim.bench.drivers.traffic import traffic
from dsnswitch.sim.golden.pcs import pcs66
from dsnswitch.sim.golden.pcs.mii import ERRORS, FAULT, IDLES, kind, type_of

CODE = code_of(MANIFEST["code"])
COUNTERS = ("corrected", "uncorrectable", "blocks", "header_errors", "corrected_blocks", "errored_blocks")
#: Blocks until the lock, which the receiver replaces by local faults; idle blocks without errors before the traffic.
UNLOCKED, QUIET = 64, 72


class Crossing(link_line.Crossing):
    """One run from words to words: the blocks sent, the errors on the line, and the blocks received."""

    def __init__(self, words, errors=None, enable=True):
        self.errors, self.enable = errors or {}, enable
        self.verdicts = verdicts(CODE, self.errors, enable)
        groups = fours([IDLES] * 4 * QUIET + words + [IDLES] * 8)
        super().__init__(groups, lambda number, word: word ^ self.errors.get(number, 0))

    async def run(self, dut, stall, watch=None):
        """Send all blocks. ``watch(blocks)`` is called in every cycle with the number that the receiver has got."""
        each = watch and (lambda cycle: watch(len(self.line.source.cycles)))
        await super().run(dut, stall, each=each, tx_enable=1, rx_enable=int(self.enable))
        self.counters = counted(dut, COUNTERS)
        assert self.found[:UNLOCKED] == [[FAULT] * 4] * UNLOCKED
        return self

    def clean(self):
        """Check that every word is as sent, and that only the counter of all blocks is not 0."""
        assert self.found[UNLOCKED:] == self.groups[UNLOCKED:]
        assert self.counters == dict.fromkeys(COUNTERS, 0) | {"blocks": len(self.groups) - UNLOCKED}

    def judge(self):
        """Check every block and every counter against the errors; returns the number of wrong blocks without a flag.

        An uncorrectable codeword turns its block and the next one into errors. A missed one may deliver a wrong block, and
        so may the next one, which the descrambler sums with it. In the block after that, words may become errors because
        they seem not to be allowed after the words before. All other blocks must be as sent.
        """
        unflagged = errored = 0
        untouched = verdicts(CODE, {0: 0}, False)[0]
        at = [self.verdicts.get(block, untouched) for block in range(len(self.groups))]
        touched = [v.uncorrectable or bool(v.left) for v in at]
        for block in range(UNLOCKED, len(self.groups)):
            sent, got = self.groups[block], self.found[block]
            if at[block].uncorrectable or at[block - 1].uncorrectable:
                assert got == [ERRORS] * 4, f"block {block} at or after an uncorrectable codeword: {got}"
            if got == sent:
                continue
            flagged = ERRORS in got
            errored += flagged
            unflagged += not flagged
            if not (touched[block] or touched[block - 1]):
                assert touched[block - 2], f"block {block} is wrong and no error is near: {got}, not {sent}"
                for one, other in zip(got, sent):
                    assert one in (other, ERRORS), f"block {block}: {got}, not {sent}"
        assert self.counters["blocks"] == len(self.groups) - UNLOCKED
        assert self.counters["corrected"] == sum(v.corrected for v in at)
        assert self.counters["uncorrectable"] == sum(v.uncorrectable for v in at)
        assert self.counters["header_errors"] == sum(v.left & 0xF not in (0, 0xF) for v in at)
        assert self.counters["errored_blocks"] == errored
        assert self.counters["corrected_blocks"] <= sum(a or b for a, b in zip(touched, [False, *touched]))
        return unflagged

    def frames(self, sent):
        """Check that good frames are sent frames, in the words in which they were sent. Returns the number of lost frames.

        A lost frame must have an error in its blocks or in the two blocks before.
        """
        bad = [block for block, v in self.verdicts.items() if v.left or v.uncorrectable]
        lost = lost_frames(self.found, sent, 4 * QUIET)
        for one in lost:
            first, last = one.first + 4 * QUIET, one.last + 4 * QUIET
            assert any(first // 4 - 2 <= block <= last // 4 for block in bad), f"frame at word {first} lost without an error"
        return len(lost)


@cocotb.test()
async def clean(dut):
    """Without errors all words arrive, one block per cycle after both latencies; with stalls they arrive too."""
    words, frames = traffic(random.Random(SEED), 4 * PARAMETERS["clean"], short=400)
    ends = {(one.last % 4, (len(one.frame) + 4 * lane(words, one)) % 8) for one in frames}
    starts = {(one.first % 4, lane(words, one)) for one in frames}
    close = {one.last % 4 for one, other in pairwise(frames) if other.first == one.last + 1}
    # Every index and lane of a start and of a terminate, and at every index a start directly after a terminate.
    assert (len(starts), len(ends), len(close)) == (8, 32, 4), "more traffic is needed"
    for stall in (0, 0.4):
        crossing = await Crossing(words).run(dut, stall)
        crossing.clean()
        assert crossing.frames(frames) == 0
        if not stall:
            late = {out - into for into, out in zip(crossing.source.cycles, crossing.sink.cycles)}
            assert late == {2 * MANIFEST["latency_cycles"]} == {4}
            assert crossing.cycles == len(crossing.groups) + 4
    dut._log.info("clean: %d blocks twice, %d frames", len(crossing.groups), len(frames))


def lane(words, one):
    """Whether a frame starts in lane 4."""
    return int(words[one.first][1] != 1)


@cocotb.test()
async def random_bit_errors(dut):
    """At each bit error rate blocks, counters and frames are right, and no more blocks are wrong without a flag than expected."""
    for ber, blocks, share in PARAMETERS["blocks"]:
        words, frames = traffic(random.Random(SEED), 4 * blocks, short=200)
        count = len(words) // 4
        errors = {QUIET + block: error for block, error in random_errors(SEED, count, CODE.n, ber).items()}
        crossing = await Crossing(words, errors).run(dut, 0.3)
        unflagged, missed = crossing.judge(), sum(v.missed for v in crossing.verdicts.values())
        bits, mean = sum(error.bit_count() for error in errors.values()), count * CODE.n * ber
        assert mean - 4 * mean**0.5 <= bits <= most(mean), f"the line has {bits} wrong bits, expected {mean:.3g}"
        expected = count * share
        lost = crossing.frames(frames)
        dut._log.info(
            "BER %g: %d blocks, %d corrected, %d uncorrectable; codewords missed %d, analytic %.3g, at most %d; "
            "blocks wrong unflagged %d, at most %d; frames lost %d of %d",
            *(ber, count, crossing.counters["corrected"], crossing.counters["uncorrectable"], missed, expected),
            *(most(expected), unflagged, 2 * most(expected), lost, len(frames)),
        )
        # A missed codeword makes at most two blocks wrong: the descrambler carries 58 bits into the next one.
        assert missed <= most(expected)
        assert unflagged <= 2 * most(expected)
        if expected >= 10:
            assert unflagged, "the code misses some errors, but the bench found no wrong block"


@cocotb.test()
async def one_and_two(dut):
    """A wrong bit, at each position once, is counted as corrected in the right cycle; two wrong bits as uncorrectable."""
    rng = random.Random(SEED)
    words, frames = traffic(rng, 4 * 900)
    count = len(words) // 4
    wrong = [1 << bit for bit in range(CODE.n)] + [sum(1 << bit for bit in rng.sample(range(CODE.n), 2)) for _ in range(200)]
    errors = dict(zip(rng.sample(range(QUIET, QUIET + count), len(wrong)), wrong))
    crossing, steps = Crossing(words, errors), [(0, 0)]
    for block in range(len(crossing.groups)):
        ones = errors.get(block, 0).bit_count()
        steps.append((steps[-1][0] + (ones == 1), steps[-1][1] + (ones == 2)))

    def watch(received):
        assert (int(dut.rx_corrected.value), int(dut.rx_uncorrectable.value)) == steps[received]

    await crossing.run(dut, 0.3, watch)
    assert crossing.judge() == 0
    crossing.frames(frames)


@cocotb.test()
async def without_correction(dut):
    """With ``rx_enable`` 0 nothing is corrected, and errors appear in the words and in the counters of the PCS."""
    words, frames = traffic(random.Random(SEED + 1), 4 * PARAMETERS["clean"])
    crossing = await Crossing(words, enable=False).run(dut, 0.3)
    crossing.clean()
    for ber in (1e-3, 1e-4):
        errors = random_errors(SEED, len(words) // 4, CODE.n, ber)
        crossing = await Crossing(words, {QUIET + block: error for block, error in errors.items()}, enable=False).run(dut, 0.3)
        unflagged, counters = crossing.judge(), crossing.counters
        assert (counters["corrected"], counters["uncorrectable"]) == (0, 0)
        assert unflagged
        assert min(counters["header_errors"], counters["errored_blocks"], counters["corrected_blocks"]) > 0 or ber < 1e-3
        lost = crossing.frames(frames)
        dut._log.info("BER %g, no correction: %d wrong unflagged, %s, frames lost %d", ber, unflagged, counters, lost)
        assert lost


@cocotb.test()
async def any_order(dut):
    """With words in any order, a word that may not follow the word before it arrives as an error, all others as sent."""
    rng = random.Random(SEED)
    some, _ = traffic(rng, 400)
    words = [rng.choice(some) if rng.random() < 0.5 else (rng.getrandbits(64), 0) for _ in range(2000)]
    crossing = await Crossing(words + [IDLES] * 2).run(dut, 0)
    asked = [IDLES] * 4 * QUIET + words
    states = pcs66.sequence([kind(type_of(word)) for word in asked])
    wanted = fours([ERRORS if state == "E" else word for word, state in zip(asked, states)])
    assert crossing.found[UNLOCKED : len(wanted)] == wanted[UNLOCKED:]
    assert ERRORS in [word for block in wanted for word in block]
