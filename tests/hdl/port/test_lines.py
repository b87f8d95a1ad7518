"""Lines of fabric ports on Amaranth's simulator: pace, marks, formats. Codes of the strict format change nothing."""

import random

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.fec.reed_solomon.decoder import decoded_layout
from dsnswitch.hdl.line import light as light_line
from dsnswitch.hdl.line import selected as decode
from dsnswitch.hdl.line import strict as strict_fec
from dsnswitch.hdl.line.light import LineDecoder
from dsnswitch.hdl.line.rates import BEATS
from dsnswitch.hdl.line.selected import SelectedLineRx, SelectedLineTx
from dsnswitch.hdl.line.strict import StrictLineRx, StrictLineTx
from dsnswitch.hdl.stream.stage import stage

from ..no_parity import NoParity
from .random_blocks import blocks, check


class Verdict(wiring.Component):
    """A decoder that changes nothing. Bits at the end of a codeword are its number of wrong symbols; 8 is too many."""

    latency = 1

    def __init__(self, code, width, unroll, lanes, counter_width, counted):
        assert not counted
        super().__init__({"i": In(stream.Signature(BEATS.bits)), "o": Out(stream.Signature(decoded_layout(BEATS)))})

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(BEATS.count))
        word, sent = self.i.payload, self.o.payload
        last = place == BEATS.count - 1
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += [
                place.eq(place + 1),
                sent.eq(0),
                sent.symbols.eq(word),
                sent.last.eq(last),
                sent.errors.eq(word[150:153] & last.replicate(3)),
                sent.uncorrectable.eq(word[153] & last),
            ]
            with m.If(last):
                m.d.sync += place.eq(0)
        return m


