"""Bench of the PCS and of the light link with frames of an external XGMII model (cocotbext-eth).

Its source and sink have 64 data bits and 8 control bits per cycle. The package has no model of 64b/66b blocks, so the golden
model checks the blocks on the line between ``pcs66-tx`` and ``pcs66-rx``. Each of these two runs alone.

Parameters: ``manifest`` (path), ``blocks`` (path of the blocks that ``pcs66-tx`` writes and ``pcs66-rx`` reads), ``seed``.
"""

import json
import random
from pathlib import Path

import cocotb
from cocotb.triggers import FallingEdge
from cocotbext.eth import XgmiiFrame, XgmiiSink, XgmiiSource, xgmii

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, SEED
from dsnswitch.sim.bench.drivers.lockstep import Line, Sink, Source, begin, lockstep
from dsnswitch.sim.bench.drivers.traffic import frame, size
from dsnswitch.sim.golden.pcs import pcs66, pcs257
from dsnswitch.sim.golden.pcs.mii import FAULT, IDLES

BLOCK = MANIFEST["block"]
#: Words of idles before the frames: the receivers lock after 64 blocks.
QUIET = {"light-link": 4 * 70}.get(BLOCK, 70)
#: Mean number of idle octets between frames: 12 is the least of Clause 46; with 0 the next word is a start, in lane 0.
GAPS = (12, 0)


def payloads(gap):
    """Frames to send, from dpkt, without check sequence, which the external model adds."""
    rng = random.Random(SEED + gap)
    return [frame(rng, rng.randint(64, 160))[:-4] for _ in range(60)] + [frame(rng, size(rng))[:-4] for _ in range(6)]


class View:
    """Stands in for a signal of ``width`` bits. The external model needs it because our ports join data and control."""

    def __init__(self, dut, width):
        self.value, self._path, self._width, self.clock = 0, f"{dut._path}.view{width}", width, dut.clk

    def __len__(self):
        return self._width

    def setimmediatevalue(self, value):
        self.value = value


# An idle sink waits for an edge of its signals; a view may change at any falling edge of the clock.
xgmii.Edge = lambda view: FallingEdge(view.clock)


class ForeignSource:
    """Passes words of an :class:`XgmiiSource` to the stream source ``to``, ``lanes`` words per item."""

    def __init__(self, dut, to, lanes, gap):
        self.data, self.control = View(dut, 64), View(dut, 8)
        self.model = XgmiiSource(self.data, self.control, dut.clk)
        self.model.log.setLevel("WARNING")
        self.model.ifg = gap
        self.model.data.value, self.model.ctrl.value = IDLES
        self._to, self._lanes, self.words = to, lanes, []

    def drive(self, cycle):
        self.words.append((self.data.value, self.control.value))
        if len(self.words) % self._lanes == 0:
            last = enumerate(self.words[-self._lanes :])
            shift = 64 * self._lanes
            self._to.items.append(sum(d << 64 * j | c << shift + 8 * j for j, (d, c) in last))

    def finish(self, cycle):
        return False


class ForeignSink:
    """Passes words of the stream sink ``of``, ``lanes`` per item, to an :class:`XgmiiSink`: one per cycle, or idles."""

    def __init__(self, dut, of, lanes):
        self.data, self.control = View(dut, 64), View(dut, 8)
        self.data.value, self.control.value = IDLES
        self.model = XgmiiSink(self.data, self.control, dut.clk)
        self.model.log.setLevel("WARNING")
        self._of, self._lanes, self._taken, self.words = of, lanes, 0, []

    def drive(self, cycle):
        item, lane = divmod(self._taken, self._lanes)
        self.data.value, self.control.value = IDLES
        if item < len(self._of.items):
            value, self._taken = self._of.items[item], self._taken + 1
            self.data.value = value >> 64 * lane & (1 << 64) - 1
            self.control.value = value >> 64 * self._lanes + 8 * lane & 0xFF
            self.words.append((self.data.value, self.control.value))

    def finish(self, cycle):
        return False


