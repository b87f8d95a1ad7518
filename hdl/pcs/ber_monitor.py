"""BER monitor: detects a high bit error rate by invalid headers (IEEE 802.3 Figure 49-15)."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.net.checks import Parameter

__all__ = ["BerMonitor"]


class BerMonitor(wiring.Component):
    """Counts invalid headers in windows of blocks; the bit error rate is high if a window reaches a limit.

    One header per cycle.

    Parameters
    ----------
    window : int
        Blocks per window. 125 us are 19,531 blocks at 10.3125 Gb/s.
    limit : int
        Invalid headers in a window that mean a high bit error rate.

    Members
    -------
    test, valid : In(1)
        A header arrives in this cycle; the header is valid.
    locked : In(1)
        Block lock. Without it nothing is counted and ``high`` is 0.
    high : Out(1)
        High bit error rate: from the header that reaches the limit until a window ends below the limit. Latency 1 cycle.
    """

    window = Parameter("Blocks per window.")
    limit = Parameter("Invalid headers in a window that mean a high bit error rate.")

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
