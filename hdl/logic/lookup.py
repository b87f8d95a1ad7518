"""A small table as logic."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Lookup", "equals"]


def equals(value, number):
    """``value == number``; zero as *no bit set*, which as a comparison would be emitted as a logical NOT of many bits."""
    return value == number if number else ~value.any()


class Lookup(wiring.Component):
    """What a table has for a number: an OR of minterms. Combinational.

    Parameters
    ----------
    table : dict
        Number to number.
    width, result_width : int
        Bits of both.

    Members
    -------
    value : In(width)
    result : Out(result_width)
        0 where the table has nothing.
    known : Out(1)
        The table has something.
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
