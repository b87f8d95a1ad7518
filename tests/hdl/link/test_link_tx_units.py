"""Control of the strict and the selected transmitter on Amaranth's simulator: pace, markers, latency of every block.

The PCS passes its first bits as a block and the codes add zeros, so that a run takes a second. The benches of ``test_strict.py``
simulate the real PCS and codes.
"""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line import codeword_lock as pacer
from dsnswitch.hdl.line import light as light_fec
from dsnswitch.hdl.line import selected as encode
from dsnswitch.hdl.line import strict as strict_fec
from dsnswitch.hdl.link import selected, strict
from dsnswitch.hdl.pcs.dual import sent_dual_layout
from dsnswitch.hdl.pcs.layouts import mii
from dsnswitch.hdl.stream.stage import stage
from dsnswitch.sim.golden.line.gearbox import regroup
from dsnswitch.sim.golden.line.selected import BITS, GROUPS, Transmitter, formats

from ..no_parity import NoParity


class PlainPcs(wiring.Component):
    """A PCS whose block, in either format, is the first bits of four words."""

    i: In(stream.Signature(mii(4)))
    strict: In(1)
    o: Out(stream.Signature(sent_dual_layout()))

    def elaborate(self, platform):
        m = Module()
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += [self.o.payload.block.eq(self.i.payload.as_value()[:260]), self.o.payload.strict.eq(self.strict)]
        return m


class PlainPcs257(wiring.Component):
    """The same PCS for the strict format alone."""

    i: In(stream.Signature(mii(4)))
    o: Out(stream.Signature(257))

    def elaborate(self, platform):
        m = Module()
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += self.o.payload.eq(self.i.payload.as_value())
        return m


