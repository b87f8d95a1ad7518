"""Linear maps of bits as gateware: products with constants, squares, changes of basis."""

from functools import cache

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.gf.sharing import shared
from dsnswitch.hdl.logic.gates import xor_gates

__all__ = ["LinearMap", "linear"]


@cache
def _network(rows, inputs, depth):
    return shared(rows, inputs, depth)


def linear(m: Module, rows, value, name, depth=None):
    """Image of ``value`` under the map ``rows`` (:mod:`dsnswitch.hdl.gf.matrix`): signal ``<name>``, nodes ``<name>_<i>``.

    Combinational. It has the fewest XOR levels that are possible, unless ``depth`` allows more.
    """
    value = Value.cast(value)
    image = Signal(len(rows), name=name)
    m.d.comb += image.eq(xor_gates(m, _network(tuple(rows), len(value), depth), value, name))
    return image


class LinearMap(wiring.Component):
    """A linear map in a module of its own. Combinational, latency 0 cycles.

    Parameters
    ----------
    rows : sequence of int
        Bit i of row r is 1 if output r sums input i.
    inputs : int
        Number of inputs.
    depth : int or None
        Greatest number of XOR levels; None for the fewest.

    Members
    -------
    i : In(inputs)
        The bits.
    o : Out(len(rows))
        Their image.
    """

    def __init__(self, rows, inputs, depth=None):
        self._rows, self._depth = tuple(rows), depth
        super().__init__({"i": In(inputs), "o": Out(len(self._rows))})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.o.eq(linear(m, self._rows, self.i, "sum", self._depth))
        return m
