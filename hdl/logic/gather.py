"""A word put together from parts, each under conditions of its own."""

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Mux, Signal, unsigned

__all__ = ["Gather"]


class Gather:
    """AND-OR of parts at their places. Conditions of parts that overlap must exclude each other.

    Parameters
    ----------
    m : Module
    width : int
        Bits of the word; where no part is, they are 0.
    name : str
        Stem of the conditions' names.
    """

    def __init__(self, m, width, name):
        self._m, self._width, self._name, self._parts = m, width, name, {}

    def put(self, start, key, value, condition):
        """``value`` from bit ``start`` up where ``condition`` holds. Equal ``key`` and ``start`` name equal values."""
        self._parts.setdefault((start, key), (value, []))[1].append(condition)

    def value(self):
        """The word."""
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
