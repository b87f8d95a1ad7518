"""Units of the light format, each alone on Amaranth's simulator, with models of their own."""

import random
from itertools import count

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line import light
from dsnswitch.hdl.line.light import LightDecode, LightEncode, LightLineRx, LineChecker, LineDecoder
from dsnswitch.hdl.line.rates import CODE, CODEWORDS, WORDS
from dsnswitch.hdl.logic import numbers
from dsnswitch.sim.golden.fec import secded
from dsnswitch.sim.golden.line.gearbox import regroup
from dsnswitch.sim.golden.pcs.pcs66 import Lock as BlockLock

from ..leaping_counter import STEP, LeapingCounter
from .test_codeword_lock import Lock

BODY, CHECKS = (1 << 256) - 1, 0x3FF << CODE.k
DATA = 0b1010


def codewords(rng, number):
    """Codewords of random bodies; half of the headers are valid."""
    blocks = [rng.choice((DATA, DATA ^ 15, rng.getrandbits(4), rng.getrandbits(4))) for _ in range(number)]
    blocks = [header | rng.getrandbits(256) << 4 for header in blocks]
    return secded.numbers(secded.encode(CODE, secded.words(blocks, CODE.k)))


@pytest.mark.parametrize("kind", [LineDecoder, LineChecker])
def test_decoders(simulate, kind):
    """Codewords with up to two wrong bits, some of which do not arrive: a bit-serial descrambler reads the corrected ones."""
    unit, rng, line = kind(), random.Random(1), None
    # Each bit alone, and two bits, one of which is often in the header.
    wrong = [(bit,) for bit in range(CODE.n)]
    wrong += [rng.sample(range(rng.choice((4, CODE.n))), 1) + rng.sample(range(4, CODE.n), 1) for _ in range(60)] + [()] * 30
    rng.shuffle(wrong)
    words = [word ^ sum(1 << bit for bit in bits) for word, bits in zip(codewords(rng, len(wrong)), wrong)]
    data, corrected, uncorrectable, _ = secded.decode(CODE, secded.words(words, CODE.n))
    if kind is LineChecker:
        data, uncorrectable = secded.words([word & (1 << CODE.k) - 1 for word in words], CODE.k), corrected | uncorrectable
        corrected = corrected & False
    right = zip(words, secded.numbers(data), corrected.tolist(), uncorrectable.tolist())

    def plain(block):
        after = line | (block >> 4 & BODY) << 58
        return (after >> 58 ^ after >> 19 ^ after) & BODY

    async def bench(ctx):
        nonlocal line
        for number, (word, block, fixed, bad) in enumerate(right):
            valid, wrong = rng.random() < 0.7, (word & 15 ^ DATA).bit_count()
            ctx.set(unit.valid, valid)
            ctx.set(unit.word, word)
            assert ctx.get(unit.corrected) == fixed, number
            assert ctx.get(unit.bad) == (bad or wrong == 2)
            assert ctx.get(unit.framed) == (wrong in (0, 4))
            assert ctx.get(unit.exact) == (wrong in (0, 4) and not (fixed or bad))
            assert ctx.get(unit.early_data) == (not word & 1)
            assert wrong == 2 or ctx.get(unit.is_data) == (wrong < 2)
            if line is not None:
                assert ctx.get(unit.plain) == plain(block), number
                assert ctx.get(unit.early_plain) == plain(word), number
            if valid:
                line = block >> 4 + 256 - 58
            await ctx.tick()

    simulate(unit, bench, clocked=True)


def test_encoder(simulate):
    """Blocks with stalls, then without: 27 words per 16 codewords, of which the first has inverted check bits."""
    unit, rng = LightEncode(), random.Random(2)
    blocks = [rng.getrandbits(CODE.k) for _ in range(6 * CODEWORDS)]
    words = secded.numbers(secded.encode(CODE, secded.words(blocks, CODE.k)))
    line = sum((word ^ (0 if n % CODEWORDS else CHECKS)) << CODE.n * n for n, word in enumerate(words))

    async def bench(ctx):
        place = found = 0
        begin = None
        for cycle in count():
            fast = place >= 3 * CODEWORDS
            offered = place < len(blocks) and (fast or rng.random() < 0.7)
            ready = fast or rng.random() < 0.7
            ctx.set(unit.i.valid, offered)
            ctx.set(unit.i.payload, blocks[place] if offered else rng.getrandbits(CODE.k))
            ctx.set(unit.o.ready, ready)
            if ctx.get(unit.o.valid):
                assert ctx.get(unit.o.payload) == line >> 160 * found & (1 << 160) - 1, found
                found += ready
                if fast and place < len(blocks):
                    begin = begin or (cycle, found)
                    # A word per cycle.
                    assert found - begin[1] == cycle - begin[0]
            place += offered and ctx.get(unit.i.ready)
            if found == 6 * WORDS:
                return
            assert cycle < 600
            await ctx.tick()

    simulate(unit, bench, clocked=True)


