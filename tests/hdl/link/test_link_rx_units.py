"""Lock, monitor and marks of the strict receiver, and the lock of the light format, on Amaranth's simulator."""

import random
from types import SimpleNamespace

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.gen.blocks.secded import code_entry
from dsnswitch.hdl.fec.reed_solomon.decoder import counters, decoded_layout
from dsnswitch.hdl.line import light
from dsnswitch.hdl.line import strict as strict_fec
from dsnswitch.hdl.line.light import LightDecode
from dsnswitch.hdl.line.rates import BEATS, BLOCKS, CODE, CODEWORDS, STRICT_COUNTERS, WORDS
from dsnswitch.hdl.line.selected import SelectedDecode
from dsnswitch.hdl.line.strict import StrictDecode
from dsnswitch.hdl.link.light import LightLinkRx
from dsnswitch.hdl.stream.stage import stage
from dsnswitch.sim.golden.line.gearbox import regroup
from dsnswitch.sim.golden.line.selected import Receiver, Transmitter
from dsnswitch.sim.golden.line.strict import Lock, Monitor
from dsnswitch.sim.golden.pcs.mii import IDLES

#: Bits of the last word of a codeword from which :class:`VerdictDecoder` reads its verdict.
ERRORS_AT, UNCORRECTABLE_AT = 150, 153


class VerdictDecoder(wiring.Component):
    """A decoder of one cycle that changes nothing. The last word of a codeword contains the verdict instead of parity.

    Its counters are bits of the word that arrives, each from another place, and the inputs besides it.
    """

    latency = 1

    def __init__(self, code, width, unroll, lanes, counter_width, counted):
        super().__init__(
            {
                "i": In(stream.Signature(BEATS.bits)),
                "o": Out(stream.Signature(decoded_layout(BEATS))),
                "bypass_correction": In(1),
                "clear": In(1),
                **{name: Out(counter_width) for name in counters(lanes)},
            }
        )

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(BEATS.count))
        word, sent = self.i.payload, self.o.payload
        last = Signal()
        m.d.comb += last.eq(place == BEATS.count - 1)
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += [place.eq(place + 1), sent.symbols.eq(word), sent.last.eq(last)]
            m.d.sync += [sent.errors.eq(0), sent.uncorrectable.eq(0)]
            with m.If(last):
                m.d.sync += [place.eq(0), sent.errors.eq(word[ERRORS_AT:]), sent.uncorrectable.eq(word[UNCORRECTABLE_AT])]
        for number, name in enumerate(STRICT_COUNTERS):
            shown = getattr(self, name)
            beside = Cat(self.clear, self.bypass_correction)
            m.d.comb += shown.eq(word.rotate_right(18 * number)[: len(shown)] ^ beside)
        return m


@pytest.fixture(autouse=True)
def verdict_decoder(monkeypatch):
    monkeypatch.setattr(strict_fec, "RsDecoder", VerdictDecoder)


#: Wrong symbols of codewords; 8 means uncorrectable. In order: seven before the lock, which must not count; a window with 13,
#: which is below the limit, and one with 14; an uncorrectable codeword; then three in a row, at which the lock is lost.
VERDICTS = (7, 7, 1, 6, 0, 6, 0, 7, 7, 0, 0, 8, 0, 1, 0, 8, 0, 0, 0, 0, 0, 8, 8, 8)
MONITOR = {"window": 4, "limit": 13, "keep": 2}


def test_way_changes_between_codewords(simulate):
    """``bypass_indication`` changes at any time, on a line with gaps. While it stays 0, every second codeword is marked."""
    decode, rng = StrictDecode(**MONITOR), random.Random(3)
    blocks, words = [], []
    for codeword in range(32):
        blocks += (mine := [rng.getrandbits(257) for _ in range(20)])
        words += regroup(mine, 257, 160, 5140)
        words[-1] = words[-1] & (1 << ERRORS_AT) - 1 | codeword % 2 << UNCORRECTABLE_AT

    async def bench(ctx):
        found, marks, place = [], [], 0
        for _ in range(2400):
            # It becomes 1 in the third of eight codewords, and 0 in the fifth, when the line slows down.
            word = place % (8 * 33)
            if (rng.random() < 0.05 and word < 70) or word in (70, 150):
                ctx.set(decode.bypass_indication, word == 70 or (word < 70 and rng.getrandbits(1)))
            offered = place < len(words) and rng.random() < (0.8 if word < 150 else 0.5)
            ctx.set(decode.i.valid, offered)
            ctx.set(decode.i.payload, words[min(place, len(words) - 1)])
            ctx.set(decode.o.ready, rng.random() < 0.8)
            if ctx.get(decode.o.valid) and ctx.get(decode.o.ready):
                found.append(ctx.get(decode.o.payload.block))
                marks.append(ctx.get(decode.o.payload.bad))
                assert found[-1] == blocks[len(found) - 1], f"block {len(found) - 1}"
            place += offered and ctx.get(decode.i.ready)
            await ctx.tick()
        assert len(found) == len(blocks)
        for start in range(60, len(marks), 160):
            assert marks[start : start + 100] == [0] * 40 + [1] * 20 + [0] * 20 + [1] * 20, start

    simulate(decode, bench, clocked=True)


