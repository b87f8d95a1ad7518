"""A word assembled from parts, each present under its own conditions: an AND-OR selector."""

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Mux, Signal, unsigned

__all__ = ["Gather"]


class Gather:
    """AND-OR selector: collects the parts of a word, then makes the word.

    Parts that overlap must have conditions that exclude each other.

    Parameters
    ----------
    m : Module
    width : int
        Bits of the word. A bit that no part covers is 0.
    name : str
        Prefix of the signals' names.
    """

    def __init__(self, m, width, name):
        self._m, self._width, self._name, self._parts = m, width, name, {}

    def put(self, start, key, value, condition):
        """Put ``value`` at bit ``start`` and up where ``condition`` is 1.

        Calls with equal ``key`` and ``start`` must have the same value; their conditions are ORed.
        """
        self._parts.setdefault((start, key), (value, []))[1].append(condition)

    def value(self):
        """The word of all parts that were put."""
        terms = [Const(0, self._width)]
        for (start, key), (value, conditions) in self._parts.items():
            if len(conditions) > 1:
                wanted = Signal(name=f"{self._name}_{key}_{start}")
                self._m.d.comb += wanted.eq(reduce(or_, conditions))
            else:
                (wanted,) = conditions
            part = Signal(unsigned(len(value)), name=f"{self._name}_{key}_{start}_part")
            self._m.d.comb += part.eq(Mux(wanted, value, 0))
            terms.append(part.shift_left(start))
        return reduce(or_, terms)[: self._width]
