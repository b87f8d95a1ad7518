"""Small units of the PCS, for every input."""

import random
from collections import Counter as Counts
from itertools import product

import pytest

from dsnswitch.hdl.logic.gates import Lookup
from dsnswitch.hdl.logic.numbers import Counter
from dsnswitch.hdl.pcs.block_lock import BerMonitor, BlockLock
from dsnswitch.hdl.pcs.characters import KINDS
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, Classifier
from dsnswitch.hdl.pcs.pcs257 import INVALID_HEADER, Expander
from dsnswitch.hdl.pcs.pcs260.framing import FieldDecoder, HeaderDecoder
from dsnswitch.hdl.pcs.pcs260.pcs import Pcs260Rx, Pcs260Tx
from dsnswitch.hdl.pcs.pcs260.protected import LiteralUnpacker
from dsnswitch.hdl.pcs.words import Sequencer
from dsnswitch.sim.golden.pcs import pcs66, pcs257, pcs260
from dsnswitch.sim.golden.pcs.framing import FIELD_WORDS, sample_word, type_sequences
from dsnswitch.sim.golden.pcs.framing_errors import framing_bits
from dsnswitch.sim.golden.pcs.mii import CODES, ERRORS, LANES, join, lanes, type_of


def test_field_decoder(simulate):
    """All 256 octets: zero, one or two bits from a codeword. No octet is further away."""
    decoder, seen = FieldDecoder(), []

    async def bench(ctx):
        for octet in range(256):
            ctx.set(decoder.octet, octet)
            await ctx.delay(1e-9)
            nibble, distance = min(((octet ^ word).bit_count(), n) for n, word in enumerate(FIELD_WORDS))[::-1]
            got = ctx.get(decoder.nibble), ctx.get(decoder.corrected), ctx.get(decoder.bad)
            assert got[1:] == (distance == 1, distance == 2)
            assert got[0] == (octet & 15 if distance == 2 else nibble)
            seen.append(distance)

    simulate(decoder, bench)
    assert [seen.count(distance) for distance in range(4)] == [16, 128, 112, 0]


def test_header_decoder(simulate):
    decoder = HeaderDecoder()

    async def bench(ctx):
        for header in range(16):
            ctx.set(decoder.header, header)
            await ctx.delay(1e-9)
            off = (header ^ pcs260.DATA).bit_count()
            assert ctx.get(decoder.exact) == (off in (0, 4))
            assert ctx.get(decoder.bad) == (off == 2)
            assert off == 2 or ctx.get(decoder.is_data) == (off < 2)

    simulate(decoder, bench)


def test_classifier(simulate):
    """Words of every type, with each character in each lane as control and as data: the type of the golden model."""
    classifier, rng, seen = Classifier(), random.Random(1), set()
    octets = (*CODES, 0x9C, 0x5C, 0xFB, 0xFD, 0x00)
    words = [lanes(sample_word(one, rng, plain=True)) for one in (*LANES, "data")]
    changes = [(word, lane, (octet, flag)) for word in words for lane in range(8) for octet in octets for flag in (0, 1)]

    async def bench(ctx):
        for word, lane, character in changes:
            data, control = join([*word[:lane], character, *word[lane + 1 :]])
            ctx.set(classifier.word, {"data": data, "control": control})
            await ctx.delay(1e-9)
            types = ctx.get(classifier.types)
            found = [kind.byte or "data" for index, kind in enumerate(ALL_TYPES) if types >> index & 1]
            expected = type_of((data, control))
            assert found == ([] if expected is None else [expected]), f"{data:x}, {control:x}"
            seen.add(expected)

    simulate(classifier, bench)
    assert seen == {*LANES, "data", None}


def test_sequencer(simulate):
    """All combinations of four kinds after every state, against the arrows of the standard's figure."""
    sequencer = Sequencer(4)
    states = {"INIT": (1, 0), "C": (1, 0), "T": (1, 0), "D": (0, 1), "E": (0, 0)}

    async def bench(ctx):
        for before, kinds in product(states, product("CSTDE", repeat=4)):
            ctx.set(sequencer.previous, dict(zip(("idle", "frame"), states[before])))
            ctx.set(sequencer.kinds, [1 << KINDS.index(letter) if letter in KINDS else 0 for letter in kinds])
            await ctx.delay(1e-9)
            after = pcs66.sequence(kinds, before)
            good = ctx.get(sequencer.good)
            assert [good >> word & 1 for word in range(4)] == [state != "E" for state in after], (before, kinds)
            assert (ctx.get(sequencer.latest.idle), ctx.get(sequencer.latest.frame)) == states[after[-1]]

    simulate(sequencer, bench)