def marks_as_the_golden_model(simulate, kind, direct):
    """Blocks of codewords with these verdicts: ``block``, ``bad`` and ``fault`` of each, and ``hi_ser`` after each codeword."""
    decode, rng = kind(**MONITOR), random.Random(1)
    words, want, high, lock, monitor = [], [], [], Lock(), Monitor(**MONITOR)
    for wrong in VERDICTS:
        blocks = [rng.getrandbits(257) for _ in range(20)]
        words += regroup(blocks, 257, 160, 5140)
        words[-1] |= wrong % 8 << ERRORS_AT | (wrong == 8) << UNCORRECTABLE_AT
        before = monitor.high, not lock.locked
        if lock.locked:
            monitor.test(wrong)
        lock.test(wrong < 8)
        bad, fault = before if direct else (wrong == 8, not lock.locked)
        want += [(block, bad, fault) for block in blocks]
        high.append(monitor.high)

    async def bench(ctx):
        found, seen, place = [], [], 0
        ctx.set(decode.bypass_indication, direct)
        ctx.set(decode.o.ready, 1)
        # The bypass of the hold buffer is opened before the first word.
        await ctx.tick()
        while len(found) < len(want):
            ctx.set(decode.i.valid, place < len(words))
            ctx.set(decode.i.payload, words[min(place, len(words) - 1)])
            moves = ctx.get(decode.i.ready) and place < len(words)
            if ctx.get(decode.o.valid):
                got = ctx.get(decode.o.payload)
                found.append((got.block, bool(got.bad), bool(got.fault)))
                assert found[-1] == want[len(found) - 1], f"block {len(found) - 1}"
            # A codeword is counted two cycles after its last word.
            if place >= 34 and place % 33 == 2 and len(seen) < place // 33:
                seen.append(bool(ctx.get(decode.hi_ser)))
            await ctx.tick()
            place += moves
        assert seen == high[: len(seen)]
        assert len(seen) > len(high) - 2
        assert not ctx.get(decode.locked)

    simulate(decode, bench, clocked=True)
    assert {False, True} == set(high)


@pytest.mark.parametrize("direct", [False, True], ids=["with-verdict", "bypass-indication"])
def test_strict_marks(simulate, direct):
    marks_as_the_golden_model(simulate, StrictDecode, direct)


@pytest.mark.parametrize(
    ("method", "old", "new", "direct"),
    [
        ("_mark", "Mux(direct, self._monitor.hi_ser, verdict)", "Mux(direct, self._monitor.hi_ser, 0)", False),
        ("_mark", "Mux(direct, self._monitor.hi_ser, verdict)", "Mux(direct, 0, verdict)", True),
        ("_monitor_errors", "done & self._lock.locked", "done", False),
        ("_monitor_errors", "done & self._lock.locked", "done", True),
    ],
    ids=["ignores-the-verdict", "ignores-the-monitor", "counts-without-lock", "counts-without-lock-direct"],
)
def test_broken_strict_marks_are_noticed(simulate, mutant, method, old, new, direct):
    with pytest.raises(AssertionError):
        marks_as_the_golden_model(simulate, mutant(StrictDecode, method, old, new), direct)


# Light format --------------------------------------------------------------------------------------------------------

_LIGHT = code_entry(CODE)
LIGHT = SimpleNamespace(n=CODE.n, k=CODE.k, r=CODE.n - CODE.k, columns=_LIGHT["columns"])

#: Uncorrectable codewords of groups, by number or by place. In order: a group that says nothing between four clean ones, which
#: make the lock; three groups with three wrong codewords, two with more, and five with a wrong first codeword keep it; so do four
#: with a wrong first one and one with four wrong ones, after which the next loses it. Three with four wrong ones lose it, too.
WRONG = (*(0, 0, 2, 0, 0, 3, 3, 3, 5, 4, 0, *[{0}] * 5, 1, *[{0}] * 4, 0, *[{0}] * 4, 4), *(0, 0, {0}, 0, 0, 0, 0, 1, 4, 4, 4))


