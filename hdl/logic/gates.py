"""Gates with two inputs: wide ANDs and ORs of inputs that arrive at different times, and XOR networks."""

import heapq
from collections.abc import Callable
from operator import and_, or_

from amaranth.hdl import Cat, Const, Signal

from dsnswitch.hdl.gf.xor_network import XorNetwork

__all__ = ["Timed", "both", "either", "xor_gates"]


class Timed:
    """A 1-bit value and the gate level at which it is valid.

    ``&`` and ``|`` make a gate with two inputs, one level later than the later input. ``~`` takes no level, because synthesis
    merges an inverter into the next gate.
    """

    def __init__(self, value, level=0):
        self.value, self.level = value, level

    def __and__(self, other):
        return Timed(self.value & other.value, 1 + max(self.level, other.level))

    def __or__(self, other):
        return Timed(self.value | other.value, 1 + max(self.level, other.level))

    def __invert__(self):
        return Timed(~self.value, self.level)

    def __repr__(self):
        return f"Timed({self.value!r}, {self.level})"


def _combine(items, gate: Callable, neutral):
    """Combine all ``items`` by gates with two inputs, always the two earliest values: this takes the fewest levels."""
    waiting = [(item.level, number, item.value) for number, item in enumerate(items)]
    if not waiting:
        return Timed(Const(neutral, 1))
    heapq.heapify(waiting)
    number = len(waiting)
    while len(waiting) > 1:
        (_, _, first), (level, _, second) = heapq.heappop(waiting), heapq.heappop(waiting)
        heapq.heappush(waiting, (level + 1, number, gate(first, second)))
        number += 1
    level, _, value = waiting[0]
    return Timed(value, level)


def either(items):
    """OR of :class:`Timed` values, as a :class:`Timed` value. 0 without values."""
    return _combine(items, or_, 0)


def both(items):
    """AND of :class:`Timed` values, as a :class:`Timed` value. 1 without values."""
    return _combine(items, and_, 1)


def xor_gates(m, network: XorNetwork, bits, name):
    """Build the gates of an XOR network and return its outputs as one value.

    Combinational, ``network.depth`` XOR levels. The nodes are signals ``<name>_<i>`` of module ``m``.

    Raises
    ------
    ValueError
        If the number of ``bits`` is not that of the network's inputs.
    """
    if len(bits) != network.inputs:
        raise ValueError(f"An XOR network of {network.inputs} inputs cannot take {len(bits)} bits")
    values = list(bits)
    for index, (a, b) in enumerate(network.nodes):
        node = Signal(name=f"{name}_{index}")
        m.d.comb += node.eq(values[a] ^ values[b])
        values.append(node)
    return Cat(Const(0, 1) if bit is None else values[bit] for bit in network.outputs)