def test_bad_codewords_mark_all_blocks(simulate, monkeypatch):
    """All 20 blocks of a codeword that is not corrected are bad. Codewords before the lock are not counted."""
    monkeypatch.setattr(strict_fec, "RsEncoder", NoParity)
    monkeypatch.setattr(strict_fec, "RsDecoder", Verdict)
    tx, rx, events = StrictLineTx(), StrictLineRx(), {"corrected": 0, "uncorrectable": 0}
    wrong = (3, 0, 8, 2, 0, 8, 0)
    m = Module()
    m.submodules += [tx, rx]
    flips = Signal(BEATS.bits)
    m.d.comb += [rx.i.payload.eq(tx.o.payload ^ flips), rx.i.valid.eq(tx.o.valid), tx.o.ready.eq(rx.i.ready)]

    async def bench(ctx):
        sent, arrived, word, cycle = [], 0, 0, 0
        taken_at, words_at = [], []
        for kind, values in blocks(20 * len(wrong)):
            for name, value in values.items():
                ctx.set(getattr(tx, name), value)
            sent.append((kind, values))
            taken = False
            while not taken:
                place = word % 33 == 32 and word // 33 < len(wrong)
                ctx.set(flips, wrong[word // 33] % 8 << 150 | (wrong[word // 33] == 8) << 153 if place else 0)
                taken = ctx.get(tx.taken)
                if ctx.get(tx.o.valid):
                    words_at.append(cycle)
                    word += 1
                if ctx.get(rx.valid):
                    verdict = wrong[arrived // 20]
                    # Codewords before the lock, which two make, are bad, too.
                    bad = verdict == 8 or arrived < 20
                    assert ctx.get(rx.bad) == bad, f"block {arrived}"
                    # The descrambler sums bits of the block before, which wrong bits have not changed here.
                    if arrived:
                        check(rx, ctx, *sent[arrived])
                    arrived += 1
                for name in events:
                    events[name] += ctx.get(getattr(rx, name))
                await ctx.tick()
                cycle += 1
            taken_at.append(cycle - 1)
        # The word with the first bit of a block leaves three cycles after the block was taken.
        places = [33 * (n // 20) + 257 * (n % 20) // 160 for n in range(len(taken_at) - 4)]
        assert [words_at[place] for place in places] == [taken_at[n] + 3 for n in range(len(places))]
        assert arrived >= 20 * (len(wrong) - 3), arrived

    simulate(m, bench, clocked=True)
    assert events == {"corrected": 1, "uncorrectable": 2}


def test_formats_change_between_groups(simulate, monkeypatch):
    """Blocks through a selected line whose format changes twice, between groups: all arrive, in order, as they were sent."""
    monkeypatch.setattr(strict_fec, "RsEncoder", NoParity)
    monkeypatch.setattr(strict_fec, "RsDecoder", Verdict)
    tx, rx, sent, formats = SelectedLineTx(), SelectedLineRx(), [], []
    m = Module()
    m.submodules += [tx, rx]
    wiring.connect(m, tx.o, rx.i)
    arrived = 0

    async def bench(ctx):
        nonlocal arrived
        source, offered = blocks(1000), None
        for cycle in range(480):
            strict = int(not 75 <= cycle < 280)
            ctx.set(tx.strict, strict)
            # Without lock, the receiver searches for the strict format.
            ctx.set(rx.strict, 1)
            if offered is None:
                offered = next(source)
                for name, value in offered[1].items():
                    ctx.set(getattr(tx, name), value)
            if ctx.get(rx.valid):
                # Two codewords make the lock, which is never lost.
                assert ctx.get(rx.bad) == (arrived < 20), f"block {arrived}"
                if arrived:
                    check(rx, ctx, *sent[arrived])
                arrived += 1
            if ctx.get(tx.taken):
                sent.append(offered)
                formats.append(ctx.get(tx.is_strict))
                offered = None
            await ctx.tick()

    simulate(m, bench, clocked=True)
    first, second = [place for place in range(1, len(formats)) if formats[place] != formats[place - 1]]
    assert first % 20 == 0
    assert (second - first) % 16 == 0
    assert len(sent) - arrived < 40
    assert arrived > second


class LineVerdict(wiring.Component):
    """A decoder whose words are its verdicts: bit 0 corrected, bit 1 bad, bit 2 a valid header."""

    __annotations__ = LineDecoder.__annotations__

    def elaborate(self, platform):
        m = Module()
        m.d.comb += Cat(self.corrected, self.bad, self.framed).eq(self.word)
        return m


def test_light_line_lets_go_of_uncorrectable_words(simulate, monkeypatch):
    """``HOPELESS`` uncorrectable words in a row end the lock although their headers are right; one fewer does not."""
    monkeypatch.setattr(light_line, "LineDecoder", LineVerdict)
    rx = light_line.LightLineRx()
    most = rx.HOPELESS

    async def bench(ctx):
        async def words(count, bad):
            ctx.set(rx.i.payload, bad << 1 | 1 << 2)
            for place in range(2 * count):
                ctx.set(rx.i.valid, place % 2)
                await ctx.tick()
            return ctx.get(rx.locked)

        assert await words(66, 0)
        for _ in range(2):
            assert await words(most - 1, 1)
            assert await words(1, 0)
        assert not await words(most + 20, 1)
        assert await words(100, 0)

    simulate(rx, bench, clocked=True)


def test_selected_line_searches_both_formats(simulate, monkeypatch):
    """Without a codeword in any position of its format, the receiver searches in the other one, and then again in its own."""
    monkeypatch.setattr(strict_fec, "RsDecoder", Verdict)
    monkeypatch.setattr(decode, "POSITIONS", 3)
    rx, rng = SelectedLineRx(), random.Random(3)

    async def bench(ctx):
        ctx.set(rx.strict, 1)
        slips, formats = 0, []
        for _ in range(1200):
            # Bit 153 makes a codeword of the strict format undecodable.
            ctx.set(rx.i.payload, rng.getrandbits(BEATS.bits) | 1 << 153)
            ctx.set(rx.i.valid, 1)
            slips += ctx.get(rx.slip)
            if not formats or formats[-1][0] != ctx.get(rx.is_strict):
                formats.append((ctx.get(rx.is_strict), slips))
            await ctx.tick()
        # The receiver starts in the light format, and changes before the first group.
        assert [strict for strict, _ in formats][:4] == [0, 1, 0, 1]
        assert [slips for _, slips in formats][:4] == [0, 0, 3, 6]

    simulate(rx, bench, clocked=True)
