"""Decoder of the strict format without the Reed-Solomon code, alone on Amaranth's simulator: marks, lock, and slips."""

import random

from dsnswitch.hdl.line import strict as strict_line
from dsnswitch.hdl.line.strict import StrictDecode
from dsnswitch.sim.golden.line.gearbox import regroup

from ..port.test_lines import Verdict
from .test_codeword_lock import Lock

#: Words of a codeword, and its blocks.
WORDS, BLOCKS = 33, 20


def test_decoder(simulate, monkeypatch):
    """Good and bad times with gaps: every block with its marks, and in every cycle the events, the lock and its slips."""
    monkeypatch.setattr(strict_line, "RsDecoder", Verdict)
    unit, rng, lock = StrictDecode(settle=40, managed=False), random.Random(1), Lock(40)

    async def bench(ctx):
        ctx.set(unit.o.ready, 1)
        verdicts, want, found, slips, ends = [], [], 0, 0, None
        for codeword in range(36):
            # Slips without a lock, a lock, a restart without it, a restart with it, and its loss.
            bad, waits = (0.5, 0, 0.5, 0.3, 0.9, 0.1)[codeword // 6], 3 * (codeword in (12, 18))
            errors = 8 if rng.random() < bad else rng.choice((0, 1, 2, 4, rng.randrange(8)))
            blocks = [rng.getrandbits(257) for _ in range(BLOCKS)]
            words = regroup(blocks, 257, 160, 5140)
            words[-1] = words[-1] & (1 << 150) - 1 | errors % 8 << 150 | (errors == 8) << 153
            verdicts.append((errors, blocks))
            at = 0
            while at < WORDS:
                waits = max(waits - 1, 0)
                # The decoder is empty.
                restart = int(waits == 1), int(codeword > 12)
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
        assert slips > 2
        assert len(want) - found <= 2 * BLOCKS

    simulate(unit, bench, clocked=True)
