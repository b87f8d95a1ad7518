"""A network of two-input XORs with shared nodes."""

import heapq
from dataclasses import dataclass

__all__ = ["XorNetwork"]


@dataclass(frozen=True)
class XorNetwork:
    """Sums modulo 2 of ``inputs`` bits.

    Attributes
    ----------
    inputs : int
        Bits 0..inputs-1 are the inputs.
    nodes : tuple of (int, int)
        Node ``inputs + i`` is the XOR of the two bits ``nodes[i]``, both of which come before it.
    outputs : tuple of int or None
        Bit that each output is; None for the constant 0.
    """

    inputs: int
    nodes: tuple
    outputs: tuple

    @property
    def gates(self):
        """Number of XORs."""
        return len(self.nodes)

    @property
    def depth(self):
        """XORs on the longest path from an input to an output."""
        return max(self.depths, default=0)

    @property
    def depths(self):
        """XORs on the longest path to each output."""
        depths = self._run([0] * self.inputs, lambda a, b: 1 + max(a, b))
        return tuple(0 if bit is None else depths[bit] for bit in self.outputs)

    def apply(self, value):
        """Outputs, as an integer, of the inputs in the integer ``value``; bit i is input (output) i."""
        bits = self._run([value >> bit & 1 for bit in range(self.inputs)], lambda a, b: a ^ b)
        return sum(bits[bit] << place for place, bit in enumerate(self.outputs) if bit is not None)

    def rows(self):
        """For each output the integer whose bit i says that input i is in its sum."""
        sums = self._run([1 << bit for bit in range(self.inputs)], lambda a, b: a ^ b)
        return tuple(0 if bit is None else sums[bit] for bit in self.outputs)

    def without(self, inputs):
        """The same network with some inputs, the last ones, taken out as 0."""
        gone = set(inputs)
        kept = self.inputs - len(gone)
        place = {bit: None if bit in gone else bit for bit in range(self.inputs)}
        nodes = []
        for index, (a, b) in enumerate(self.nodes):
            a, b = place[a], place[b]
            if a is None or b is None:
                place[self.inputs + index] = b if a is None else a
            else:
                place[self.inputs + index] = kept + len(nodes)
                nodes.append((a, b))
        return XorNetwork(kept, tuple(nodes), tuple(None if bit is None else place[bit] for bit in self.outputs))

    def _run(self, values, gate):
        values = list(values)
        for a, b in self.nodes:
            values.append(gate(values[a], values[b]))
        return values


class Builder:
    """Collects the nodes of a network."""

    def __init__(self, inputs):
        self.inputs, self.nodes, self.depths = inputs, [], [0] * inputs

    def xor(self, a, b):
        """The node ``a ^ b``."""
        self.nodes.append((a, b))
        self.depths.append(1 + max(self.depths[a], self.depths[b]))
        return len(self.depths) - 1

    def sum(self, bits):
        """XOR of all ``bits``, the shallowest first: depth ``ceil(log2(sum of 2**depth))``. None for no bit."""
        waiting = [(self.depths[bit], bit) for bit in bits]
        heapq.heapify(waiting)
        while len(waiting) > 1:
            node = self.xor(heapq.heappop(waiting)[1], heapq.heappop(waiting)[1])
            heapq.heappush(waiting, (self.depths[node], node))
        return waiting[0][1] if waiting else None

    def network(self, outputs):
        """The finished network."""
        return XorNetwork(self.inputs, tuple(self.nodes), tuple(outputs))
