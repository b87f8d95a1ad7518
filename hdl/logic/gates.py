"""Gates with two inputs: wide ANDs and ORs of inputs that arrive at different times, and XOR networks."""

import heapq
from collections import Counter
from collections.abc import Callable
from functools import reduce
from operator import and_, or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.gf.xor_network import XorNetwork


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


def selected(one_hot, values):
    """The value whose bit of ``one_hot`` is 1; 0 if none is."""
    return reduce(or_, (Mux(bit, value, 0) for bit, value in zip(one_hot, values)), Const(0, len(values[0])))


def bitwise_mux(select, one, other):
    """A Mux per bit: the bits of ``one`` where ``select`` is 1, those of ``other`` elsewhere. A single bit stands for all."""
    one, other = (Value.cast(value) for value in (one, other))
    one, other = (value.replicate(len(select)) if len(value) == 1 else value for value in (one, other))
    return select & one | ~select & other


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


#: Most bits in one expression of an XOR network.
_LEAVES = 8


def xor_gates(m, network: XorNetwork, bits, name):
    """Build the gates of an XOR network and return its outputs as one value.

    Combinational, ``network.depth`` XOR levels. Partial sums that are used more than once, the outputs, and parts of long sums
    have names: they are the bits of the signals ``<name>_1``, ``<name>_2`` ... of module ``m``, each of which depends on
    signals of lower numbers only.

    Raises ValueError if the number of ``bits`` is not that of the network's inputs.
    """
    if len(bits) != network.inputs:
        raise ValueError(f"An XOR network of {network.inputs} inputs cannot take {len(bits)} bits")
    # The number of the signal of each node; a node without a name has that of the signal which it enters.
    levels, sizes = [0] * network.inputs, Counter()
    named = _partial_sums(network)
    inner = {bit for pair in network.nodes for bit in pair}
    apart = dict.fromkeys(bit for bit in network.outputs if bit in inner and bit >= network.inputs)
    for node, pair in enumerate(network.nodes, network.inputs):
        levels.append(max(levels[bit] + (bit in named or bit < network.inputs) for bit in pair))
        sizes[levels[node]] += node in named and node not in apart
    sums = {level: Signal(size, name=f"{name}_{level}") for level, size in sizes.items() if size}
    values, expressions = list(bits), {level: [] for level in sums}
    for node, (a, b) in enumerate(network.nodes, network.inputs):
        value, level = values[a] ^ values[b], levels[node]
        if node in apart:
            # As a bit of an emitted vector of outputs it would be read by other bits of this vector.
            apart[node] = Signal(name=f"{name}_output_{network.outputs.index(node)}")
            m.d.comb += apart[node].eq(value)
            value = apart[node]
        elif node in named:
            expressions[level].append(value)
            value = sums[level][len(expressions[level]) - 1]
        values.append(value)
    m.d.comb += [sums[level].eq(Cat(expressions[level])) for level in sums]
    return Cat(Const(0, 1) if bit is None else values[bit] for bit in network.outputs)


def _partial_sums(network):
    """Nodes of a network that are read more than once, or are outputs, or end an expression of :data:`_LEAVES` bits."""
    reads = Counter(bit for node in network.nodes for bit in node) + Counter(network.outputs)
    outputs = {bit for bit in network.outputs if bit is not None}
    leaves, named = [1] * network.inputs, set()
    for node, pair in enumerate(network.nodes, network.inputs):
        while sum(leaves[bit] for bit in pair) > _LEAVES:
            longest = max(pair, key=leaves.__getitem__)
            named.add(longest)
            leaves[longest] = 1
        alone = reads[node] > 1 or node in outputs
        named |= {node} if alone else set()
        leaves.append(1 if alone else sum(leaves[bit] for bit in pair))
    return named


class Gather:
    """AND-OR selector: collects the parts of a word, each under its own conditions, then makes the word.

    Parts that overlap must have conditions that exclude each other.

    Parameters
    ----------
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
    - value (In(width)): The key.
    - result (Out(result_width)): Its result; 0 if the table does not have the key.
    - known: The table has the key.
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