class NoChecks(wiring.Component):
    """A SECDED encoder whose check bits are 0."""

    def __init__(self, code):
        super().__init__({"data": In(code.k), "word": Out(code.n)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.word.eq(self.data)
        return m


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setattr(selected, "DualTx", PlainPcs)
    monkeypatch.setattr(strict, "Mii257Tx", PlainPcs257)
    monkeypatch.setattr(strict_fec, "RsEncoder", NoParity)
    monkeypatch.setattr(light_fec, "SecdedEncoder", NoChecks)


def words_of(blocks, of_strict):
    """Words of the gearbox for a group of blocks."""
    if of_strict:
        return regroup([block & (1 << 257) - 1 for block in blocks], 257, 160, 5140)
    blocks = [block & (1 << 260) - 1 for block in blocks]
    return regroup([blocks[0] | 0x3FF << 260, *blocks[1:]], 270, 160)


class Run:
    """Blocks through a transmitter. ``offers`` and ``takes`` say in which cycles words are offered, and accepted by the line."""

    def __init__(self, simulate, link, cycles, asked, offers, takes):
        self.link, self.cycles, self.asked, self.offers, self.takes = link, cycles, asked, offers, takes
        self.blocks, self.accepted, self.line, self.sent = [], [], [], []
        simulate(link, self._bench, clocked=True)

    async def _bench(self, ctx):
        rng, link, offered, held = random.Random(1), self.link, None, None
        for cycle in range(self.cycles):
            if hasattr(link, "strict"):
                ctx.set(link.strict, self.asked(cycle))
            if offered is None and self.offers(cycle):
                offered = rng.getrandbits(256)
                ctx.set(link.i.payload, {"data": offered})
            ctx.set(link.i.valid, offered is not None)
            ctx.set(link.o.ready, self.takes(cycle))
            if ctx.get(link.o.valid):
                word = ctx.get(link.o.payload)
                assert held in (None, word), "a word changed before the line took it"
                held = None if self.takes(cycle) else word
                if self.takes(cycle):
                    self.line.append(word)
                    self.sent.append(cycle)
                else:
                    assert not ctx.get(link.i.ready), "words are accepted while the line waits"
            if offered is not None and ctx.get(link.i.ready):
                self.blocks.append(offered)
                self.accepted.append(cycle)
                offered = None
            await ctx.tick()

    def groups(self, first):
        """``(format, first block, first word)`` of every complete group; the words are checked."""
        found, block, word, mode, want = [], 0, 0, first, []
        for one in formats(self.line, first):
            if not isinstance(one, bool):
                mode = not mode
                want += Transmitter.change(mode)
                assert self.line[word : word + one] == want[word : word + one]
                word += one
                continue
            blocks, words = GROUPS[one]
            if block + blocks > len(self.blocks) or word + words > len(self.line):
                break
            want += words_of(self.blocks[block : block + blocks], one)
            assert self.line[word : word + words] == want[word : word + words], (one, block)
            found.append((one, block, word))
            block, word = block + blocks, word + words
        assert len(self.blocks) - block <= 2 * 20, "blocks were lost"
        return found

    def latencies(self, first):
        """Cycles from each block to the word that contains its first bit."""
        return {
            self.sent[word + BITS[one] * place // 160] - self.accepted[block + place]
            for one, block, word in self.groups(first)
            for place in range(GROUPS[one][0])
        }


def always(cycle):
    return True


def often(seed, share):
    """A function that is true in the share ``share`` of cycles, which are the same in every call."""
    rng = random.Random(seed)
    chosen = [rng.random() < share for _ in range(2000)]
    return lambda cycle: chosen[cycle]


def change_at(*cycles):
    """The requested format: light at first, then the other one from each of these cycles on."""
    return lambda cycle: sum(cycle >= one for one in cycles) % 2 == 1


#: Changes in both directions, one that is undone in the middle of a group, and one before any word was accepted.
CHANGES = (100, 180, 330, 340, 700)


def changes(simulate, kind, offers=always, takes=always):
    """A run of the selected transmitter through changes of the format: words, markers and fillers; returns its groups."""
    run = Run(simulate, kind(), 1100, change_at(*CHANGES), offers, takes)
    found = run.groups(False)
    assert {one for one, _, _ in found} == {False, True}
    assert len({word - 27 * place for place, (_, _, word) in enumerate(found)}) > 2
    return run


def has_constant_latency(simulate, kind, asked=lambda cycle: False, first=False):
    """Words are always offered, or with gaps, and the line always accepts a word. A full line has a word in every cycle."""
    for offers in (always, often(1, 0.5), often(2, 0.8)):
        run = Run(simulate, kind(), 500, asked, offers, always)
        assert len(run.groups(first)) >= 5
        assert run.latencies(first) == {3}
        if offers is always and asked(0) == asked(500):
            assert run.sent == list(range(run.accepted[0] + 3, 500))


def test_strict_latency(simulate):
    has_constant_latency(simulate, strict.StrictLinkTx, first=True)


@pytest.mark.parametrize("first", [False, True], ids=["light", "strict"])
def test_selected_latency(simulate, first):
    has_constant_latency(simulate, selected.SelectedLinkTx, lambda cycle: first, first)


def test_selected_latency_behind_changes(simulate):
    assert changes(simulate, selected.SelectedLinkTx).latencies(False) == {3}


@pytest.mark.parametrize(("offers", "takes"), [(0.4, 1), (1, 0.5), (0.7, 0.7)])
def test_changes_under_stalls(simulate, offers, takes):
    changes(simulate, selected.SelectedLinkTx, often(3, offers), often(4, takes))


def test_strict_under_stalls(simulate):
    run = Run(simulate, strict.StrictLinkTx(), 900, None, often(5, 0.7), often(6, 0.7))
    assert len(run.groups(True)) > 8


@pytest.mark.parametrize("kind", [strict.StrictLinkTx, selected.SelectedLinkTx])
def test_first_word_does_not_wait_for_the_line(simulate, kind):
    run = Run(simulate, kind(), 9, lambda cycle: False, always, lambda cycle: cycle == 8)
    assert run.accepted[0] == 0
    assert run.sent == [8]


def test_pacer_by_hand():
    """Two blocks of three bits in three words of two bits: the second block begins in the second word."""
    assert pacer.due_in(3, 2, 2) == (0, 1)
    assert pacer.due_in(257, 160, 20)[:5] == (0, 1, 3, 4, 6)
    assert pacer.due_in(270, 160, 16)[-2:] == (23, 25)


@pytest.mark.parametrize(
    ("method", "old", "new"),
    [
        ("elaborate", "self.due.eq(pace_due & ~marker.valid)", "self.due.eq(1)"),
        ("elaborate", "& go & ~wanted", "& go"),
        ("_mark", "Mux(mode, GAP, 0)", "Mux(mode, GAP - 1, 0)"),
        ("_mark", "wanted & ~on_the_way.any()", "wanted"),
        ("_mark", "Mux(mode, LIGHT, STRICT)", "Mux(mode, STRICT, LIGHT)"),
    ],
    ids=["ready-during-a-change", "accepts-while-a-change-waits", "one-filler-fewer", "early-marker", "other-marker"],
)
def test_broken_change_is_noticed(simulate, mutate, method, old, new):
    mutate(encode.SelectedEncode, method, old, new)
    with pytest.raises(AssertionError):
        changes(simulate, selected.SelectedLinkTx)


@pytest.mark.parametrize("test", [test_strict_latency, test_selected_latency_behind_changes], ids=["strict", "selected"])
def test_transmitter_that_accepts_early_is_noticed(simulate, monkeypatch, test):
    """Blocks of a group that are due in its first cycles must wait for the gearbox."""
    monkeypatch.setattr(pacer, "due_in", lambda bits, out, blocks: tuple(range(blocks)))
    with pytest.raises(AssertionError, match=r"== \{3\}"):
        test(simulate)
