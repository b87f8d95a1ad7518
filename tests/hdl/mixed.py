"""Stand-ins for the parts of a component, with which a test of the component alone sees each of its wires."""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Module, Signal

from .compared import pins

#: The inputs are repeated until they are as long as the outputs, each time rotated by this many bits more. The outputs are the
#: sum of parts of these, so that each input changes an output.
TURN = 11


def mixed(kind, clocked=True):
    """A class with the interface of ``kind`` whose outputs are sums of inputs: of the cycle before, if it is ``clocked``."""

    def elaborate(self, platform):
        m = Module()
        given, shown = (Cat(signals.values()) for signals in pins(self))
        read = given
        if clocked:
            read = Signal(len(given))
            m.d.sync += read.eq(given)
        bits, width = Cat(read.rotate_right(TURN * turn) for turn in range(-(-len(shown) // len(given)))), len(shown)
        m.d.comb += shown.eq(reduce(xor, [bits[start : start + width] for start in range(0, len(bits), width)]))
        return m

    return type(kind.__name__, (kind,), {"elaborate": elaborate, "__module__": __name__})


class Mixed:
    """The same in plain Python, for a component ``unit``."""

    def __init__(self, unit):
        self._inputs, self._outputs = ({name: len(signal) for name, signal in found.items()} for found in pins(unit))
        self._before = dict.fromkeys(self._inputs, 0)

    def of(self, **inputs):
        """The outputs that belong to these inputs."""
        given = size = bits = 0
        for name, width in self._inputs.items():
            given |= int(inputs[name]) << size
            size += width
        whole = sum(self._outputs.values())
        for turn in range(-(-whole // size)):
            by = TURN * turn % size
            bits |= ((given >> by | given << size - by) & (1 << size) - 1) << size * turn
        found, shown = {}, 0
        while bits:
            shown, bits = shown ^ bits & (1 << whole) - 1, bits >> whole
        for name, width in self._outputs.items():
            found[name], shown = shown & (1 << width) - 1, shown >> width
        return found

    def outputs(self):
        """The outputs in this cycle, if it is clocked."""
        return self.of(**self._before)

    def step(self, **inputs):
        """Go on to the next cycle."""
        self._before = inputs