async def send(dut, ends, source, gap, tail=40):
    """Run until the external source has sent everything, and ``tail`` cycles more."""
    left = [QUIET]
    queued = False

    def done():
        nonlocal queued
        if left[0]:
            left[0] -= 1
        elif not queued:
            for payload in payloads(gap):
                source.model.send_nowait(XgmiiFrame.from_payload(payload))
            queued = True
        elif source.model.idle():
            left.append(0)
        return len(left) > tail

    await lockstep(dut, ends, done)


def arrived(model, gap):
    """Check that the sink has every frame as sent, and nothing else."""
    for payload in payloads(gap):
        got = model.recv_nowait()
        assert got.get_payload() == payload
        assert got.check_fcs()
        assert got.ctrl is None
    assert model.empty()


def close(words):
    """Number of frames that start in lane 0 of the word after the end of another, and the set of lanes in which frames start."""
    starts = [{0x01: 0, 0x1F: 4}.get(control) for _, control in words]
    ends = [bool(control) and data >> 8 * (8 - control.bit_count()) & 0xFF == 0xFD for data, control in words]
    return sum(end and start == 0 for end, start in zip(ends, starts[1:])), set(starts) - {None}


@cocotb.test(skip=BLOCK != "pcs66-tx")
async def sends(dut):
    """The golden model reads the words of the external source from the transmitter's blocks."""
    runs = []
    for gap in GAPS:
        await begin(dut)
        into, out = Source(dut, "i", (), 0, random), Sink(dut, "o", 0, random)
        source = ForeignSource(dut, into, 1, gap)
        await send(dut, [source, into, out], source, gap)
        state, found = [0] * 58, []
        # The golden model is slow, so it reads only the first blocks. The receiver's test uses all of them.
        for block in out.items[:1500]:
            bits = pcs257.bits_of(block >> 2, 64)
            pcs66.descramble(bits, state)
            found.append(pcs66.payload_word(block & 3, pcs257.number_of(bits)))
        assert found == source.words[: len(found)]
        assert len(out.items) >= len(source.words) - 1
        often, lanes = close(source.words)
        assert (often > 0, lanes) == {12: (False, {0, 4}), 0: (True, {0})}[gap]
        runs.append(out.items)
    Path(PARAMETERS["blocks"]).write_text(json.dumps(runs))


@cocotb.test(skip=BLOCK != "pcs66-rx")
async def receives(dut):
    """The external sink receives the frames of the external source from the transmitter's blocks."""
    for gap, blocks in zip(GAPS, json.loads(Path(PARAMETERS["blocks"]).read_text())):
        await begin(dut)
        into, out = Source(dut, "i", blocks, 0, random), Sink(dut, "o", 0, random)
        sink = ForeignSink(dut, out, 1)
        # The last block waits for a next block.
        await lockstep(dut, [into, out, sink], lambda sink=sink, blocks=blocks: len(sink.words) == len(blocks) - 1)
        assert set(sink.words[:64]) == {FAULT}
        assert sink.model.get_os() == (0x000001, False)
        arrived(sink.model, gap)
        assert (int(dut.errored_blocks.value), int(dut.invalid_headers.value)) == (0, 0)


@cocotb.test(skip=BLOCK != "light-link")
async def crosses(dut):
    """The frames cross both ends of the light link, four words at a time."""
    for gap in GAPS:
        await begin(dut, tx_enable=1, rx_enable=1)
        into, out = Source(dut, "tx_i", (), 0, random), Sink(dut, "rx_o", 0, random)
        line = Line(dut, "tx_o", "rx_i", 0, random)
        source, sink = ForeignSource(dut, into, 4, gap), ForeignSink(dut, out, 4)
        await send(dut, [source, into, line, out, sink], source, gap)
        assert sink.words[4 * 64 :] == source.words[4 * 64 : len(sink.words)]
        arrived(sink.model, gap)
        assert int(dut.rx_errored_blocks.value) == 0
