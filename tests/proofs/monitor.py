"""A unit together with a statement of its property, for proofs."""

from amaranth.hdl import Cat, Elaboratable, Module, Signal


def several(value):
    """Whether more than one bit of ``value`` is 1."""
    return (value & (value - 1)).any()


class Monitor(Elaboratable):
    """A unit and its property. Output ``wrong`` is 1 if the unit breaks the property, ``assumed`` if the inputs obey the rules.

    A subclass has a method ``watch(m)`` that returns two lists of signals: ``faults``, none of which may be 1, and ``rules``, all
    of which are 1 in every environment of the unit.
    """

    def __init__(self, unit, inputs):
        self.unit, self.inputs = unit, inputs
        self.wrong = Signal()
        self.assumed = Signal()

    def elaborate(self, platform):
        m = Module()
        m.submodules.unit = self.unit
        faults, rules = self.watch(m)
        m.d.comb += [self.wrong.eq(Cat(faults).any()), self.assumed.eq(Cat(*rules, 1).all())]
        return m
