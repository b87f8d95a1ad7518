"""Stand-ins for the parts of a component, with which a test of the component alone sees each of its wires."""

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib.wiring import In

#: The outputs are the inputs, rotated by 0, by this number of bits, by twice that ...
TURN = 11


def flat(interface):
    """``(name, whether it is an input, value)`` of the members; names of members in members have ``__`` between them."""
    found = interface.signature.flatten(interface)
    return [("__".join(map(str, path)), member.flow == In, Value.cast(value)) for path, member, value in found]


def mixed(kind):
    """A class with the interface of ``kind`` whose outputs are bits of the inputs of the cycle before."""

    def elaborate(self, platform):
        m = Module()
        given, shown = (Cat(value for _, goes_in, value in flat(self) if goes_in == which) for which in (True, False))
        before = Signal(len(given))
        m.d.sync += before.eq(given)
        m.d.comb += shown.eq(Cat(before.rotate_right(TURN * turn) for turn in range(-(-len(shown) // len(given)))))
        return m

    return type(kind.__name__, (kind,), {"elaborate": elaborate, "__module__": __name__})


class MixedModel:
    """The same in plain Python, for a component ``unit``."""

    def __init__(self, unit):
        self._inputs = {name: len(value) for name, goes_in, value in flat(unit) if goes_in}
        self._outputs = {name: len(value) for name, goes_in, value in flat(unit) if not goes_in}
        self._before = 0

    def outputs(self):
        """The outputs of this cycle."""
        size, bits, found = sum(self._inputs.values()), 0, {}
        for turn in range(-(-sum(self._outputs.values()) // size)):
            by = TURN * turn % size
            bits |= ((self._before >> by | self._before << size - by) & (1 << size) - 1) << size * turn
        for name, width in self._outputs.items():
            found[name], bits = bits & (1 << width) - 1, bits >> width
        return found

    def step(self, **inputs):
        """Go on to the next cycle."""
        self._before = place = 0
        for name, width in self._inputs.items():
            self._before |= int(inputs[name]) << place
            place += width
