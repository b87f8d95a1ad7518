"""Bench of a PCS transmitter or receiver, or of an end of the light link, against golden models, with random stalls.

Parameters: ``manifest`` (path), ``words`` (number, or "all" legal sequences of four), ``stall`` (probability), ``wrong``
(probability of wrong bits in a received block or codeword), ``seed``; of the light link ``enable`` (0 or 1).
"""

import cocotb

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, RANDOM, SEED, STALL, code_of
from dsnswitch.sim.bench.drivers.link_line import fours, mii
from dsnswitch.sim.bench.drivers.lockstep import at_full_speed, begin, exchange
from dsnswitch.sim.golden.fec import secded
from dsnswitch.sim.golden.pcs import pcs66, pcs257, pcs260
from dsnswitch.sim.golden.pcs.framing import KIND_TYPES, kind_sequences, random_words, tour, type_sequences
from dsnswitch.sim.golden.pcs.framing_errors import framing_bits
from dsnswitch.sim.golden.pcs.mii import ERRORS, FAULT, IDLES, kind, type_of

BLOCK, FORMAT = MANIFEST["block"], MANIFEST["parameters"].get("format")
WORDS = tour(RANDOM, type_sequences()) if PARAMETERS["words"] == "all" else random_words(PARAMETERS["words"], RANDOM)


def hit(block, width, favoured):
    """The block, sometimes with up to five wrong bits, often among the first ``favoured`` bits."""
    if RANDOM.random() < PARAMETERS["wrong"]:
        for _ in range(RANDOM.choice((1, 1, 2, 3, 5))):
            block ^= 1 << RANDOM.randrange(RANDOM.choice((width, favoured)))
    return block


def misspelt(payload):
    """The payload before scrambling, sometimes with a wrong bit in its type field, or with a random code in one lane."""
    if RANDOM.random() < PARAMETERS["wrong"]:
        if RANDOM.random() < 0.2:
            return payload ^ 1 << RANDOM.randrange(8)
        start = 8 + 7 * RANDOM.randrange(8)
        return payload & ~(0x7F << start) | RANDOM.getrandbits(7) << start
    return payload


def scrambled66(words, spoil=lambda payload: payload, sequenced=True):
    """Blocks ``(header, payload)`` of the golden 64b/66b transmitter; ``spoil`` changes payloads before scrambling.

    Without ``sequenced``, words out of sequence are sent as they are.
    """
    state, sent, blocks = "INIT", [0] * 58, []
    for word in words:
        state = pcs66.sequence([kind(type_of(word))], state)[0]
        header, payload = pcs66.encode_word(ERRORS if sequenced and state == "E" else word)
        bits = pcs257.bits_of(spoil(payload), 64)
        pcs66.scramble(bits, sent)
        blocks.append((header, pcs257.number_of(bits)))
    return blocks


async def check(dut, items, want):
    """Send ``items`` through the block; check that the results are ``want``, and without stalls also the latency."""
    await begin(dut, enable=PARAMETERS.get("enable", 0))
    found = await exchange(dut, items, len(want), stall=STALL, seed=SEED)
    for number, ((got, _), expected) in enumerate(zip(found, want, strict=True)):
        assert got == expected, f"transfer {number}: {got:x}, not {expected:x}"
    assert at_full_speed(found, STALL)


def counted(dut, golden):
    """Check the counters of 256b/260b."""
    for name in ("blocks", "header_errors", "corrected_blocks", "errored_blocks"):
        assert int(getattr(dut, name).value) == getattr(golden, name), name


@cocotb.test(skip=BLOCK != "pcs66-tx")
async def sends_66(dut):
    want = [header | payload << 2 for header, payload in scrambled66(WORDS)]
    await check(dut, [mii([word]) for word in WORDS], want)


