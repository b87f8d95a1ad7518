"""Minterms of a word, built from those of its halves. Combinational, ``ceil(log2(width))`` AND levels."""

from amaranth.hdl import Signal

__all__ = ["Minterms"]


class Minterms:
    """Signals ``value == code`` for the codes that are asked for, sharing those of parts of the word.

    Parameters
    ----------
    m : Module
    value : Value
        The word.
    name : str
        Prefix of the signals' names.
    """

    def __init__(self, m, value, name):
        self._m, self._value, self._name, self._known = m, value, name, {}

    def __call__(self, code):
        """``value == code`` for an integer ``code``."""
        return self._part(0, len(self._value), code)

    def _part(self, low, high, code):
        key = low, high, code >> low & (1 << high - low) - 1
        if key not in self._known:
            if high - low == 1:
                self._known[key] = self._value[low] if key[2] else ~self._value[low]
            else:
                middle = (low + high) // 2
                both = self._part(low, middle, code) & self._part(middle, high, code)
                self._known[key] = Signal(name=f"{self._name}_{high - 1}_{low}_{key[2]}")
                self._m.d.comb += self._known[key].eq(both)
        return self._known[key]
