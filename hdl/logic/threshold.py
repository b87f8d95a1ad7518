"""How many bits are set, as monotone logic of AND and OR."""

from amaranth.hdl import Signal

from .balance import Timed, both, either

__all__ = ["Threshold"]


class Threshold:
    """Signals *at least t of these bits are set*, each built from those of the two halves and shared.

    Parameters
    ----------
    m : Module
    bits : list of 1-bit values
        All there at level 0.
    name : str
        Prefix of the signals' names.
    """

    def __init__(self, m, bits, name):
        self._m, self._bits, self._name, self._known = m, list(bits), name, {}

    def terms(self, count):
        """Timed values whose OR is *at least* ``count`` *bits*, one for each way to divide ``count`` among the halves."""
        return self._terms(0, len(self._bits), count)

    def _at_least(self, low, high, count):
        """For ``0 < count <= high - low``."""
        if high - low == 1:
            return Timed(self._bits[low])
        key = low, high, count
        if key not in self._known:
            found = either(self._terms(low, high, count))
            signal = Signal(name=f"{self._name}_{high - 1}_{low}_{count}")
            self._m.d.comb += signal.eq(found.value)
            self._known[key] = Timed(signal, found.level)
        return self._known[key]

    def _terms(self, low, high, count):
        middle = (low + high) // 2
        terms = []
        for left in range(count + 1):
            if left <= middle - low and count - left <= high - middle:
                parts = [(low, middle, left), (middle, high, count - left)]
                terms.append(both([self._at_least(*part) for part in parts if part[2]]))
        return terms
