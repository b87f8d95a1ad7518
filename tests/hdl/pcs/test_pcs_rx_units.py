"""BER monitor and 64b/66b receiver during changes of lock or error rate, on Amaranth's simulator."""

import random

import pytest

from dsnswitch.hdl.pcs.block_lock import BerMonitor
from dsnswitch.hdl.pcs.pcs66.pcs import Pcs66Rx
from dsnswitch.sim.golden.pcs import pcs66, pcs257
from dsnswitch.sim.golden.pcs.mii import ERRORS, FAULT, IDLES

# BER monitor ---------------------------------------------------------------------------------------------------------


def monitors_as_the_golden_model(simulate, kind, window, limit):
    """About half of the windows reach the limit of wrong headers; some cycles have no header, and the lock is lost sometimes."""
    monitor, golden, rng = kind(window, limit), pcs66.BerMonitor(window, limit), random.Random(window)
    seen = []

    async def bench(ctx):
        locked = 1
        for _ in range(150 * window):
            test, valid = rng.random() < 0.8, rng.random() > limit / window
            locked = locked if rng.random() < 0.99 else 1 - locked
            for port, value in ((monitor.test, test), (monitor.valid, valid), (monitor.locked, locked)):
                ctx.set(port, value)
            await ctx.tick()
            if test or not locked:
                golden.test(valid, locked)
            assert ctx.get(monitor.high) == golden.high
            seen.append(golden.high)

    simulate(monitor, bench, clocked=True)
    assert 0.1 < sum(seen) / len(seen) < 0.9


@pytest.mark.parametrize(("window", "limit"), [(2, 1), (7, 3), (20, 8), (16, 15)])
def test_ber_monitor(simulate, window, limit):
    monitors_as_the_golden_model(simulate, BerMonitor, window, limit)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("count == self._window - 1", "count == self._window - 2"),
        ("reached.eq(now == self._limit)", "reached.eq(now == self._limit - 1)"),
        ("self.high.eq(reached)", "self.high.eq(0)"),
        ("with m.If(~self.locked)", "with m.If(0)"),
    ],
    ids=["short-window", "lower-limit", "ends-with-its-window", "ignores-the-lock"],
)
def test_broken_ber_monitor_is_noticed(simulate, mutant, old, new):
    with pytest.raises(AssertionError):
        monitors_as_the_golden_model(simulate, mutant(BerMonitor, "elaborate", old, new), 7, 3)


# Receiver ------------------------------------------------------------------------------------------------------------

WINDOW, LIMIT = 40, 6
START, DATA, END = (0xD5555555555555FB, 0x01), (0x0706050403020100, 0x00), (0x07070707070707FD, 0xFF)


def line():
    """Headers and payloads of blocks before scrambling. The lock is late, and faults cut off frames that continue after them."""
    words = [IDLES] * 75 + [START, DATA, DATA]
    blocks = [pcs66.encode_word(word) for word in words]
    for place in (0, 3, 4, 9):
        blocks[place] = (0b11, blocks[place][1])
    data, wrong = pcs66.encode_word(DATA), (0b00, 0)
    # A high error rate, then data in a window without a wrong header. The frame ends, and another one begins.
    blocks += [wrong] * LIMIT + [data] * (2 * WINDOW)
    blocks += [pcs66.encode_word(word) for word in (END, IDLES, START, DATA)]
    # Sixteen wrong headers in a window lose the lock. More follow while there is no lock, then data restore it.
    blocks += [wrong] * 24 + [data] * 140
    return blocks + [pcs66.encode_word(word) for word in (END, IDLES, IDLES, IDLES)]


class Golden:
    """Expected word for every block, and expected counters, by the golden models, parts of which may be broken."""

    def __init__(self, receiver=pcs66.Receiver, counts_without_lock=False):
        lock, monitor, receiver = pcs66.Lock(), pcs66.BerMonitor(WINDOW, LIMIT), receiver()
        self.words, self.invalid, self.states = [], 0, []
        for header, payload in line():
            good, valid = lock.locked and not monitor.high, header in (pcs66.DATA, pcs66.CONTROL)
            word = receiver.step((header, payload), good)
            self.words += [word] if word is not None else []
            self.invalid += (lock.locked or counts_without_lock) and not valid
            monitor.test(valid, lock.locked)
            lock.test(valid)
            self.states.append((lock.locked, monitor.high))
        self.errored = self.words.count(ERRORS)


class KeepsState(pcs66.Receiver):
    """A receiver whose state machine continues during a fault."""

    def step(self, block, good=True):
        mine, self._waiting = self._waiting, self._waiting and (*self._waiting[:2], True)
        word = super().step(block, good)
        return word if mine is None or mine[2] else FAULT


def receives_as(simulate, kind, golden):
    """Compare words, counters, lock and error rate at the ports."""
    receiver, sent, blocks = kind(WINDOW, LIMIT), [0] * 58, []
    for header, payload in line():
        bits = pcs257.bits_of(payload, 64)
        pcs66.scramble(bits, sent)
        blocks.append((header, pcs257.number_of(bits)))

    async def bench(ctx):
        found, states = [], []
        ctx.set(receiver.o.ready, 1)
        for cycle in range(len(blocks) + 6):
            header, payload = blocks[min(cycle, len(blocks) - 1)]
            ctx.set(receiver.i.payload, {"header": header, "payload": payload})
            ctx.set(receiver.i.valid, cycle < len(blocks))
            if ctx.get(receiver.o.valid):
                word = ctx.get(receiver.o.payload)
                found.append((word.data, word.control))
            await ctx.tick()
            if cycle < len(blocks):
                states.append((bool(ctx.get(receiver.locked)), bool(ctx.get(receiver.high_ber))))
        assert found == golden.words
        assert states == golden.states
        assert ctx.get(receiver.invalid_headers) == golden.invalid
        assert ctx.get(receiver.errored_blocks) == golden.errored

    simulate(receiver, bench, clocked=True)


def test_receiver_across_faults(simulate):
    golden = Golden()
    receives_as(simulate, Pcs66Rx, golden)
    # The run contains all cases: words of data, errors and faults; a lost lock; a high error rate that ends.
    assert {DATA, ERRORS, FAULT} <= set(golden.words)
    assert (True, True) in golden.states
    assert not golden.states[-100][0]
    assert golden.states[-1] == (True, False)


@pytest.mark.parametrize(
    "broken", [{"receiver": KeepsState}, {"counts_without_lock": True}], ids=["keeps-its-state", "counts-without-lock"]
)
def test_run_tells_a_broken_receiver(simulate, broken):
    """The gateware is compared with a broken model, so the run must show a difference."""
    with pytest.raises(AssertionError):
        receives_as(simulate, Pcs66Rx, Golden(**broken))


def test_receiver_that_counts_without_lock_is_noticed(simulate, mutant):
    broken = mutant(Pcs66Rx, "_test_headers", "arrives & lock.locked & ~valid", "arrives & ~valid")
    with pytest.raises(AssertionError, match="invalid_headers"):
        receives_as(simulate, broken, Golden())
