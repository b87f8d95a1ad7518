"""Networks of two-input XORs with shared nodes. No Amaranth."""

import heapq
from dataclasses import dataclass

__all__ = ["XorNetwork"]


@dataclass(frozen=True)
class XorNetwork:
    """A circuit of two-input XORs that computes several sums modulo 2 of the same bits.

    Attributes
    ----------
    inputs : int
        Number of inputs; they are bits ``0..inputs-1``.
    nodes : tuple of (int, int)
        Bit ``inputs + i`` is the XOR of the two bits ``nodes[i]``, which have lower numbers.
    outputs : tuple of int or None
        The bit that each output takes; None for the constant 0.
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
        """The outputs for the inputs ``value``, both as integers with bit i for input or output i."""
        bits = self._run([value >> bit & 1 for bit in range(self.inputs)], lambda a, b: a ^ b)
        return sum(bits[bit] << index for index, bit in enumerate(self.outputs) if bit is not None)

    def rows(self):
        """The linear map that the network computes (:mod:`matrix`): bit i of row r is 1 if output r sums input i."""
        sums = self._run([1 << bit for bit in range(self.inputs)], lambda a, b: a ^ b)
        return tuple(0 if bit is None else sums[bit] for bit in self.outputs)

    def without(self, inputs):
        """The same network with ``inputs``, which must be the last ones, tied to 0 and removed."""
        removed = set(inputs)
        kept = self.inputs - len(removed)
        renumbered = {bit: None if bit in removed else bit for bit in range(self.inputs)}
        nodes = []
        for index, (a, b) in enumerate(self.nodes):
            a, b = renumbered[a], renumbered[b]
            if a is None or b is None:
                renumbered[self.inputs + index] = b if a is None else a
            else:
                renumbered[self.inputs + index] = kept + len(nodes)
                nodes.append((a, b))
        return XorNetwork(kept, tuple(nodes), tuple(None if bit is None else renumbered[bit] for bit in self.outputs))

    def _run(self, values, gate):
        values = list(values)
        for a, b in self.nodes:
            values.append(gate(values[a], values[b]))
        return values


class Builder:
    """Builds an :class:`XorNetwork` node by node."""

    def __init__(self, inputs):
        self.inputs, self.nodes, self.depths = inputs, [], [0] * inputs

    def xor(self, a, b):
        """Add the node ``a ^ b`` and return its number."""
        self.nodes.append((a, b))
        self.depths.append(1 + max(self.depths[a], self.depths[b]))
        return len(self.depths) - 1

    def sum(self, bits):
        """Add the nodes of the XOR of all ``bits`` and return the last one; None if there are no bits.

        The two shallowest bits are always combined first, so that the depth is ``ceil(log2(sum of 2**depth))``.
        """
        waiting = [(self.depths[bit], bit) for bit in bits]
        heapq.heapify(waiting)
        while len(waiting) > 1:
            node = self.xor(heapq.heappop(waiting)[1], heapq.heappop(waiting)[1])
            heapq.heappush(waiting, (self.depths[node], node))
        return waiting[0][1] if waiting else None

    def network(self, outputs):
        """The finished network with these bits as outputs."""
        return XorNetwork(self.inputs, tuple(self.nodes), tuple(outputs))
