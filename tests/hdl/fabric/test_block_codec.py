"""Blocks of the strict and the selected line on Amaranth's simulator: encoder to decoder, and what golden receivers read."""

import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.fabric.block_codec import BlockDecoder, BlockEncoder
from dsnswitch.hdl.fabric.block_format import LIGHT, STRICT
from dsnswitch.hdl.fabric.line_format import FIRST
from dsnswitch.hdl.fabric.line_members import SENT_BLOCK
from dsnswitch.hdl.fabric.strict_line import StrictLineRx, StrictLineTx
from dsnswitch.hdl.fec.reed_solomon import decoded_layout
from dsnswitch.hdl.link.strict import fec as strict_fec
from dsnswitch.hdl.link.strict.fec import BEATS
from dsnswitch.hdl.stream import stage
from dsnswitch.sim.golden.pcs import mii257, pcs260
from dsnswitch.sim.golden.pcs.carry import Carry
from dsnswitch.sim.golden.pcs.mii import ERRORS, type_of

#: Bits of a word that a flit or details fill, by what the block is.
KINDS = ("data", "head", "resume", "idle")


class Loop(wiring.Component):
    """Encoder and decoder. ``block`` is the encoder's block."""

    def __init__(self, selected):
        self.encoder, self.decoder = BlockEncoder(selected), BlockDecoder(selected)
        super().__init__({})

    def elaborate(self, platform):
        m = Module()
        m.submodules += [self.encoder, self.decoder]
        encoder, decoder = self.encoder, self.decoder
        m.d.comb += [encoder.o.ready.eq(1), decoder.valid.eq(encoder.o.valid)]
        if hasattr(encoder, "strict"):
            payload = encoder.o.payload
            m.d.comb += [decoder.block.eq(payload.block), decoder.strict.eq(payload.strict)]
        else:
            m.d.comb += decoder.block.eq(encoder.o.payload)
        return m


def blocks(count, seed=1):
    """Random blocks in an order that frames allow: ``(kind, values of SENT_BLOCK)``."""
    rng, frame_open = random.Random(seed), False
    for _ in range(count):
        kind = rng.choice(KINDS if frame_open else KINDS[1:])
        values = {name: rng.getrandbits(width) for name, width in SENT_BLOCK.items()}
        values |= {
            "is_data": kind == "data",
            "carries": kind in ("data", "head"),
            "frame_open": frame_open,
            "starts": kind in ("head", "resume"),
        }
        frame_open = kind != "idle"
        yield kind, values


def check(decoder, ctx, kind, values):
    """Compare what the decoder gives with the block that was sent."""
    plain, flit = ctx.get(decoder.plain), values["flit"]
    assert ctx.get(decoder.is_data) == (kind == "data")
    low, high = plain & (1 << FIRST) - 1, plain >> FIRST
    if values["carries"]:
        assert high == flit & (1 << 256 - FIRST) - 1
    if kind == "data":
        assert low == flit >> 256 - FIRST
        return
    assert low >> 16 & (1 << 48) - 1 == values["link_word"]
    assert ctx.get(decoder.no_start) == (kind == "idle")
    if not values["carries"]:
        found = sum((plain >> 64 * word + 16 & (1 << 48) - 1) << 48 * (word - 1) for word in (1, 2, 3))
        assert found == values["details"]


def loops(simulate, selected, count=50):
    """Blocks through encoder and decoder, with gaps and changes of the format; golden receivers find no error in them."""
    loop, rng, carry = Loop(selected), random.Random(2), Carry()
    readers = {1: mii257.Receiver(carry), 0: pcs260.Receiver("protected", carry)}
    types = set()

    async def bench(ctx):
        strict = 1
        for number, (kind, values) in enumerate(blocks(count)):
            strict = rng.getrandbits(1) if selected else 1
            for name, value in values.items():
                ctx.set(getattr(loop.encoder, name), value)
            if selected:
                ctx.set(loop.encoder.strict, strict)
            for due in (0,) * rng.randrange(2) + (1,):
                ctx.set(loop.encoder.due, due)
                assert ctx.get(loop.encoder.taken) == due
                await ctx.tick()
            assert ctx.get(loop.encoder.o.valid)
            if number:
                # The descrambler needs a block.
                check(loop.decoder, ctx, kind, values)
            payload = ctx.get(loop.encoder.o.payload)
            assert not selected or payload.strict == strict
            words = readers[strict].step(payload.block if selected else payload, **({} if strict else {"fault": False}))
            if number:
                assert ERRORS not in words, (number, kind, words)
                types.add((kind, strict, *map(type_of, words)))

    simulate(loop, bench, clocked=True)
    return types


