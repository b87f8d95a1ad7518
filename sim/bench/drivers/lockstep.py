"""Sources and sinks of streams that stall at random, and a clock that steps all of them together.

Each end is called twice per cycle: ``drive`` after the registers of the block under test have settled, ``finish`` after its
combinational outputs have settled. An end may drive inputs that depend on registered outputs of the same cycle, so that
:class:`Line` adds no cycle.
"""

import random
from collections import deque

from cocotb.triggers import Timer

#: Cycles without a transfer after which a run fails. With a stall probability of 3/4 this happens once in e^57.
PATIENCE = 200


class _End:
    """One end of a stream of the block under test, whose ports have names with ``prefix``."""

    def __init__(self, dut, prefix, stall, rng):
        self.payload, self.valid, self.ready = (getattr(dut, f"{prefix}_{p}") for p in ("payload", "valid", "ready"))
        self._stall, self._rng = stall, rng
        self._driven = {}
        #: Cycle of each transfer.
        self.cycles = []

    def _stalls(self):
        return self._stall and self._rng.random() < self._stall

    def _put(self, handle, value):
        """Drive a signal, unless it already has the value."""
        if self._driven.get(handle) != value:
            self._driven[handle] = value
            handle.value = value


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
            self._put(self.payload, self.items[0])
        self._put(self.valid, int(self._offered))

    def finish(self, cycle):
        """Whether the item was accepted."""
        if self._offered and int(self.ready.value):
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
        self._put(self.ready, int(self._ready))
        valid = int(self.valid.value)
        item = int(self.payload.value) if valid else None
        assert self._held in (None, item), f"cycle {cycle}: {self.valid._name} or payload changed before it was taken"
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


async def tick(dut):
    """One cycle: the falling edge, then the rising edge."""
    for level in (0, 1):
        dut.clk.value = level
        await Timer(5, unit="ns")


async def reset(dut):
    """Two cycles of reset, with their clock edges, as there is no clock outside :func:`lockstep`."""
    dut.rst.value = 1
    for level in (0, 1, 0, 1, 0):
        dut.clk.value = level
        await Timer(5, unit="ns")
    dut.rst.value = 0


async def lockstep(dut, ends, done, each=None):
    """Run cycles until ``done()``, and return their number. ``each(cycle)`` is called after every rising edge.

    Raises AssertionError if there is no transfer for :data:`PATIENCE` cycles.
    """
    cycle = moved = 0
    while not done():
        if each:
            each(cycle)
        for end in ends:
            end.drive(cycle)
        dut.clk.value = 0
        await Timer(5, unit="ns")
        for end in ends:
            if end.finish(cycle):
                moved = cycle
        assert cycle - moved < PATIENCE, f"nothing has moved since cycle {moved}"
        dut.clk.value = 1
        await Timer(5, unit="ns")
        cycle += 1
    return cycle


async def exchange(dut, items, count, stall=0.0, seed=1):
    """Send ``items`` to stream ``i`` and receive at least ``count`` items from ``o``.

    Returns
    -------
    list of (int, int)
        Payload and cycle of each item, counted from the cycle in which the first item entered.
    """
    rng = random.Random(seed)
    source, sink = Source(dut, "i", items, stall, rng), Sink(dut, "o", stall, rng)
    await lockstep(dut, [source, sink], lambda: len(sink.items) >= count and not source.items)
    first = source.cycles[0] if source.cycles else 0
    return [(item, cycle - first) for item, cycle in zip(sink.items, sink.cycles)]