def locks_as_the_golden_model(simulate, kind):
    """Groups of 27 words, in which some codewords have one or two wrong bits: lock and counters are those of the golden model."""
    rng, decode = random.Random(1), kind()
    codes = {False: LIGHT, True: SimpleNamespace()}
    sender, golden = Transmitter(codes), Receiver(codes, False)
    words, want = [], []
    for wrong in WRONG:
        group = sender.group(False, [[IDLES] * 4] * 16)
        # The first codeword of a group is wrong only if it is named.
        wrong = set(rng.sample(range(1, 16), wrong)) if isinstance(wrong, int) else wrong
        for codeword in {*wrong, rng.choice([place for place in range(16) if place not in wrong])}:
            for bit in rng.sample(range(270 * codeword, 270 * codeword + 270), 1 + (codeword in wrong)):
                group[bit // 160] ^= 1 << bit % 160
        golden.receive(group)
        words += group
        want.append((golden.lock.locked, golden.light_uncorrectable, golden.light_corrected))
    assert [locked for locked, *_ in want] == [False] * 4 + [True] * 22 + [False] * 7 + [True] * 4 + [False]

    async def bench(ctx):
        found, place, blocks = [], 0, 0
        ctx.set(decode.o.ready, 1)
        while len(found) < len(want):
            ctx.set(decode.i.valid, place < len(words))
            ctx.set(decode.i.payload, words[min(place, len(words) - 1)])
            moves = ctx.get(decode.i.ready) and place < len(words)
            blocks += ctx.get(decode.o.valid)
            await ctx.tick()
            place += moves
            if blocks == 16 * (len(found) + 1):
                counts = ctx.get(decode.light_uncorrectable), ctx.get(decode.light_corrected)
                found.append((bool(ctx.get(decode.locked)), *counts))
        assert found == want

    simulate(decode, bench, clocked=True)


def test_light_lock(simulate):
    locks_as_the_golden_model(simulate, LightDecode)


@pytest.mark.parametrize("limit", [3, 5])
def test_other_limit_of_the_light_lock_is_noticed(simulate, monkeypatch, limit):
    monkeypatch.setattr(light, "LIMIT", limit)
    with pytest.raises(AssertionError, match="assert"):
        locks_as_the_golden_model(simulate, LightDecode)


def slips_of(simulate, receiver, cycles):
    """Cycles in which the boundary of a receiver must move, while all bits of the line are 0: every codeword is wrong."""
    slips = []

    async def bench(ctx):
        ctx.set(receiver.i.valid, 1)
        ctx.set(receiver.o.ready, 1)
        for cycle in range(cycles):
            if ctx.get(receiver.slip):
                slips.append(cycle)
            await ctx.tick()

    simulate(receiver, bench, clocked=True)
    return slips


@pytest.mark.parametrize(("settle", "skipped"), [(0, 0), (3, 0), (40, 2)])
def test_light_lock_skips_groups_from_before_a_slip(simulate, settle, skipped):
    """A group is 27 words. Each is hopeless before its end, so the next one is tested; 40 words more belong to two groups."""
    assert slips_of(simulate, LightDecode(settle), 1500) == list(range(16, 1500, 27 * (skipped + 1)))


@pytest.mark.parametrize("settle", [0, 3])
def test_light_receiver_skips_codewords_from_before_a_slip(simulate, settle):
    """One codeword is in the register between code and PCS, ``settle`` are before the receiver."""
    assert slips_of(simulate, LightLinkRx(settle=settle), 60) == list(range(2, 60, settle + 2))


def test_formats_change_when_the_other_decoder_is_empty(simulate):
    """Without lock, the strap selects the format: a group of the light format, a codeword, a group. They leave in this order.

    Blocks are taken so rarely that the decoder of the codeword is full before that of the first group is empty.
    """
    decode, rng, found = SelectedDecode(), random.Random(1), []
    ends = {0: 0, WORDS: 1, WORDS + BEATS.count: 0}

    async def bench(ctx):
        place = 0
        for _ in range(3000):
            ctx.set(decode.strict, ends.get(place, ctx.get(decode.strict)))
            ctx.set(decode.i.valid, place < 2 * WORDS + BEATS.count)
            ctx.set(decode.i.payload, rng.getrandbits(160))
            ctx.set(decode.o.ready, rng.random() < 0.03)
            if ctx.get(decode.o.valid) and ctx.get(decode.o.ready):
                found.append(ctx.get(decode.o.payload.strict))
            place += ctx.get(decode.i.valid) and ctx.get(decode.i.ready)
            await ctx.tick()

    simulate(decode, bench, clocked=True)
    assert found == [0] * CODEWORDS + [1] * BLOCKS + [0] * CODEWORDS
