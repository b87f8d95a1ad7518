"""Decoder of the strict format without the Reed-Solomon code, alone on Amaranth's simulator: marks, lock, and slips."""

import random

import pytest
from amaranth.hdl import Cat

from dsnswitch.hdl.line import strict as strict_line
from dsnswitch.hdl.line.rates import STRICT_COUNTERS
from dsnswitch.hdl.line.strict import StrictDecode
from dsnswitch.sim.golden.line.gearbox import regroup
from dsnswitch.sim.golden.line.strict import Monitor

from ..link.test_link_rx_units import MONITOR, VerdictDecoder
from ..port.test_lines import Verdict
from .test_codeword_lock import Lock

#: Words of a codeword, and its blocks.
WORDS, BLOCKS = 33, 20


@pytest.mark.parametrize("managed", [False, True])
def test_decoder(simulate, monkeypatch, managed):
    """Good and bad times with gaps: every block with its marks, and in every cycle the events, the lock and its slips.

    With management, ``hi_ser`` and the counters, too.
    """
    monkeypatch.setattr(strict_line, "RsDecoder", VerdictDecoder if managed else Verdict)
    unit, rng, lock = StrictDecode(settle=37, managed=managed, **MONITOR), random.Random(1), Lock(37)
    monitor = Monitor(**MONITOR)

    async def bench(ctx):
        ctx.set(unit.o.ready, 1)
        verdicts, want, found, slips, ends, high = [], [], 0, 0, None, 0
        for codeword in range(48):
            # Slips without a lock, a lock, a restart without it, a restart with it, and its loss.
            bad, waits = (0.9, 0.9, 0.5, 0, 0.5, 0.3, 0.9, 0.1)[codeword // 6], 3 * (codeword in (24, 30))
            errors = 8 if rng.random() < bad else rng.choice((0, 1, 2, 4, rng.randrange(8)))
            blocks = [rng.getrandbits(257) for _ in range(BLOCKS)]
            words = regroup(blocks, 257, 160, 5140)
            words[-1] = words[-1] & (1 << 150) - 1 | errors % 8 << 150 | (errors == 8) << 153
            verdicts.append((errors, blocks))
            at = 0
            while at < WORDS:
                waits = max(waits - 1, 0)
                # The decoder is empty.
                restart = int(waits == 1), int(codeword > 24)
                offered = not waits and rng.random() < (1 if codeword % 3 else 0.9)
                ctx.set(unit.start, restart[0])
                ctx.set(unit.start_locked, restart[1])
                ctx.set(unit.i.valid, offered)
                ctx.set(unit.i.payload, words[at])
                assert ctx.get(unit.i.ready)
                state = ctx.get(unit.locked), ctx.get(unit.stays), ctx.get(unit.slip)
                assert state == (lock.locked, lock.stays, lock.slip), codeword
                slips += lock.slip
                # The decoder has a latency of one cycle.
                errors = None if ends is None else verdicts[ends][0]
                if managed:
                    beside = rng.getrandbits(2)
                    ctx.set(Cat(unit.clear, unit.bypass_correction), beside)
                    turned = [(words[at] << 160 | words[at]) >> 18 * n & 0xFFFFFFFF for n in range(len(STRICT_COUNTERS))]
                    found_counts = [ctx.get(getattr(unit, name)) for name in STRICT_COUNTERS]
                    assert found_counts == [count ^ beside for count in turned], codeword
                    assert ctx.get(unit.hi_ser) == monitor.high, codeword
                    if lock.locked and errors is not None:
                        monitor.test(errors)
                    high += monitor.high
                else:
                    events = ctx.get(unit.ended_corrected), ctx.get(unit.ended_uncorrectable)
                    assert events == (errors in range(1, 8), errors == 8), codeword
                if ctx.get(unit.o.valid):
                    payload = ctx.get(unit.o.payload)
                    assert (payload.block, payload.bad, payload.fault) == want[found], found
                    found += 1
                done = ends is not None
                lock.step(offered, offered and at == 0, done, errors != 8, errors == 8, 0, 0, *restart)
                if done:
                    want += [(block, int(errors == 8), int(not lock.locked)) for block in verdicts[ends][1]]
                at += offered
                ends = codeword if offered and at == WORDS else None
                await ctx.tick()
        assert slips > 4
        assert (high > 0) == managed
        assert len(want) - found <= 2 * BLOCKS

    simulate(unit, bench, clocked=True)
