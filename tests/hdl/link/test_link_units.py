"""Small units of the strict and the selected link on Amaranth's simulator."""

import random
from collections import Counter
from math import comb

import pytest

from dsnswitch.hdl.fec.reed_solomon.decoder import SymbolErrorMonitor
from dsnswitch.hdl.line.codeword_lock import CodewordLock
from dsnswitch.hdl.line.rates import decode_latency
from dsnswitch.hdl.line.selected import FILLER, GAP, LIGHT, NEAR, STRICT
from dsnswitch.hdl.stream.stage import Hold
from dsnswitch.sim.golden.line import selected
from dsnswitch.sim.golden.line.strict import Lock, Monitor

# Hold ----------------------------------------------------------------------------------------------------------------


def through_the_hold(simulate, kind, stall, beats=5, codewords=30):
    """Beats leave in order, none before its codeword is complete. At full speed, every beat has the stated latency."""
    held, rng, given, found = kind(8, beats), random.Random(stall), [], []

    async def bench(ctx):
        for cycle in range(3000 if stall else beats * (codewords + 1)):
            offered = len(given) < beats * codewords and rng.random() >= stall
            ctx.set(held.i.valid, offered)
            ctx.set(held.i.payload, len(given) % 251)
            ctx.set(held.o.ready, rng.random() >= stall)
            assert ctx.get(held.empty) == (len(found) == len(given))
            if ctx.get(held.o.valid) and ctx.get(held.o.ready):
                place = len(found)
                found.append(ctx.get(held.o.payload))
                assert place // beats < len(given) // beats, "before the codeword is whole"
                assert stall or cycle == given[place] + held.latency
            if offered and ctx.get(held.i.ready):
                given.append(cycle)
            await ctx.tick()
        assert found == [place % 251 for place in range(beats * codewords)]
        assert ctx.get(held.empty)

    simulate(held, bench, clocked=True)


@pytest.mark.parametrize("stall", [0, 0.5])
def test_hold(simulate, stall):
    through_the_hold(simulate, Hold, stall)


@pytest.mark.parametrize(
    ("old", "new"),
    [("ready & (whole | sent.any())", "ready"), ("waiting.any() & (taken | ~ready)", "waiting.any() & ~ready")],
    ids=["gives-away-what-is-not-whole", "a-beat-in-two-cycles"],
)
def test_broken_hold_is_noticed(simulate, mutant, old, new):
    with pytest.raises(AssertionError):
        through_the_hold(simulate, mutant(Hold, "elaborate", old, new), 0)


# Lock ----------------------------------------------------------------------------------------------------------------


#: Parameters of the lock of each format, with a short stay.
LOCKS = {"strict": {"make": 2, "lose": 3, "stay": 4}, "light": {"make": 4, "lose": 6, "trust": 2, "stay": 4}}