def test_strict_blocks(simulate):
    found = loops(simulate, False)
    assert {kind for kind, *_ in found} == set(KINDS)


def test_selected_blocks(simulate):
    found = loops(simulate, True)
    # Words have the same types in both formats.
    by_format = [{(kind, *types) for kind, strict, *types in found if strict == one} for one in (0, 1)]
    assert by_format[0] == by_format[1]


@pytest.mark.parametrize(
    ("owner", "method", "old", "new"),
    [
        (BlockEncoder, "elaborate", "if earlier else bit", "if not earlier else bit"),
        (BlockEncoder, "elaborate", "self.taken.eq(ready & self.due)", "self.taken.eq(ready)"),
        (BlockEncoder, "_send", "sum_header(Cat(self.is_data, line))", "Cat(self.is_data, line)"),
        (BlockDecoder, "elaborate", "Mux(self.strict, block[0], header.is_data)", "header.is_data"),
        (type(STRICT), "control", "Mux(starts, self.with_start, 0)", "0"),
        (type(STRICT), "to_line", "self.order[octet % 8]", "octet % 8"),
    ],
)
def test_broken_codec_is_noticed(simulate, mutate, owner, method, old, new):
    mutate(owner, method, old, new)
    with pytest.raises(AssertionError):
        loops(simulate, True, 12)


def test_constants_by_hand():
    """Types of 64b/66b blocks: terminate in lane 7 is ff, a start in lane 0 is 78, two ordered sets are 55."""
    assert (STRICT.closes >> 4, STRICT.idles >> 4) == (0xFF & 0xF, 0x55 & 0xF)
    assert (STRICT.starts, STRICT.other, STRICT.with_start) == (0x78, 0x55, 0b1100)
    for form in (LIGHT, STRICT):
        assert (form.starts ^ form.other).bit_count() == 4


class Verdict(wiring.Component):
    """A decoder that changes nothing. Bits at the end of a codeword are its number of wrong symbols; 8 is too many."""

    latency = 1

    def __init__(self, code, width, unroll, lanes, counter_width, counted):
        assert not counted
        super().__init__({"i": In(stream.Signature(BEATS.bits)), "o": Out(stream.Signature(decoded_layout(BEATS)))})

    def elaborate(self, platform):
        m = Module()
        place, word, sent = Signal(range(BEATS.count)), self.i.payload, self.o.payload
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


class NoParity(wiring.Component):
    """The register of a Reed-Solomon encoder, without parity."""

    def __init__(self, code, width):
        super().__init__({"i": In(stream.Signature(10 * width)), "o": Out(stream.Signature(10 * width))})

    def elaborate(self, platform):
        m = Module()
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += self.o.payload.eq(self.i.payload)
        return m


def marks(simulate, monkeypatch):
    """Blocks through a strict line whose codewords have the verdicts of ``wrong``; returns the events of both counters."""
    monkeypatch.setattr(strict_fec, "RsEncoder", NoParity)
    monkeypatch.setattr(strict_fec, "RsDecoder", Verdict)
    tx, rx, events = StrictLineTx(), StrictLineRx(), {"corrected": 0, "uncorrectable": 0}
    wrong = (3, 0, 8, 2, 0, 8, 0)
    m = Module()
    m.submodules += [tx, rx]
    flips = Signal(BEATS.bits)
    m.d.comb += [
        rx.i.payload.eq(tx.o.payload ^ flips),
        rx.i.valid.eq(tx.o.valid),
        tx.o.ready.eq(rx.i.ready),
    ]

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
    return events


def test_bad_codewords_mark_all_blocks(simulate, monkeypatch):
    """All 20 blocks of a codeword that is not corrected are bad. Codewords before the lock are not counted."""
    assert marks(simulate, monkeypatch) == {"corrected": 1, "uncorrectable": 2}


@pytest.mark.parametrize(
    ("method", "old", "new"),
    [
        ("elaborate", "came.bad | came.fault", "came.fault"),
        ("elaborate", "fec.ended_corrected & fec.locked", "fec.ended_corrected"),
    ],
)
def test_broken_marks_are_noticed(simulate, monkeypatch, mutate, method, old, new):
    mutate(StrictLineRx, method, old, new)
    with pytest.raises(AssertionError):
        assert marks(simulate, monkeypatch) == {"corrected": 1, "uncorrectable": 2}
