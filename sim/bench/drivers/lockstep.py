"""Ends of streams that stall at random, and a clock that moves them all in step.

Each end sees a cycle twice: ``drive`` when the registers of the block under test have settled behind the rising edge,
``finish`` when its combinational outputs have settled behind what was driven. What an end drives may follow from registered
outputs of the same cycle, so that :class:`Line` adds no cycle of its own.
"""

import random
from collections import deque

from cocotb.triggers import Timer

__all__ = ["Line", "Sink", "Source", "exchange", "lockstep", "reset"]

#: Cycles without any transfer after which a run is given up. A stall of 3 in 4 reaches it once in e^57.
PATIENCE = 200


class _End:
    """One stream of the block under test, ``prefix`` before the names of its ports."""

    def __init__(self, dut, prefix, stall, rng):
        self.payload, self.valid, self.ready = (getattr(dut, f"{prefix}_{p}") for p in ("payload", "valid", "ready"))
        self._stall, self._rng = stall, rng
        self._driven = {}
        #: Cycle of each transfer.
        self.cycles = []

    def _stalls(self):
        return self._stall and self._rng.random() < self._stall

    def _put(self, handle, value):
        """Drive; an unchanged value costs nothing."""
        if self._driven.get(handle) != value:
            self._driven[handle] = value
            handle.value = value


class Source(_End):
    """Offers ``items`` (integers) one after the other. What is offered stays until it is taken.

    ``stall`` is the share of cycles in which nothing new is offered.
    """

    def __init__(self, dut, prefix, items, stall, rng):
        super().__init__(dut, prefix, stall, rng)
        self.items, self._offered = deque(items), False

    def drive(self, cycle):
        """Offer the next item, or not."""
        if not self._offered and self.items and not self._stalls():
            self._offered = True
            self._put(self.payload, self.items[0])
        self._put(self.valid, int(self._offered))

    def finish(self, cycle):
        """Whether it was taken."""
        if self._offered and int(self.ready.value):
            self._offered = False
            self.items.popleft()
            self.cycles.append(cycle)
            return True
        return False


class Sink(_End):
    """Takes items, which must stay while they are not taken. ``stall`` is the share of cycles without ``ready``."""

    def __init__(self, dut, prefix, stall, rng):
        super().__init__(dut, prefix, stall, rng)
        self.items, self._held, self._ready = [], None, False

    def drive(self, cycle):
        """Take what there is, or not."""
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
        """Whether there was an item."""
        return bool(self.cycles) and self.cycles[-1] == cycle


class Line(Sink):
    """From an output of the block back to an input of it: a :class:`Sink` and the :class:`Source` behind it.

    ``change(place, item)`` is what item number ``place`` becomes on its way. At most ``room`` items are on it, so that a
    stalled receiver stalls the transmitter too; without stalls an item leaves in the cycle in which it comes.
    """

    def __init__(self, dut, out, into, stall, rng, change=lambda place, item: item, room=3):
        super().__init__(dut, out, stall, rng)
        self.source = Source(dut, into, (), stall, rng)
        self._change, self._room = change, room

    def drive(self, cycle):
        """Both ends."""
        super().drive(cycle)
        self.source.drive(cycle)

    def finish(self, cycle):
        """Whether an item left."""
        return self.source.finish(cycle)

    def _wants(self):
        return len(self.source.items) < self._room

    def _take(self, item):
        self.source.items.append(self._change(len(self.cycles) - 1, item))


async def reset(dut):
    """Two cycles of reset, by hand: :func:`lockstep` makes the clock."""
    dut.rst.value = 1
    for level in (0, 1, 0, 1, 0):
        dut.clk.value = level
        await Timer(5, unit="ns")
    dut.rst.value = 0


async def lockstep(dut, ends, done, each=None):
    """Cycles until ``done()``; ``each(cycle)`` is called behind every rising edge. Returns how many there were.

    Raises AssertionError if nothing has moved for :data:`PATIENCE` cycles.
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
    """``items`` into stream ``i``, and at least ``count`` out of ``o``: ``[(payload, cycle)]``, counted from the first in."""
    rng = random.Random(seed)
    source, sink = Source(dut, "i", items, stall, rng), Sink(dut, "o", stall, rng)
    await lockstep(dut, [source, sink], lambda: len(sink.items) >= count and not source.items)
    first = source.cycles[0] if source.cycles else 0
    return [(item, cycle - first) for item, cycle in zip(sink.items, sink.cycles)]
