"""Block lock: finds the boundaries of blocks on the line by their headers (IEEE 802.3 Figure 49-14)."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class BlockLock(wiring.Component):
    """State machine of the block lock. One header per cycle.

    It locks after 64 valid headers in a row, and loses lock with 16 invalid headers in a window of 64.

    Parameters
    ----------
    settle : int
        Headers that are in the pipeline before this component when ``slip`` is 1. They are not tested.

    Members
    -------
    - test: A header arrives in this cycle.
    - valid: The header is valid.
    - locked: Blocks begin at the expected positions. Latency 1 cycle.
    - slip: 1 for one cycle: the boundary must move by one bit. Latency 1 cycle.
    """

    #: Valid headers that make a lock, which is also the length of the window; invalid headers in a window that lose it.
    WINDOW, LIMIT = 64, 16

    def __init__(self, settle=0):
        self.settle = settle
        super().__init__({"test": In(1), "valid": In(1), "locked": Out(1), "slip": Out(1)})

    def elaborate(self, platform):
        m = Module()
        # Headers of the window so far, and how many of them are invalid.
        count = Signal(range(self.WINDOW))
        invalid = Signal(range(self.LIMIT))
        pause = Signal(range(self.settle + 1), name="pause") if self.settle else None
        ready = ~pause.any() if self.settle else 1
        bad = Signal()
        last = Signal()
        m.d.comb += [bad.eq(~self.valid & (~self.locked | (invalid == self.LIMIT - 1))), last.eq(count == self.WINDOW - 1)]
        m.d.sync += self.slip.eq(0)
        if self.settle:
            with m.If(~ready):
                m.d.sync += pause.eq(pause - 1)
        with m.If(self.test & ready):
            with m.If(bad | last):
                m.d.sync += [count.eq(0), invalid.eq(0)]
            with m.Else():
                m.d.sync += [count.eq(count + 1), invalid.eq(invalid + ~self.valid)]
            with m.If(bad):
                m.d.sync += [self.locked.eq(0), self.slip.eq(1)]
                if self.settle:
                    m.d.sync += pause.eq(self.settle)
            with m.Elif(last & self.valid & ~invalid.any()):
                m.d.sync += self.locked.eq(1)
        return m


class BerMonitor(wiring.Component):
    """Counts invalid headers in windows of blocks; the bit error rate is high if a window reaches a limit.

    One header per cycle (IEEE 802.3 Figure 49-15).

    Parameters
    ----------
    window : int
        Blocks per window. 125 us are 19,531 blocks at 10.3125 Gb/s.
    limit : int
        Invalid headers in a window that mean a high bit error rate.

    Members
    -------
    - test, valid: A header arrives in this cycle; the header is valid.
    - locked: Block lock. Without it nothing is counted and ``high`` is 0.
    - high: High bit error rate: from the header that reaches the limit until a window ends below the limit. Latency 1 cycle.
    """

    def __init__(self, window=19531, limit=16):
        if window < 2 or not 1 <= limit <= window:
            raise ValueError(f"BER monitor limit must be in 1..window and window 2 or more, not {limit} and {window}")
        self._window, self._limit = window, limit
        super().__init__({"test": In(1), "valid": In(1), "locked": In(1), "high": Out(1)})

    def elaborate(self, platform):
        m = Module()
        count = Signal(range(self._window))
        invalid = Signal(range(self._limit + 1))
        now = Signal.like(invalid)
        reached = Signal()
        m.d.comb += [
            # Saturates at the limit.
            now.eq(invalid + (~self.valid & (invalid != self._limit))),
            reached.eq(now == self._limit),
        ]
        with m.If(~self.locked):
            m.d.sync += [count.eq(0), invalid.eq(0), self.high.eq(0)]
        with m.Elif(self.test):
            m.d.sync += [count.eq(count + 1), invalid.eq(now)]
            with m.If(reached):
                m.d.sync += self.high.eq(1)
            with m.If(count == self._window - 1):
                m.d.sync += [count.eq(0), invalid.eq(0), self.high.eq(reached)]
        return m
