"""How many bits are set, as monotone logic of AND and OR."""

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Signal

__all__ = ["Threshold"]


class Threshold:
    """Signals *at least t of these bits are set*, each built from those of the two halves and shared.

    Parameters
    ----------
    m : Module
    bits : list of 1-bit values
    name : str
        Prefix of the signals' names.
    """

    def __init__(self, m, bits, name):
        self._m, self._bits, self._name, self._known = m, list(bits), name, {}

    def terms(self, count):
        """Values whose OR is *at least* ``count`` *bits*, one for each way to divide ``count`` among the halves."""
        middle = len(self._bits) // 2
        return self._terms(0, middle, len(self._bits), count)

    def _at_least(self, low, high, count):
        if count <= 0:
            return Const(1, 1)
        if high - low < count:
            return Const(0, 1)
        if high - low == 1:
            return self._bits[low]
        key = low, high, count
        if key not in self._known:
            self._known[key] = Signal(name=f"{self._name}_{high - 1}_{low}_{count}")
            terms = self._terms(low, (low + high) // 2, high, count)
            self._m.d.comb += self._known[key].eq(reduce(or_, terms))
        return self._known[key]

    def _terms(self, low, middle, high, count):
        return [
            self._at_least(low, middle, left) & self._at_least(middle, high, count - left)
            for left in range(count + 1)
            if left <= middle - low and count - left <= high - middle
        ]
