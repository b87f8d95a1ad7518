"""Sources and sinks of streams that stall at random, and a clock that steps all of them together.

Each end is called twice per cycle: ``drive`` after the registers of the block under test have settled, ``finish`` after its
combinational outputs have settled. An end may drive inputs that depend on registered outputs of the same cycle, so that
:class:`Line` adds no cycle.
"""

import random
from collections import deque

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

from dsnswitch.sim.bench.drivers.given import MANIFEST

#: Cycles without a transfer after which a run fails. With a stall probability of 3/4 this happens once in e^57.
PATIENCE = 200


class Pins:
    """The ports of ``dut`` whose names begin with ``prefix``. A value that an input has is not written again."""

    def __init__(self, dut, prefix=""):
        self._dut, self._prefix, self._handles, self._driven = dut, prefix, {}, {}

    def get(self, name):
        """The value of a port."""
        return int(self._handle(name).value)

    def put(self, name, value):
        """Drive an input, which nothing else drives."""
        if self._driven.get(name) != value:
            self._driven[name] = value
            self._handle(name).value = value

    def _handle(self, name):
        if name not in self._handles:
            self._handles[name] = getattr(self._dut, self._prefix + name)
        return self._handles[name]


class _End:
    """One end of a stream of the block under test, whose ports have names with ``prefix``."""

    def __init__(self, dut, prefix, stall, rng):
        self._pins, self._prefix, self._stall, self._rng = Pins(dut, f"{prefix}_"), prefix, stall, rng
        #: Cycle of each transfer.
        self.cycles = []

    def _stalls(self):
        return self._stall and self._rng.random() < self._stall


class Source(_End):
    """Sends ``items`` (integers) one after the other. An item stays at the input until it is accepted.

    ``stall`` is the share of cycles in which it does not offer a new item.
    """

    def __init__(self, dut, prefix, items, stall, rng):
        super().__init__(dut, prefix, stall, rng)
        self.items, self._offered = deque(items), False

    def drive(self, cycle):
        """Offer the next item, or stall."""
        if not self._offered and self.items and not self._stalls():
            self._offered = True
            self._pins.put("payload", self.items[0])
        self._pins.put("valid", int(self._offered))

    def finish(self, cycle):
        """Whether the item was accepted."""
        if self._offered and self._pins.get("ready"):
            self._offered = False
            self.items.popleft()
            self.cycles.append(cycle)
            return True
        return False


class Sink(_End):
    """Receives items, and checks that they stay until they are accepted. ``stall`` is the share of cycles without ``ready``."""

    def __init__(self, dut, prefix, stall, rng):
        super().__init__(dut, prefix, stall, rng)
        self.items, self._held, self._ready = [], None, False

    def drive(self, cycle):
        """Accept an item, or stall."""
        self._ready = self._wants() and not self._stalls()
        self._pins.put("ready", int(self._ready))
        valid = self._pins.get("valid")
        item = self._pins.get("payload") if valid else None
        assert self._held in (None, item), f"cycle {cycle}: {self._prefix} changed before it was taken"
        self._held = None if self._ready else item
        if self._ready and valid:
            self.cycles.append(cycle)
            self._take(item)

    def _wants(self):
        return True

    def _take(self, item):
        self.items.append(item)

    def finish(self, cycle):
        """Whether an item was accepted."""
        return bool(self.cycles) and self.cycles[-1] == cycle


class Line(Sink):
    """Line from an output of the block under test to one of its inputs: a :class:`Sink` followed by a :class:`Source`.

    ``change(number, item)`` returns the received item for each item sent. The line holds at most ``capacity`` items, so
    that a stalled receiver stalls the transmitter too. Without stalls an item leaves in the cycle in which it arrives.
    """

    def __init__(self, dut, out, into, stall, rng, change=lambda number, item: item, capacity=3):
        super().__init__(dut, out, stall, rng)
        self.source = Source(dut, into, (), stall, rng)
        self._change, self._capacity = change, capacity

    def drive(self, cycle):
        """Both ends."""
        super().drive(cycle)
        self.source.drive(cycle)

    def finish(self, cycle):
        """Whether an item left."""
        return self.source.finish(cycle)

    def _wants(self):
        return len(self.source.items) < self._capacity

    def _take(self, item):
        self.source.items.append(self._change(len(self.cycles) - 1, item))


async def tick(dut, settled=None):
    """One cycle: the falling edge, ``settled()`` before the rising edge, the rising edge. Returns what ``settled`` returns."""
    dut.clk.value = 0
    await Timer(5, unit="ns")
    found = settled() if settled else None
    dut.clk.value = 1
    await Timer(5, unit="ns")
    return found


async def reset(dut, names=("rst",)):
    """Two cycles of reset, with their clock edges, as there is no clock outside :func:`tick`."""
    for level in (1, 0):
        for name in names:
            getattr(dut, name).value = level
        if level:
            await tick(dut)
            await tick(dut)


async def begin(dut, **inputs):
    """Reset, with every input 0, or as given."""
    for port in MANIFEST["ports"]:
        if port["direction"] == "input" and port["name"] not in ("clk", "rst"):
            getattr(dut, port["name"]).value = inputs.get(port["name"], 0)
    await reset(dut)


async def lockstep(dut, ends, done, each=None):
    """Run cycles until ``done()``, and return their number. ``each(cycle)`` is called after every rising edge.

    Raises AssertionError if there is no transfer for :data:`PATIENCE` cycles.
    """
    cycle = moved = 0

    def finish():
        return True in [end.finish(cycle) for end in ends]

    while not done():
        if each:
            each(cycle)
        for end in ends:
            end.drive(cycle)
        if await tick(dut, finish):
            moved = cycle
        assert cycle - moved < PATIENCE, f"nothing has moved since cycle {moved}"
        cycle += 1
    return cycle


async def start(dut):
    """Reset a top, if it has a clock. The clock runs from then on, for :func:`settle`."""
    if MANIFEST["clock"]:
        Clock(dut.clk, 2, unit="ns").start()
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.rst.value = 0


async def settle(dut):
    """Wait for the outputs of the inputs that were driven: until the falling edge of the clock, if there is one."""
    await (FallingEdge(dut.clk) if MANIFEST["clock"] else Timer(1, unit="ns"))


def at_full_speed(transfers, stall):
    """Whether there is a transfer of :func:`exchange` in every cycle after the latency; True with stalls."""
    first = MANIFEST["latency_cycles"]
    return stall or [cycle for _, cycle in transfers] == list(range(first, first + len(transfers)))


async def transfer(dut, items, count, stall, seed):
    """Send ``items`` to stream ``i`` and receive at least ``count`` items from ``o``; returns source and sink."""
    rng = random.Random(seed)
    source, sink = Source(dut, "i", items, stall, rng), Sink(dut, "o", stall, rng)
    await lockstep(dut, [source, sink], lambda: len(sink.items) >= count and not source.items)
    return source, sink


async def exchange(dut, items, count, stall=0.0, seed=1):
    """As :func:`transfer`; returns payload and cycle of each item, counted from the cycle in which the first item entered."""
    source, sink = await transfer(dut, items, count, stall, seed)
    first = source.cycles[0] if source.cycles else 0
    return [(item, cycle - first) for item, cycle in zip(sink.items, sink.cycles)]