def test_expander(simulate):
    """A control block in every place, with every nibble instead of its type: a nibble of no type makes its block invalid."""
    expander, rng = Expander(), random.Random(1)

    async def bench(ctx):
        for place, nibble in product(range(4), range(16)):
            body = rng.getrandbits(252) << 4 | 0xF ^ 1 << place
            low = 64 * place + 4
            body = body & ~(0xF << low) | nibble << low
            ctx.set(expander.body_bits, body)
            await ctx.delay(1e-9)
            wanted = pcs257.expand(False, pcs257.bits_of(body, 256))
            for (header, payload), block in zip(wanted, expander.blocks, strict=True):
                assert ctx.get(block.header) == header
                assert header == INVALID_HEADER or ctx.get(block.payload) == payload

    simulate(expander, bench)


def test_literal_unpacker(simulate):
    """Blocks with up to two wrong bits in flags and types, or with the type field 0, which is no type."""
    unpacker, rng, seen = LiteralUnpacker(), random.Random(1), Counts()

    async def bench(ctx):
        for types in rng.sample(type_sequences(), 150):
            header, body = pcs260.pack([sample_word(name, rng) for name in types], "literal")
            if header == pcs260.DATA:
                continue
            for bit in rng.sample(framing_bits(types, "literal"), rng.randrange(3)):
                body ^= 1 << bit >> 4
            if rng.random() < 0.3:
                low = 64 * rng.randrange(1, 4)
                body = body >> low + 8 << low + 8 | body & (1 << low) - 1
            ctx.set(unpacker.body_bits, body)
            await ctx.delay(1e-9)
            words, corrected = pcs260.unpack(header, body, "literal")
            assert ctx.get(unpacker.bad) == (words is None), f"{body:x}"
            seen[words is None, corrected] += 1
            if words is not None:
                assert ctx.get(unpacker.corrected) == corrected
                found = ctx.get(unpacker.words)
                for place, (octets, control) in enumerate(words):
                    if (octets, control) != ERRORS:
                        assert found.data >> 64 * place & (1 << 64) - 1 == octets
                        assert found.control >> 8 * place & 0xFF == control
                    else:
                        assert not ctx.get(unpacker.kinds[place]) or octets == found.data >> 64 * place & (1 << 64) - 1

    simulate(unpacker, bench)
    assert min(seen[True, False], seen[False, False], seen[False, True]) > 5


def test_lock_does_not_test_what_was_on_its_way(simulate):
    """With ``settle`` 3, the three headers after a slip are ignored."""
    lock = BlockLock(settle=3)

    async def bench(ctx):
        ctx.set(lock.test, 1)
        slips = []
        for _ in range(12):
            slips.append(ctx.get(lock.slip))
            await ctx.tick()
        assert slips == [0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]

    simulate(lock, bench, clocked=True)


def test_counter_stops_at_its_greatest_value_and_loses_no_event(simulate):
    counter = Counter(2)

    async def bench(ctx):
        seen = []
        for add, clear in [(1, 0)] * 5 + [(0, 0), (1, 1), (1, 0), (0, 1), (0, 0)]:
            ctx.set(counter.add, add)
            ctx.set(counter.clear, clear)
            await ctx.tick()
            seen.append(ctx.get(counter.count))
        assert seen == [1, 2, 3, 3, 3, 3, 1, 2, 0, 0]

    simulate(counter, bench, clocked=True)


def test_lookup(simulate):
    lookup = Lookup({0: 5, 3: 0, 6: 7}, 3, 3)

    async def bench(ctx):
        for value in range(8):
            ctx.set(lookup.value, value)
            await ctx.delay(1e-9)
            assert (ctx.get(lookup.result), ctx.get(lookup.known)) == ({0: 5, 6: 7}.get(value, 0), value in (0, 3, 6))

    simulate(lookup, bench)


@pytest.mark.parametrize(
    ("component", "arguments", "message"),
    [
        (Pcs260Tx, ("plain",), "256b/260b format must be one of protected, literal, not 'plain'"),
        (Pcs260Rx, ("plain",), "256b/260b format must be one of protected, literal, not 'plain'"),
        (BerMonitor, (10, 11), r"BER monitor limit must be in 1\.\.window and window 2 or more, not 11 and 10"),
        (BerMonitor, (1, 1), "not 1 and 1"),
    ],
)
def test_bad_parameters(quiet, component, arguments, message):
    with pytest.raises(ValueError, match=message):
        quiet(component)(*arguments)
