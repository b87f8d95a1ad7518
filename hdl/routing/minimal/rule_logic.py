"""The rules of one id as logic: which port the first rule that holds names."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RuleLogic"]


class RuleLogic(wiring.Component):
    """Output port at switches of one id. Combinational.

    Parameters
    ----------
    rules : list of Rule
        Rules of the id (:mod:`rules`); the last holds always.
    inputs : int
        Bits of the input.
    ports : int
        Output ports of the switch.
    rising : set of int
        Ports to switches of higher id; their rules stand before all others or after them.

    Members
    -------
    state : In(inputs)
        Forward distance in x, then in y, then the destination's id, from the least significant bit.
    out_port : Out(ports)
        One-hot output port. At the destination it is any port.
    up : Out(1)
        The port leads to a switch of higher id. It does not wait for the order of the rules within a group.
    """

    def __init__(self, rules, inputs, ports, rising):
        self._rules, self._rising = rules, rising
        super().__init__({"state": In(inputs), "out_port": Out(ports), "up": Out(1)})

    def elaborate(self, platform):
        m = Module()
        taken, earlier, group = {}, Const(0, 1), []
        first = self._rules[0].port in self._rising
        for rule in self._rules:
            holds = Signal(name=f"holds_{rule.port}")
            m.d.comb += holds.eq(Cat(self._cube(*cube) for cube in rule.cubes).any())
            taken[rule.port] = holds & ~earlier
            earlier = earlier | holds
            if (rule.port in self._rising) == first:
                group.append(holds)
        m.d.comb += self.out_port.eq(Cat(taken.get(port, Const(0, 1)) for port in range(len(self.out_port))))
        m.d.comb += self.up.eq(Cat(group).any() if first else ~Cat(group).any())
        return m

    def _cube(self, mask, value):
        """Whether ``state & mask == value``."""
        literals = [bit if value >> place & 1 else ~bit for place, bit in enumerate(self.state) if mask >> place & 1]
        return Cat(literals).all() if literals else Const(1, 1)
