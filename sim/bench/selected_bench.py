"""Bench of the selected link, against the golden model, with Ethernet frames that continue across changes of the format.

Parameters: ``manifest`` (path), ``blocks`` (of traffic), ``stall`` (probability), ``changes`` (number), ``seed``.
"""

import random
from itertools import product

import cocotb

from dsnswitch.sim.bench.drivers import link_line
from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, SEED, STALL, code_of
from dsnswitch.sim.bench.drivers.link_line import ShiftedLine, counted, first_word, fours, lost_frames
from dsnswitch.sim.bench.drivers.lockstep import begin, lockstep
from dsnswitch.sim.bench.drivers.traffic import traffic
from dsnswitch.sim.golden.line.selected import BITS, GROUPS, MARKERS, Receiver, Transmitter, formats
from dsnswitch.sim.golden.pcs.mii import ERRORS, FAULT, IDLES

CODES = {True: code_of(MANIFEST["code"]), False: code_of(MANIFEST["light_code"])}
#: Latency of the transmitter, and of the receiver in either format.
LATENCIES = MANIFEST["latencies"]
TX_LATENCY, RX_LATENCY = LATENCIES["tx"], {False: LATENCIES["rx"], True: LATENCIES["rx, strict"]}
#: Blocks of idles before the traffic, for the lock, and after it; first cycle in which a change of format may be requested.
QUIET, TAIL, FIRST_CHANGE = 160, 400, 400
COUNTERS = ("codewords", "corrected", "uncorrectable", "symbol_errors")