@cocotb.test(skip=BLOCK != "pcs66-rx")
async def receives_66(dut):
    """Words, lock, BER monitor and counters: with wrong types and codes, out of sequence, then with wrong bits until the BER is
    high."""
    clean = scrambled66([IDLES] * 80)
    disordered = scrambled66(random_words(150, RANDOM, 0.4), sequenced=False)
    received = [header | payload << 2 for header, payload in clean + scrambled66(WORDS, misspelt) + disordered]
    few = RANDOM.sample(range(80, len(received)), MANIFEST["parameters"]["limit"] // 2)
    received = [block ^ (at in few) for at, block in enumerate(received)]
    received += [hit(header | payload << 2, 66, 10) for header, payload in scrambled66(WORDS * 2)]
    lock, receiver, got, want = pcs66.Lock(), pcs66.Receiver(), [0] * 58, []
    monitor = pcs66.BerMonitor(MANIFEST["parameters"]["window"], MANIFEST["parameters"]["limit"])
    invalid, ever_high = 0, False
    for block in received:
        good, header, bits = lock.locked and not monitor.high, block & 3, pcs257.bits_of(block >> 2, 64)
        pcs66.descramble(bits, got)
        word = receiver.step((header, pcs257.number_of(bits)), good)
        want += [mii([word])] if word is not None else []
        valid = header in (pcs66.DATA, pcs66.CONTROL)
        invalid += lock.locked and not valid
        monitor.test(valid, lock.locked)
        lock.test(valid)
        ever_high |= monitor.high
    assert ever_high, "the run does not test the BER monitor"
    assert want.count(mii([FAULT])) < len(want) * 3 / 4, "the run hardly tests words"
    await check(dut, received, want)
    assert int(dut.invalid_headers.value) == invalid
    assert int(dut.errored_blocks.value) == want.count(mii([ERRORS]))
    assert (bool(dut.locked.value), bool(dut.high_ber.value)) == (lock.locked, monitor.high)


def packed66(blocks):
    """Payload of several 64b/66b blocks."""
    return sum((header | payload << 2) << 66 * index for index, (header, payload) in enumerate(blocks))


@cocotb.test(skip=BLOCK != "pcs257-tx")
async def sends_257(dut):
    groups = fours([pcs66.encode_word(word) for word in WORDS])
    for group in groups[::10]:
        group[RANDOM.randrange(4)] = (RANDOM.choice((0, 3)), RANDOM.getrandbits(64))
    await check(dut, [packed66(group) for group in groups], [pcs257.transmit(group) for group in groups])


@cocotb.test(skip=BLOCK != "pcs257-rx")
async def receives_257(dut):
    groups = fours([pcs66.encode_word(word) for word in WORDS])
    received = [hit(pcs257.transmit(group), 257, 13) for group in groups]
    await check(dut, received, [packed66(pcs257.receive(block)) for block in received])


@cocotb.test(skip=BLOCK != "mii257-tx")
async def sends_mii257(dut):
    golden, groups = pcs257.Transmitter(), fours(WORDS)
    await check(dut, [mii(group) for group in groups], [golden.step(group) for group in groups])


@cocotb.test(skip=BLOCK != "mii257-rx")
async def receives_mii257(dut):
    """Words and counters, with wrong bits, uncorrectable blocks, and loss of lock."""
    sender, golden, received, want = pcs257.Transmitter(), pcs257.Receiver(), [], []
    for group in fours(WORDS):
        bad, fault = (int(RANDOM.random() < PARAMETERS["wrong"] / few) for few in (20, 40))
        received.append(hit(sender.step(group), 257, 13) | bad << 257 | fault << 258)
        want.append(mii(golden.step(received[-1] & (1 << 257) - 1, bool(bad), bool(fault))))
    await check(dut, received, want)
    assert (int(dut.blocks.value), int(dut.errored_blocks.value)) == (golden.blocks, golden.errored_blocks)
    assert golden.errored_blocks > 0


@cocotb.test(skip=BLOCK != "pcs260-tx")
async def sends_260(dut):
    golden, groups = pcs260.Transmitter(FORMAT), fours(WORDS)
    await check(dut, [mii(group) for group in groups], [golden.step(group) for group in groups])


@cocotb.test(skip=BLOCK != "pcs260-rx")
async def receives_260(dut):
    """Words, lock and counters, with wrong bits and uncorrectable blocks."""
    sender, golden = pcs260.Transmitter(FORMAT), pcs260.Receiver(FORMAT)
    received = [(sender.step([IDLES] * 4), 0) for _ in range(66)]
    bad = PARAMETERS["wrong"] / 20
    received += [(hit(sender.step(group), 260, 28), int(RANDOM.random() < bad)) for group in fours(WORDS)]
    want = [mii(golden.step(block, bool(bad))) for block, bad in received]
    await check(dut, [block | bad << 260 for block, bad in received], want)
    assert bool(dut.locked.value) == golden.lock.locked
    counted(dut, golden)
    dut.clear.value = 1
    await exchange(dut, [0], 1)
    assert int(dut.blocks.value) <= 1


@cocotb.test(skip=BLOCK != "pcs260-rx")
async def survives_wrong_framing(dut):
    """Wrong bits in the framing of each legal sequence of kinds: all single bits or ``words`` of them, and as many pairs.

    Bits are inverted before scrambling, so that the descrambler does not multiply them. In the protected format a single
    wrong bit is corrected and counted. Two wrong bits are corrected and counted, or turn all four words into errors.
    """
    few, sequences = PARAMETERS["words"], []
    for kinds in kind_sequences():
        types = tuple(RANDOM.choice(KIND_TYPES[letter]) for letter in kinds)
        bits = framing_bits(types, FORMAT)
        singles = [(bit,) for bit in (bits if few == "all" else RANDOM.sample(bits, few))]
        sequences += [(types, wrong) for wrong in singles + [RANDOM.sample(bits, 2) for _ in singles]]
    sender, golden, received, want = pcs260.Transmitter(FORMAT), pcs260.Receiver(FORMAT), [], []
    for _ in range(66):
        received.append(sender.step([IDLES] * 4))
        want.append(golden.step(received[-1]))
    words = fours(tour(RANDOM, [types for types, _ in sequences]))
    for way, group, (_, wrong) in zip(words[::2], words[1::2], sequences):
        received += [sender.step(way), sender.step(group, sum(1 << bit for bit in wrong))]
        before = golden.corrected_blocks, golden.errored_blocks
        want += [golden.step(block) for block in received[-2:]]
        after = golden.corrected_blocks - before[0], golden.errored_blocks - before[1]
        if FORMAT == "protected" and len(wrong) == 1:
            assert (want[-1], after[0]) == (group, 1)
        elif FORMAT == "protected":
            assert (want[-1] == group and after[0] == 1) or (want[-1] == [ERRORS] * 4 and after[1])
    await check(dut, received, [mii(group) for group in want])
    assert int(dut.corrected_blocks.value) == golden.corrected_blocks
    assert int(dut.errored_blocks.value) == golden.errored_blocks


@cocotb.test(skip=not BLOCK.endswith("-rx") or BLOCK == "pcs257-rx")
async def finds_the_blocks(dut):
    """On a line that begins anywhere, slips find the boundary of blocks bit by bit. 16 wrong headers lose the lock."""
    width = 66 if BLOCK == "pcs66-rx" else 260
    if width == 66:
        blocks = [header | payload << 2 for header, payload in scrambled66(WORDS)]
    else:
        sender = pcs260.Transmitter(FORMAT)
        blocks = [sender.step(group) for group in fours(WORDS)]
    line = sum(block << width * index for index, block in enumerate(blocks))
    start, slips = RANDOM.randrange(1, width), 0
    await begin(dut)
    for _ in range(len(blocks) - 2):
        block = line >> start & (1 << width) - 1
        start += width
        await exchange(dut, [block], 0)
        if dut.slip.value:
            start, slips = start + 1, slips + 1
    assert dut.locked.value
    assert start % width == 0
    assert 0 < slips <= 2 * width
    for wrong in range(1, 17):
        assert dut.locked.value, f"lost after {wrong - 1}"
        await exchange(dut, [0], 0)
    assert not dut.locked.value
    assert dut.slip.value


# The light link: 256b/260b in a SECDED code.

CODE, ENABLE = code_of(MANIFEST["code"]) if BLOCK.startswith("light") else None, PARAMETERS.get("enable", 0)
#: Blocks of idles before the traffic, a few more than the lock needs.
LOCKING = 68


def codewords():
    """Groups of words, and their codewords by the golden transmitter."""
    sender, groups = pcs260.Transmitter(FORMAT), fours([IDLES] * 4 * LOCKING + WORDS)
    blocks = [sender.step(group) for group in groups]
    return groups, secded.numbers(secded.encode(CODE, secded.words(blocks, CODE.k))) if ENABLE else blocks


@cocotb.test(skip=BLOCK != "light-link-tx")
async def sends_light(dut):
    groups, want = codewords()
    await check(dut, [mii(group) for group in groups], want)


@cocotb.test(skip=BLOCK != "light-link-rx")
async def receives_light(dut):
    """Words and every counter are those of the golden model, with up to three wrong bits per codeword after the lock."""
    _, words = codewords()
    for index in range(LOCKING, len(words)):
        if RANDOM.random() < PARAMETERS["wrong"]:
            for bit in RANDOM.sample(range(CODE.n), RANDOM.choice((1, 1, 1, 2, 3))):
                words[index] ^= 1 << bit
    data, corrected, uncorrectable, _ = secded.decode(CODE, secded.words(words, CODE.n))
    if not ENABLE:
        data, corrected, uncorrectable = secded.words(words, CODE.n)[:, : CODE.k], corrected & False, corrected & False
    golden = pcs260.Receiver(FORMAT)
    blocks = zip(secded.numbers(data), uncorrectable)
    await check(dut, words, [mii(golden.step(block, bool(bad))) for block, bad in blocks])
    counted(dut, golden)
    assert int(dut.corrected.value) == corrected[LOCKING:].sum()
    assert int(dut.uncorrectable.value) == uncorrectable[LOCKING:].sum()
    assert (int(dut.corrected.value) > 0) == bool(ENABLE)
    assert golden.errored_blocks > 0


@cocotb.test(skip=BLOCK != "light-link-rx")
async def enable_may_change_at_any_block(dut):
    """With a wrong bit in every block for which ``enable`` is 1, all words arrive as sent and are counted as corrected."""
    await begin(dut)
    golden, found, [_, words] = pcs260.Receiver(FORMAT), [], codewords()
    want = [mii(golden.step(word & (1 << CODE.k) - 1)) for word in words]
    enabled = [RANDOM.randrange(2) for _ in words]
    for word, on in zip(words, enabled):
        dut.enable.value = on
        found += await exchange(dut, [word ^ on << RANDOM.randrange(CODE.n)], 0)
    found += await exchange(dut, [], len(want) - len(found))
    assert [payload for payload, _ in found] == want
    # The receiver is locked when the 65th codeword has passed the decoder.
    assert int(dut.corrected.value) == sum(enabled[65:])
    assert int(dut.uncorrectable.value) == 0
