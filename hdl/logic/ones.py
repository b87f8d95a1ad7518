"""Trailing one, number of ones, and binary to one-hot. All combinational, latency 0 cycles."""

from amaranth.hdl import Cat, Const, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["TrailingOne", "decode", "ones", "total_of"]


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


def decode(value, count):
    """Binary to one-hot: ``count`` bits, bit j set where ``value == j``. A ``value`` of ``count`` or more gives 0."""
    return Cat(~value.any(), *(value == Const(j, len(value)) for j in range(1, count)))


def ones(bits):
    """How many of ``bits`` are 1."""
    return total_of(list(bits))


def total_of(numbers):
    """Sum of a list of numbers: a tree of adders."""
    if len(numbers) == 1:
        return numbers[0]
    middle = len(numbers) // 2
    return total_of(numbers[:middle]) + total_of(numbers[middle:])