class Crossing(link_line.Crossing):
    """One run of traffic from words to words. The requested format changes in the cycles ``at``."""

    def __init__(self, is_strict, at, change=lambda number, word: word):
        words, self.frames = traffic(random.Random(SEED), 4 * PARAMETERS["blocks"], short=60)
        super().__init__([[IDLES] * 4] * QUIET + fours(words) + [[IDLES] * 4] * TAIL, change)
        self.wanted, self.first, self.at = len(self.groups) - TAIL + 20, is_strict, set(at)

    async def run(self, dut, stall, done=None):
        """Run until all traffic has arrived."""
        asked = int(self.first)

        def each(cycle):
            nonlocal asked
            if cycle in self.at:
                asked = 1 - asked
                dut.tx_strict.value = asked

        await super().run(dut, stall, done, each, tx_strict=asked, rx_strict=asked)
        self.formats = formats(self.on_line, self.first)
        return self

    def changed_at(self):
        """Numbers of the blocks before which the format changes."""
        block, found = 0, []
        for one in self.formats:
            if isinstance(one, bool):
                block += GROUPS[one][0]
            else:
                found.append(block)
        return found

    def sent_right(self):
        """Check that the words of the line are those of the golden transmitter."""
        golden, groups, want, mode = Transmitter(CODES), iter(self.groups), [], self.first
        for one in self.formats:
            if isinstance(one, bool):
                part = [next(groups, None) for _ in range(GROUPS[one][0])]
                if None in part:
                    break
                want += golden.group(one, part)
            else:
                mode = not mode
                want += golden.change(mode)
        assert len(want) > 0.9 * len(self.on_line)
        assert self.on_line[: len(want)] == want[: len(self.on_line)]

    def received_right(self, dut):
        """Check that words of the MII and counters are those of the golden receiver, which is returned."""
        golden = Receiver(CODES, self.first)
        want = golden.receive(self.received)
        for block, (got, expected) in enumerate(zip(self.found, want)):
            assert got == expected, f"block {block}: {got}, not {expected}"
        # The receiver passes on blocks of an incomplete light group.
        assert len(want) > len(self.found) - GROUPS[False][0]
        assert int(dut.rx_changes.value) == golden.changes
        return golden

    def frames_lost(self):
        """Check that good frames are sent frames, in the words in which they were sent; returns the number of lost frames."""
        return len(lost_frames(self.found, self.frames, 4 * QUIET))

    def across(self):
        """Number of changes inside a frame."""
        spans = [(QUIET + one.first // 4, QUIET + one.last // 4) for one in self.frames]
        return sum(any(first < block <= last for first, last in spans) for block in self.changed_at())

    def _accepted(self, block, word, one):
        """``(index in the group, cycle)`` of the blocks of a group whose first words have been sent."""
        taken = self.source.cycles[block : block + GROUPS[one][0]]
        sent = len(self.line.cycles)
        return [(index, at) for index, at in enumerate(taken) if word + first_word(index, BITS[one]) < sent]

    def at_full_speed(self):
        """Check that the line never waits, and the latency of every block sent and of every group received, by its format."""
        sent, out = self.line.cycles, self.sink.cycles
        taken = self.line.source.cycles
        assert sent[: len(taken)] == taken
        word = block = 0
        seen = {False: set(), True: set()}
        for one in self.formats:
            if isinstance(one, bool):
                if block < len(out):
                    seen[one].add(out[block] - sent[word])
                blocks, words = GROUPS[one]
                late = {sent[word + first_word(index, BITS[one])] - at for index, at in self._accepted(block, word, one)}
                assert late <= {TX_LATENCY}, (one, block, late)
                block, word = block + blocks, word + words
            else:
                word += one
        for one, latencies in seen.items():
            assert latencies <= {RX_LATENCY[one]}, (one, latencies)
        assert all(seen.values())


def cycles(rng, count):
    """Random cycles for changes, between the lock and the end of the traffic."""
    return rng.sample(range(FIRST_CHANGE, FIRST_CHANGE + int(1.6 * PARAMETERS["blocks"])), count)


@cocotb.test()
async def nothing_is_lost(dut):
    """After the lock every word arrives, across all changes."""
    rng = random.Random(SEED)
    for stall, first in product((0, STALL), (False, True)):
        crossing = await Crossing(first, cycles(rng, PARAMETERS["changes"])).run(dut, stall)
        crossing.sent_right()
        golden = crossing.received_right(dut)
        assert golden.changes >= PARAMETERS["changes"] // 3
        start = next(block for block, group in enumerate(crossing.found) if group != [FAULT] * 4)
        assert crossing.found[start:] == crossing.groups[start : len(crossing.found)]
        assert crossing.frames_lost() == 0
        assert crossing.across() > 0
        stall or crossing.at_full_speed()
    await link_line.clear(dut)


@cocotb.test()
async def wrong_bits(dut):
    """With single wrong bits, bursts, and up to 16 wrong bits in a marker, the receiver agrees with the golden receiver."""
    rng = random.Random(SEED + 1)

    def spoil(number, word):
        if number < 500:
            return word
        if word in MARKERS.values():
            return word ^ sum(1 << bit for bit in rng.sample(range(160), rng.randrange(17)))
        if rng.random() < 0.08:
            word ^= 1 << rng.randrange(160)
        # Two wrong bits of a symbol: too many for the light format.
        if rng.random() < 0.03:
            word ^= sum(1 << bit for bit in rng.sample(range(10), 2)) << 10 * rng.randrange(16)
        return word ^ (rng.getrandbits(160) if rng.random() < 0.003 else 0)

    seen = dict.fromkeys(("frames", "changes", "corrected", "uncorrectable", "light_corrected", "light_uncorrectable"), 0)
    for first in (False, True):
        crossing = await Crossing(first, cycles(rng, PARAMETERS["changes"]), spoil).run(dut, STALL)
        golden = crossing.received_right(dut)
        counters = counted(dut, (*COUNTERS, *list(seen)[4:]))
        # The golden receiver does not decode an incomplete light group at the end.
        for name in list(seen)[4:]:
            assert 0 <= counters[name] - getattr(golden, name) <= GROUPS[False][0], name
        seen["frames"] += crossing.frames_lost()
        seen["changes"] += golden.changes
        for name in list(seen)[2:]:
            seen[name] += counters[name]
    assert min(seen.values()) > 0, seen
    dut._log.info("wrong bits: %s, frames are those lost", seen)


@cocotb.test()
async def a_marker_that_is_missed_loses_the_lock(dut):
    """With 17 wrong bits a marker is missed. The receiver stays in its format and loses lock; all its good frames were sent."""
    rng = random.Random(SEED + 2)
    for first in (False, True):

        def spoil(number, word):
            return word ^ sum(1 << bit for bit in rng.sample(range(160), 17)) if word in MARKERS.values() else word

        crossing = Crossing(first, [600], spoil)
        was = [0]

        def lost(crossing=crossing, was=was):
            was[0] |= int(dut.rx_locked.value)
            return was[0] and not int(dut.rx_locked.value)

        await crossing.run(dut, 0, done=lost)
        assert int(dut.rx_changes.value) == 0
        crossing.frames_lost()
        assert ERRORS in [word for group in crossing.found for word in group]


@cocotb.test()
async def finds_groups(dut):
    """On a line of the light format that begins a few bits, or a codeword, early, slips find the groups."""
    rng = random.Random(SEED)
    off = PARAMETERS.get("off", 3)
    words, _ = traffic(rng, 4 * (500 + 70 * off))
    golden, groups = Transmitter(CODES), fours(words)
    sent = [word for first in range(0, len(groups) - 15, 16) for word in golden.group(False, groups[first : first + 16])]
    await begin(dut)
    line = ShiftedLine(dut, sent, off, rng)
    await lockstep(dut, [line.source, line.sink], line.ended, line.each)
    assert line.slips == off
    assert dut.rx_locked.value
    found, first = line.found()
    shift = next(s for s in range(len(groups)) if groups[s : s + 9] == found[first + 1 : first + 10])
    assert found[first + 1 :] == groups[shift : shift + len(found) - first - 1]
