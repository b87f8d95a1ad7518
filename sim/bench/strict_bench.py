"""Bench of the strict link, against the golden model: words of the line, words of the MII, counters, latencies, lock.

Parameters: ``manifest`` (path), ``codewords`` (number), ``stall`` (probability), ``seed``.
"""

import random

import cocotb

from dsnswitch.sim.bench.drivers import link_line
from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, SEED, STALL, code_of
from dsnswitch.sim.bench.drivers.link_line import ShiftedLine, counted, first_word, fours, lost_frames, wrong_symbols
from dsnswitch.sim.bench.drivers.lockstep import begin, lockstep
from dsnswitch.sim.bench.drivers.traffic import traffic
from dsnswitch.sim.golden.line.strict import BLOCK, BLOCKS, WORDS, Receiver, Transmitter
from dsnswitch.sim.golden.pcs.framing import random_words
from dsnswitch.sim.golden.pcs.mii import FAULT, IDLES

CODE = code_of(MANIFEST["code"])
GIVEN = MANIFEST["parameters"]
MONITOR = {name: GIVEN[name] for name in ("window", "limit", "keep")}
#: Latency of the transmitter, and of the receiver with all straps 0 and with ``bypass_indication``.
LATENCIES = MANIFEST["latencies"]
TX_LATENCY, RX_LATENCY = LATENCIES["tx"], {False: LATENCIES["rx"], True: LATENCIES["rx, bypass_indication"]}
COUNTERS = ("codewords", "corrected", "uncorrectable", "symbol_errors")