def follows_the_golden_lock(simulate, kind, seed, parameters, cycles=400):
    """Codewords one by one, which are bad, clean, or neither in changing parts: the lock behaves as the golden model."""
    lock, golden, rng = kind(**parameters), Lock(**parameters), random.Random(seed)
    seen = Counter()

    async def bench(ctx):
        for cycle in range(cycles):
            clean = rng.random() < (0.1, 0.6, 0.9)[cycle // 20 % 3]
            bad = not clean and (not parameters.get("trust") or rng.random() < 0.8)
            heavy = rng.random() < 0.5
            for signal, value in ((lock.begins, 1), (lock.goes, 1)):
                ctx.set(signal, value)
            await ctx.tick()
            for signal, value in ((lock.begins, 0), (lock.goes, 0), (lock.done, 1)):
                ctx.set(signal, value)
            for signal, value in ((lock.clean, clean), (lock.bad, bad), (lock.heavy, heavy)):
                ctx.set(signal, value)
            await ctx.tick()
            ctx.set(lock.done, 0)
            was_locked, stayed = golden.locked, golden.stays
            slip = golden.test(clean, bad, 1 + heavy)
            assert ctx.get(lock.slip) == slip
            assert (ctx.get(lock.locked), ctx.get(lock.stays)) == (golden.locked, golden.stays)
            seen.update(made=golden.locked > was_locked, lost=golden.locked < was_locked, slips=slip, stayed=stayed)
            if slip:
                # A codeword that enters in the cycle of the slip is from before the slip.
                ctx.set(lock.goes, 1)
                await ctx.tick()
                ctx.set(lock.goes, 0)

    simulate(lock, bench, clocked=True)
    assert min(seen.values()) >= 2, seen


@pytest.mark.parametrize("name", LOCKS)
def test_lock(simulate, name):
    for seed in range(5):
        follows_the_golden_lock(simulate, CodewordLock, seed, LOCKS[name])


#: Method, old and new text; formats in which the fault shows.
FAULTS = {
    "a bad codeword leaves a good position": ("elaborate", "self.bad & ~score.any()", "self.bad", LOCKS),
    "a bad codeword does not lower the score": ("_count", "score - 1", "score", LOCKS),
    "a score is never below the first": ("_count", "Mux(self.stays, self._trust", "Mux(1, self._trust", ("light",)),
    "lock after one more": ("_count", "self._make - 1", "self._make", LOCKS),
    "lost one later": ("_count", "worse >= self._lose", "worse > self._lose", LOCKS),
    "no codeword counts twice": ("_count", "Mux(self.heavy, 2, 1)", "1", LOCKS),
    "each codeword is clean or bad": ("_count", "m.Elif(self.clean)", "m.Else()", ("light",)),
    "a new lock does not stay": ("_count", ", left.eq(self._stay)]", "]", LOCKS),
    "a slip keeps the score": ("elaborate", "score.eq(self._trust),", "", ("light",)),
}


@pytest.mark.parametrize(("fault", "name"), [(fault, name) for fault, entry in FAULTS.items() for name in entry[3]])
def test_broken_lock_is_noticed(simulate, mutant, fault, name):
    broken = mutant(CodewordLock, *FAULTS[fault][:3])
    with pytest.raises(AssertionError):
        follows_the_golden_lock(simulate, broken, 1, LOCKS[name])


def test_hopeless_codeword_slips_before_its_end(simulate):
    """Codewords of three words, the second of which shows that they are hopeless: one slip for every codeword that is tested.

    The rest of the codeword is not tested, and neither is the codeword of which a word had entered before the slip.
    """
    lock, found = CodewordLock(trust=2), []

    async def bench(ctx):
        for cycle in range(30):
            ctx.set(lock.goes, 1)
            ctx.set(lock.begins, cycle % 3 == 0)
            # A codeword leaves four cycles after its first word.
            ctx.set(lock.hopeless, cycle >= 3 and cycle % 3 == 0)
            ctx.set(lock.done, cycle >= 4 and cycle % 3 == 1)
            ctx.set(lock.bad, 1)
            found.append(ctx.get(lock.slip))
            await ctx.tick()

    simulate(lock, bench, clocked=True)
    assert [cycle for cycle, slip in enumerate(found) if slip] == [4, 10, 16, 22, 28]


@pytest.mark.parametrize(("settle", "slips"), [(4, [7, 19, 31]), (5, [7, 22, 37])])
def test_lock_does_not_test_what_was_on_its_way(simulate, settle, slips):
    """Codewords of three words, two of them in the decoder.

    Slip in cycle 7. With ``settle`` 4, words 7 to 11 are from before it, so the codeword of cycle 12 is the next to be tested, in
    cycle 18. With ``settle`` 5 word 12 is from before it as well, so the codeword of cycle 15 is the next.
    """
    lock, found = CodewordLock(settle), []

    async def bench(ctx):
        for cycle in range(42):
            ctx.set(lock.goes, 1)
            ctx.set(lock.begins, cycle % 3 == 0)
            # A codeword leaves six cycles after its first word.
            ctx.set(lock.done, cycle >= 6 and cycle % 3 == 0)
            ctx.set(lock.bad, 1)
            found.append(ctx.get(lock.slip))
            await ctx.tick()

    simulate(lock, bench, clocked=True)
    assert [cycle for cycle, slip in enumerate(found) if slip] == slips


def test_start_forgets_what_was_on_its_way(simulate):
    """After a slip, a start empties the decoder, so the first codeword of three words after it is tested."""
    lock = CodewordLock(settle=4)

    async def bench(ctx):
        slips = []
        for cycle in range(24):
            ctx.set(lock.goes, cycle < 8 or cycle >= 12)
            ctx.set(lock.begins, cycle % 3 == 0 and cycle != 9)
            ctx.set(lock.done, cycle in (6, 18, 21))
            ctx.set(lock.bad, 1)
            ctx.set(lock.start, cycle == 9)
            slips.append(ctx.get(lock.slip))
            await ctx.tick()
        # Slips after the codewords that leave in cycles 6 and 18. That of cycle 21 has words from before the second slip.
        assert [cycle for cycle, slip in enumerate(slips) if slip] == [7, 19]

    simulate(lock, bench, clocked=True)


# Marker --------------------------------------------------------------------------------------------------------------


def test_marker_is_far_from_everything():
    """Other words are taken for a marker, and markers missed, almost never; the golden model has the same markers."""
    assert STRICT.bit_count() == LIGHT.bit_count() == 80
    assert (STRICT ^ FILLER).bit_count() == (LIGHT ^ FILLER).bit_count() == 80
    assert sum(comb(160, wrong) for wrong in range(NEAR + 1)) / 2**160 == pytest.approx(3.12e-27, rel=0.01, abs=0)
    # Probability of more than 16 wrong bits of 160 at a bit error rate of 1e-3, at which a marker is missed.
    assert sum(comb(160, n) * 1e-3**n * (1 - 1e-3) ** (160 - n) for n in range(17, 60)) == pytest.approx(3.0e-29, rel=0.01, abs=0)
    assert {True: STRICT, False: LIGHT} == selected.MARKERS
    assert (FILLER, {True: 0, False: GAP}, NEAR) == (selected.FILLER, selected.GAP, selected.NEAR)


def test_latency_by_its_parts():
    """Decoder 51 (44), hold buffer 33, gearbox 2."""
    assert [decode_latency(unroll, direct) for unroll in (1, 2) for direct in (False, True)] == [86, 53, 79, 46]


def test_golden_monitor_by_hand():
    """Windows of two codewords: three wrong symbols exceed the limit, for one window after that."""
    monitor, seen = Monitor(2, 2, 1), []
    for wrong in (1, 1, 1, 2, 0, 0, 0, 0):
        monitor.test(wrong)
        seen.append(monitor.high)
    assert seen == [False, False, False, True, True, False, False, False]


def monitors_as_the_golden_model(simulate, kind, window, limit, keep):
    """Codewords with idle cycles in between; an uncorrectable codeword counts t + 1."""
    monitor, model = kind(7, window, limit, keep), Monitor(window, limit, keep)
    rng, high = random.Random(window), 0

    async def bench(ctx):
        nonlocal high
        for step in range(3000):
            bad = step // 300 % 2
            done, wrong = rng.random() < 0.7, rng.choice((0, 0, 0, 1, 8) if bad else (0, 0, 0, 0, 0, 0, 1))
            ctx.set(monitor.done, done)
            ctx.set(monitor.errors, 0 if wrong == 8 else wrong)
            ctx.set(monitor.uncorrectable, wrong == 8)
            await ctx.tick()
            if done:
                model.test(wrong)
            assert ctx.get(monitor.hi_ser) == model.high
            high += model.high

    simulate(monitor, bench, clocked=True)
    assert 0 < high < 3000


@pytest.mark.parametrize(("window", "limit", "keep"), [(2, 2, 1), (8, 5, 2), (5, 12, 3), (3, 7, 1)])
def test_symbol_error_monitor(simulate, window, limit, keep):
    monitors_as_the_golden_model(simulate, SymbolErrorMonitor, window, limit, keep)


@pytest.mark.parametrize(
    ("old", "new", "window", "limit"),
    [
        ("self._t + 1, self.errors", "self._t, self.errors", 3, 7),
        ("high.eq(total > limit)", "high.eq(total >= limit)", 8, 5),
        ("ending.eq(seen == self._window - 1)", "ending.eq(seen == self._window - 2)", 3, 7),
    ],
    ids=["counts-t", "lower-limit", "short-window"],
)
def test_broken_symbol_error_monitor_is_noticed(simulate, mutant, old, new, window, limit):
    with pytest.raises(AssertionError):
        monitors_as_the_golden_model(simulate, mutant(SymbolErrorMonitor, "elaborate", old, new), window, limit, 1)
