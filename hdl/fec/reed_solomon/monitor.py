"""Symbol-error monitor: detects a high symbol error ratio on a link that does not mark uncorrectable codewords."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.net.checks import Parameter

__all__ = ["SymbolErrorMonitor"]


class SymbolErrorMonitor(wiring.Component):
    """Counts wrong symbols in windows of codewords. Too many in one window set ``hi_ser`` for a number of windows.

    The defaults are those of IEEE 802.3 91.5.3.3 for RS(528,514), from memory: more than 417 symbols in 8,192 codewords set
    it, for 60 ms to 75 ms; 160 windows are 67 ms at 103.125 Gb/s. An uncorrectable codeword counts as t + 1 symbols.

    Parameters
    ----------
    t : int
        Symbols that the code corrects.
    window : int
        Codewords per window; windows do not overlap.
    limit : int
        Greatest number of wrong symbols of a window that does not set ``hi_ser``.
    hold : int
        Windows for which ``hi_ser`` stays, counted from the end of the last bad one.

    Members
    -------
    done : In(1)
        A codeword ends in this cycle.
    errors : In(range(t + 1))
        Number of its wrong symbols; read with ``done``.
    uncorrectable : In(1)
        The codeword is uncorrectable; read with ``done``.
    hi_ser : Out(1)
        High symbol error ratio: 1 from the cycle after the limit is exceeded.
    """

    t = Parameter("Symbols that the code corrects.")
    window = Parameter("Codewords per window.")
    limit = Parameter("Greatest number of wrong symbols of a window that does not set ``hi_ser``.")
    hold = Parameter("Windows for which ``hi_ser`` stays 1.")

    def __init__(self, t=7, window=8192, limit=417, hold=160):
        for name, value in (("window", window), ("limit", limit), ("hold", hold)):
            if value < 1:
                raise ValueError(f"Symbol-error monitor {name} must be at least 1, not {value}")
        self._t, self._window, self._limit, self._hold = t, window, limit, hold
        super().__init__({"done": In(1), "errors": In(range(t + 1)), "uncorrectable": In(1), "hi_ser": Out(1)})

    def elaborate(self, platform):
        m = Module()
        limit = self._limit
        seen = Signal(range(self._window))
        wrong = Signal(range(limit + 1))
        left = Signal(range(self._hold + 1))
        total = Signal(range(limit + self._t + 2))
        high = Signal()
        ending = Signal()
        m.d.comb += [
            total.eq(wrong + Mux(self.uncorrectable, self._t + 1, self.errors)),
            high.eq(total > limit),
            ending.eq(seen == self._window - 1),
        ]
        passed = Signal()
        with m.If(self.done):
            m.d.sync += [
                seen.eq(Mux(ending, 0, seen + 1)),
                passed.eq((passed | high) & ~ending),
                wrong.eq(Mux(ending, 0, Mux(high, limit, total))),
            ]
            with m.If(high | passed):
                m.d.sync += [left.eq(self._hold), self.hi_ser.eq(1)]
            with m.Elif(ending & self.hi_ser):
                m.d.sync += [left.eq(left - 1), self.hi_ser.eq(left != 1)]
        return m