class Crossing(link_line.Crossing):
    """One run from words to words, with ``errors`` ``{word: error}`` on the line."""

    def __init__(self, words, errors=None, detect=False, direct=False):
        errors, groups = errors or {}, fours(words)
        super().__init__(groups + [[IDLES] * 4] * (-len(groups) % BLOCKS), lambda number, word: word ^ errors.get(number, 0))
        self.detect, self.direct = detect, direct
        self.golden = Receiver(CODE, detect, direct, **MONITOR)

    async def run(self, dut, stall, each=None):
        """Send all words."""
        straps = {"rx_bypass_correction": int(self.detect), "rx_bypass_indication": int(self.direct)}
        await super().run(dut, stall, each=each, **straps)
        # The counters follow a few cycles later.
        await lockstep(dut, [self.sink], iter([False] * 8 + [True]).__next__)
        return self

    def check(self, dut):
        """Check words of the line, words of the MII, and every counter."""
        want = Transmitter(CODE).send(self.groups)
        assert self.on_line == want
        groups = [group for one in self.golden.decode(self.received) for group in self.golden.codeword(one)]
        for block, (got, expected) in enumerate(zip(self.found, groups, strict=True)):
            assert got == expected, f"block {block}: {got}, not {expected}"
        golden = {name: getattr(self.golden, name) for name in COUNTERS}
        golden |= {f"corrected_bits_{lane}": bits for lane, bits in enumerate(self.golden.corrected_bits)}
        golden |= {name: getattr(self.golden.pcs, name) for name in ("blocks", "errored_blocks")}
        assert counted(dut, golden) == golden
        assert bool(dut.rx_locked.value) == self.golden.lock.locked
        assert bool(dut.rx_hi_ser.value) == self.golden.monitor.high
        return golden

    def at_full_speed(self):
        """Check that there is a word of the line in every cycle, and the latency of every block sent and codeword received."""
        sent, out = self.line.cycles, self.sink.cycles
        assert sent == list(range(sent[0], sent[0] + len(sent)))
        late = [
            sent[WORDS * (block // BLOCKS) + first_word(block % BLOCKS, BLOCK)] - taken
            for block, taken in enumerate(self.source.cycles)
        ]
        assert set(late) == {TX_LATENCY}, late
        first = [out[BLOCKS * codeword] - sent[WORDS * codeword] for codeword in range(len(sent) // WORDS)]
        assert set(first) == {RX_LATENCY[self.direct]}, set(first)


def random_errors(rng, codewords, counts, most=7):
    """Wrong symbols of the codewords after the lock; their number per codeword is a random one of ``counts``.

    It is never greater than ``most`` in three codewords in a row, as that would lose the lock.
    """
    errors, row = {}, 0
    for codeword in range(3, codewords):
        count = rng.choice([count for count in counts if row < 2 or count <= most])
        row = row + 1 if count > most else 0
        errors |= wrong_symbols(rng, codeword, rng.sample(range(CODE.n), count))
    return errors


@cocotb.test()
async def crosses(dut):
    """Up to seven wrong symbols are corrected. With eight or more, all 20 blocks are errors, and so is the block after them."""
    rng, codewords = random.Random(SEED), PARAMETERS["codewords"]
    words = [IDLES] * 4 * BLOCKS * 3 + random_words(4 * BLOCKS * (codewords - 4), rng)
    for stall in (0, STALL):
        errors = random_errors(rng, codewords - 1, (0, 0, 1, 3, 6, 7, 7, 8, 9, 40))
        crossing = await Crossing(words, errors).run(dut, stall)
        counters = crossing.check(dut)
        assert min(counters.values()) > 0
        stall or crossing.at_full_speed()
    await link_line.clear(dut)


@cocotb.test()
async def detects_only(dut):
    """With ``bypass_correction`` nothing is corrected, and a codeword with a wrong symbol is marked."""
    rng, codewords = random.Random(SEED), 16
    errors = random_errors(rng, codewords, (0, 0, 1, 8), 0)
    crossing = await Crossing(random_words(4 * BLOCKS * codewords, rng), errors, detect=True).run(dut, 0)
    assert crossing.check(dut)["corrected"] == 0
    crossing.at_full_speed()


@cocotb.test()
async def does_not_wait_for_the_verdict(dut):
    """With ``bypass_indication`` corrected data leave at once; uncorrectable data pass until the monitor marks all blocks."""
    rng, codewords = random.Random(SEED), PARAMETERS["codewords"]
    words = random_words(4 * BLOCKS * codewords, rng)
    for stall in (0, STALL):
        crossing = await Crossing(words, random_errors(rng, codewords, (0, 2, 7)), direct=True).run(dut, stall)
        crossing.check(dut)
        assert crossing.golden.pcs.errored_blocks > 40
        stall or crossing.at_full_speed()
    # Without correction, so that the data of uncorrectable codewords are known: they are as received.
    errors = random_errors(rng, codewords, (0, 0, 1, 6), 0)
    crossing = await Crossing(words, errors, detect=True, direct=True).run(dut, STALL)
    assert crossing.check(dut)["errored_blocks"]


@cocotb.test()
async def changes_between_the_modes(dut):
    """The bypass of the store is switched on and off under traffic: no word is lost, doubled or changed."""
    rng = random.Random(SEED)
    words, _ = traffic(rng, 4 * BLOCKS * 21)
    crossing = Crossing([IDLES] * 4 * BLOCKS * 3 + words)

    def each(cycle):
        if cycle % 97 == 96:
            dut.rx_bypass_indication.value = rng.randrange(2)

    await crossing.run(dut, 0.1, each=each)
    start = next(block for block, group in enumerate(crossing.found) if group != [FAULT] * 4)
    assert start in (BLOCKS, 2 * BLOCKS)
    assert crossing.found[start:] == crossing.groups[start:]


@cocotb.test()
async def finds_codewords(dut):
    """On a line that begins a few bits early, slips find the codewords. Three undecodable codewords lose the lock."""
    rng = random.Random(SEED)
    off = PARAMETERS.get("off", 3)
    words, _ = traffic(rng, 4 * BLOCKS * (20 + 5 * off))
    sent = Transmitter(CODE).send(fours(words))
    await begin(dut)
    line = ShiftedLine(dut, sent, off, rng, GIVEN["settle"] + 1)
    source, sink = line.source, line.sink
    await lockstep(dut, [source, sink], line.ended, line.each)
    assert line.slips == off
    assert dut.rx_locked.value
    found, first = line.found()
    flat = fours(words)
    shift = next(s for s in range(len(flat)) if flat[s : s + 30] == found[first + 1 : first + 31])
    assert flat[shift : shift + len(found) - first - 1] == found[first + 1 :][: len(flat) - shift]
    assert shift % BLOCKS == 1
    before = int(dut.rx_uncorrectable.value)
    source.items.extend(rng.getrandbits(160) for _ in range(4 * WORDS))
    for lost in (1, 2, 3):
        await lockstep(dut, [source, sink], lambda lost=lost: int(dut.rx_uncorrectable.value) == before + lost)
        assert bool(dut.rx_locked.value) == (lost < 3)
    # A burst that is a little longer does not move the boundary: the next codewords make the lock again.
    source.items.extend(sent[: 8 * WORDS])
    await lockstep(dut, [source, sink], lambda: bool(dut.rx_locked.value))


@cocotb.test()
async def frames_show_what_is_lost(dut):
    """With random wrong bits, a frame that is not as sent has an error character or a wrong check sequence."""
    rng, codewords = random.Random(SEED), PARAMETERS["codewords"]
    words, frames = traffic(rng, 4 * BLOCKS * codewords, short=100)
    quiet = [IDLES] * 4 * BLOCKS * 3
    errors = {}
    for word in range(3 * WORDS, (codewords + 3) * WORDS):
        for _ in range((rng.random() < 0.1) + 30 * (rng.random() < 0.003)):
            errors[word] = errors.get(word, 0) ^ 1 << rng.randrange(160)
    crossing = await Crossing(quiet + words, errors).run(dut, STALL)
    counters = crossing.check(dut)
    lost = len(lost_frames(crossing.found, frames, len(quiet)))
    bad = counters["uncorrectable"]
    assert min(lost, counters["corrected"], bad) > 0
    dut._log.info("%d of %d frames lost with %d of %d codewords", lost, len(frames), bad, codewords)
