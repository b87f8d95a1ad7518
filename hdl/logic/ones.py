"""Ones of a word: the lowest one, the number of ones, and whether there are at least t. All combinational, latency 0 cycles."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import Timed, both, either

__all__ = ["Threshold", "TrailingOne", "ones", "total_of"]


class TrailingOne(wiring.Component):
    """Lowest set bit: ``o[j] = i[j] & ~(i[0] | ... | i[j-1])``.

    Members
    -------
    i : In(width)
        Any number.
    o : Out(width)
        One-hot, or 0 for an input of 0.
    """

    def __init__(self, width):
        super().__init__({"i": In(width), "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        below = [self.i[:j].any() for j in range(1, len(self.i))]
        m.d.comb += self.o.eq(self.i & ~Cat(Const(0, 1), *below))
        return m


def ones(bits):
    """Number of ``bits`` that are 1 (population count)."""
    return total_of(list(bits))


def total_of(numbers):
    """Sum of a list of numbers: a tree of adders."""
    if len(numbers) == 1:
        return numbers[0]
    middle = len(numbers) // 2
    return total_of(numbers[:middle]) + total_of(numbers[middle:])


class Threshold:
    """Signals *at least t of these bits are set*, of AND and OR gates alone.

    The threshold of a word is built from the thresholds of its halves, which all thresholds of the word share.

    Parameters
    ----------
    m : Module
    bits : list of 1-bit values
        All valid at level 0.
    name : str
        Prefix of the signals' names.
    """

    def __init__(self, m, bits, name):
        self._m, self._bits, self._name, self._known = m, list(bits), name, {}

    def terms(self, count):
        """Timed values whose OR is *at least* ``count`` *bits*, one for each way to divide ``count`` among the halves."""
        return self._terms(0, len(self._bits), count)

    def _at_least(self, low, high, count):
        """*At least* ``count`` *of bits* ``low..high - 1``, for ``0 < count <= high - low``."""
        if high - low == 1:
            return Timed(self._bits[low])
        key = low, high, count
        if key not in self._known:
            threshold = either(self._terms(low, high, count))
            signal = Signal(name=f"{self._name}_{high - 1}_{low}_{count}")
            self._m.d.comb += signal.eq(threshold.value)
            self._known[key] = Timed(signal, threshold.level)
        return self._known[key]

    def _terms(self, low, high, count):
        middle = (low + high) // 2
        terms = []
        for left in range(count + 1):
            if left <= middle - low and count - left <= high - middle:
                parts = [(low, middle, left), (middle, high, count - left)]
                terms.append(both([self._at_least(*part) for part in parts if part[2]]))
        return terms