class Verdicts(wiring.Component):
    """A decoder whose outputs are bits of the word."""

    __annotations__ = LineDecoder.__annotations__

    def elaborate(self, platform):
        m = Module()
        flags = Cat(self.corrected, self.bad, self.framed, self.is_data, self.early_data, self.exact)
        m.d.comb += [Cat(flags, self.plain).eq(self.word), self.early_plain.eq(~self.plain)]
        return m


class ClockedVerdicts(Verdicts):
    """The same with a clock, which a checker has."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        before = Signal()
        m.d.sync += before.eq(self.valid)
        return m


@pytest.mark.parametrize(("settle", "kind"), [(2, "speculative"), (0, "plain"), (0, "detect")])
def test_line(simulate, monkeypatch, settle, kind):
    """Good and bad times: what the decoder says, its lock, and the end of a lock with uncorrectable codewords only."""
    monkeypatch.setattr(light, "LineDecoder", Verdicts)
    monkeypatch.setattr(light, "LineChecker", ClockedVerdicts)
    unit = LightLineRx(settle, speculative=kind == "speculative", detect=kind == "detect")
    rng, lock = random.Random(3), BlockLock()
    names = ("corrected", "bad", "framed", "is_data", "early_data", "exact")

    async def bench(ctx):
        pause = failures = locks = events = 0
        before, slip = None, False
        for cycle in range(4500):
            # The last time has right headers of codewords that are all uncorrectable.
            late = cycle > 3600
            good = (0.3, 1, 1, 0.9, 1, 0.5)[cycle // 150 % 6] if not late else 1
            valid, framed = rng.random() < 0.9, rng.random() < good
            flags = {name: rng.getrandbits(1) for name in names} | {"framed": int(framed)}
            flags["bad"] |= late and cycle > 3700
            plain = rng.getrandbits(256)
            word = sum(flags[name] << n for n, name in enumerate(names)) | plain << len(names)
            ctx.set(unit.i.valid, valid)
            ctx.set(unit.i.payload, word)
            assert ctx.get(unit.i.ready)
            early = plain ^ BODY
            shown = {name: flags[name] for name in ("is_data", "bad")}
            shown |= {"valid": valid, "plain": plain, "locked": lock.locked, "slip": slip}
            if kind == "speculative":
                shown |= {"early_plain": early, "early_data": flags["early_data"], "exact": flags["exact"]}
            octet = early >> 64 & 255
            shown["no_start"] = ((octet ^ light.LIGHT.other) & (light.LIGHT.starts ^ light.LIGHT.other)).bit_count() < 2
            for name in ("corrected", "uncorrectable"):
                value = before and before["valid"] and before[{"uncorrectable": "bad"}.get(name, name)]
                shown[name] = bool(value and lock.locked)
                events += shown[name]
            if before:
                shown["framed"] = before["framed"]
            assert {name: ctx.get(getattr(unit, name)) for name in shown} == shown, cycle
            # The header of the cycle before is tested in this one.
            was_locked, hopeless, slip = lock.locked, failures >= LightLineRx.HOPELESS, False
            if before and before["valid"] and not pause:
                lock.test(before["framed"] and not hopeless)
                slip = lock.slip
                pause = (settle + 1) * slip
            elif pause:
                pause -= 1
            if not was_locked:
                failures = 0
            elif before and before["valid"] and not hopeless:
                failures = failures + 1 if before["bad"] else 0
            locks += lock.locked and not was_locked
            before = flags | {"valid": valid}
            await ctx.tick()
        assert min(locks, events // 100) > 3

    simulate(unit, bench, clocked=True)


class Flags(wiring.Component):
    """A decoder of which two check bits say what has been found."""

    def __init__(self, code, position):
        members = {"word": In(code.n), "data": Out(code.k), "corrected": Out(1), "uncorrectable": Out(1)}
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += Cat(self.data, self.corrected, self.uncorrectable).eq(self.word)
        return m


@pytest.mark.parametrize("managed", [False, True])
def test_decoder(simulate, monkeypatch, managed):
    """Groups with any number of errors, and restarts: blocks and their marks, lock and slips, events and counters."""
    monkeypatch.setattr(light, "SecdedDecoder", Flags)
    monkeypatch.setattr(numbers, "Counter", LeapingCounter)
    unit, rng = LightDecode(settle=1, managed=managed), random.Random(4)
    lock = Lock(1, light.MAKE, light.LOSE, light.TRUST)

    def group(share):
        """``(block, corrected, uncorrectable)`` of codewords; an invalid header is an error, too."""
        bad = [rng.random() < share for _ in range(CODEWORDS)]
        headers = [rng.choice((0, 1, 7)) if wrong and rng.getrandbits(1) else DATA ^ 15 * rng.getrandbits(1) for wrong in bad]
        found = [int(wrong and header in (DATA, DATA ^ 15)) for wrong, header in zip(bad, headers)]
        return [(header | rng.getrandbits(256) << 4, rng.getrandbits(1), flag) for header, flag in zip(headers, found)]

    async def bench(ctx):
        sums, slips = [0, 0], 0
        for phase in range(36):
            share = rng.choice((0, 0, 0.05, 0.2, 0.6, 1))
            blocks = [block for _ in range(rng.choice((1, 2, 8))) for block in group(share)]
            bits = [block | (flags | bad << 1) << CODE.k for block, flags, bad in blocks]
            bits = [word ^ (0 if n % CODEWORDS else CHECKS) | rng.getrandbits(8) << 262 for n, word in enumerate(bits)]
            words, place, taken_words, errors, held, shown = regroup(bits, CODE.n, 160), 0, 0, [], False, None
            restart, restart_locked = rng.getrandbits(1), rng.getrandbits(1)
            ctx.set(unit.start, restart)
            ctx.set(unit.start_locked, restart_locked)
            ctx.set(unit.i.valid, 0)
            ctx.set(unit.o.ready, 1)
            lock.step(0, 0, 0, 0, 0, 0, 0, restart, restart_locked)
            await ctx.tick()
            ctx.set(unit.start, 0)
            while place < len(blocks) or held:
                offered, ready = taken_words < len(words) and rng.random() < 0.9, rng.random() < 0.9
                ctx.set(unit.i.valid, offered)
                ctx.set(unit.i.payload, words[min(taken_words, len(words) - 1)])
                ctx.set(unit.o.ready, ready)
                assert (ctx.get(unit.locked), ctx.get(unit.stays), ctx.get(unit.slip)) == (lock.locked, lock.stays, lock.slip)
                slips += lock.slip
                assert ctx.get(unit.o.valid) == held
                if held:
                    payload = ctx.get(unit.o.payload)
                    assert (payload.block, payload.bad, payload.fault) == shown, (phase, place)
                if managed:
                    assert [ctx.get(unit.light_corrected), ctx.get(unit.light_uncorrectable)] == [
                        total * STEP % (1 << 32) for total in sums
                    ]
                    clear = rng.random() < 0.002
                    ctx.set(unit.clear, clear)
                else:
                    events = ctx.get(unit.one_corrected), ctx.get(unit.one_uncorrectable)
                moves = offered and ctx.get(unit.i.ready)
                may, locked = ready or not held, lock.locked
                await ctx.tick()
                # A codeword has left the gearbox if the register has been loaded.
                taken = may and ctx.get(unit.o.valid)
                now = blocks[place] if taken else (0, 0, 0)
                hopeless = int(len(errors) > 0 and sum(errors) >= light.HOPELESS)
                if taken:
                    fault = int(not locked) if not errors else shown[2]
                    shown = now[0], now[2], fault
                    errors.append(now[2] or now[0] & 15 not in (DATA, DATA ^ 15))
                    place += 1
                if managed:
                    sums = [0 if clear else total for total in sums]
                    sums = [total + (flag and locked) for total, flag in zip(sums, now[1:])]
                else:
                    assert events == now[1:], (phase, place)
                done, total = len(errors) == CODEWORDS, sum(errors)
                heavy = total >= light.LIMIT
                begins = moves and not taken_words % WORDS
                lock.step(moves, begins, done, not total, heavy or errors[:1] == [True], heavy, hopeless, 0, 0)
                errors = [] if done else errors
                taken_words += moves
                held = bool(taken) or (held and not ready)
        assert slips > 3

    simulate(unit, bench, clocked=True)
