"""Decoders: comparisons with constants, binary to one-hot, and small tables as logic. All combinational."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Lookup", "Minterms", "decode", "equals"]


def equals(value, number):
    """``value == number`` for a constant ``number``.

    A comparison with 0 is written as *no bit is set*: as a comparison it would be emitted as a logical NOT of many bits.
    """
    return value == number if number else ~value.any()


def decode(value, count):
    """Binary to one-hot: ``count`` bits, bit j set where ``value == j``. A ``value`` of ``count`` or more gives 0."""
    return Cat(~value.any(), *(value == Const(j, len(value)) for j in range(1, count)))


class Minterms:
    """Signals ``value == code`` for many codes, which share their gates: ``ceil(log2(width))`` AND levels.

    The minterms of a word are ANDs of the minterms of its halves. Only those that are asked for are built.

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


class Lookup(wiring.Component):
    """Table of constants as logic: each bit of the result is an OR of minterms. Combinational, latency 0 cycles.

    Parameters
    ----------
    table : dict
        The result for each key, both integers.
    width, result_width : int
        Bits of a key and of a result.

    Members
    -------
    value : In(width)
        The key.
    result : Out(result_width)
        Its result; 0 if the table does not have the key.
    known : Out(1)
        The table has the key.
    """

    def __init__(self, table, width, result_width):
        self._table = table
        super().__init__({"value": In(width), "result": Out(result_width), "known": Out(1)})

    def elaborate(self, platform):
        m = Module()
        hits = {}
        for key in self._table:
            hits[key] = hit = Signal(name=f"is_{key:02x}")
            m.d.comb += hit.eq(equals(self.value, key))
        m.d.comb += self.known.eq(Cat(hits.values()).any())
        for bit in range(len(self.result)):
            m.d.comb += self.result[bit].eq(Cat(hit for key, hit in hits.items() if self._table[key] >> bit & 1).any())
        return m
