"""Solver of the key equation by RiBM: locator and evaluator from the syndromes (Sarwate and Shanbhag 2001)."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.arithmetic.multiplier import Multiplier
from dsnswitch.hdl.fec.reed_solomon.parameters import ReedSolomonCode
from dsnswitch.hdl.gf.field import Field

__all__ = ["KeyEquation", "RibmCell"]


class RibmCell(wiring.Component):
    """One step of one of the n - k + t + 1 equal cells of RiBM: a product, a sum, a multiplexer. Combinational.

    Members
    -------
    gamma, discrepancy : In(m)
        Discrepancy at the last change of length; discrepancy of this step, which is the lowest coefficient.
    above, theta : In(m)
        Coefficient of the next cell; this cell's coefficient of the polynomial before the last change of length.
    change : In(1)
        The length changes in this step.
    delta, next_theta : Out(m)
        ``gamma * above + discrepancy * theta``; ``above`` if the length changes, else ``theta``.
    """

    def __init__(self, field: Field):
        self._field = field
        inputs = ("gamma", "discrepancy", "above", "theta")
        super().__init__(
            {
                **{name: In(field.m) for name in inputs},
                "change": In(1),
                "delta": Out(field.m),
                "next_theta": Out(field.m),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.products = products = Multiplier(self._field, 2)
        m.d.comb += [
            products.a[0].eq(self.gamma),
            products.b[0].eq(self.above),
            products.a[1].eq(self.discrepancy),
            products.b[1].eq(self.theta),
            self.delta.eq(products.o),
            self.next_theta.eq(Mux(self.change, self.above, self.theta)),
        ]
        return m


class KeyEquation(wiring.Component):
    """Solves one key equation at a time, in ``ceil((n - k) / unroll)`` cycles.

    Parameters
    ----------
    code : ReedSolomonCode
        The code.
    unroll : int
        Steps per cycle.

    Members
    -------
    start : In(1)
        Load ``syndromes`` and begin. Allowed only while ``ready`` is 1.
    syndromes : In((n - k) * m)
        The syndromes, syndrome 0 lowest.
    ready : Out(1)
        The solver is idle and holds no result.
    done : Out(1)
        The outputs are a result. They hold it until the cycle of ``take``.
    take : In(1)
        The result has been read.
    locator : Out((t + 1) * m)
        Coefficients of the error locator, from the constant up.
    evaluator : Out(t * m)
        Coefficients of the high part of the evaluator, with the same unknown factor.
    length : Out(range(t + 1))
        Number of wrong symbols.
    failed : Out(1)
        The number of wrong symbols is greater than t.
    """

    def __init__(self, code: ReedSolomonCode, unroll=1):
        self._code, self._unroll = code, unroll
        size, t = code.field.m, code.t
        super().__init__(
            {
                "start": In(1),
                "syndromes": In(code.parity * size),
                "ready": Out(1),
                "done": Out(1),
                "take": In(1),
                "locator": Out((t + 1) * size),
                "evaluator": Out(t * size),
                "length": Out(range(t + 1)),
                "failed": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        size, t = self._code.field.m, self._code.t
        steps = self._code.parity
        cells, cycles = steps + t + 1, -(-steps // self._unroll)
        busy = Signal()
        cycle = Signal(range(cycles + 1))
        ending = Signal()
        m.d.comb += [ending.eq(cycle == cycles - 1), self.ready.eq(~busy & ~self.done)]

        gamma = Signal(size, reset_less=True)
        balance = Signal(signed(steps.bit_length() + 1), reset_less=True)
        delta = [Signal(size, name=f"delta_{cell}", reset_less=True) for cell in range(cells)]
        theta = [Signal(size, name=f"theta_{cell}", reset_less=True) for cell in range(cells)]
        state = (gamma, balance, delta, theta)
        for step in range(self._unroll):
            after = self._step(m, step, *state)
            if step and steps % self._unroll and step >= steps % self._unroll:
                after = self._skipped(m, step, ending, after, state)
            state = after
        with m.If(self.take):
            m.d.sync += self.done.eq(0)
        with m.If(busy):
            m.d.sync += [
                *(old.eq(new) for old, new in zip((gamma, balance, *delta, *theta), _flat(state))),
                cycle.eq(cycle + 1),
            ]
            with m.If(ending):
                m.d.sync += [busy.eq(0), self.done.eq(1)]
        with m.If(self.start):
            first = [self.syndromes.word_select(step, size) for step in range(steps)]
            first += [Const(0, size)] * t + [Const(1, size)]
            m.d.sync += [
                *(old.eq(new) for old, new in zip((*delta, *theta), first + first)),
                gamma.eq(1),
                balance.eq(0),
                cycle.eq(0),
                busy.eq(1),
            ]
        m.d.comb += [
            self.evaluator.eq(Cat(delta[:t])),
            self.locator.eq(Cat(delta[t : 2 * t + 1])),
            # ``balance`` is now the number of steps, n - k, minus twice the length; negative if the length is above t.
            self.failed.eq(balance[-1]),
            self.length.eq(t - (balance >> 1)),
        ]
        return m

    def _step(self, m, step, gamma, balance, delta, theta):
        """State after one step, ``(gamma, balance, delta, theta)``."""
        size = self._code.field.m
        change = Signal(name=f"change_{step}")
        m.d.comb += change.eq(delta[0].any() & ~balance[-1])
        new_delta, new_theta = [], []
        for number, above in enumerate([*delta[1:], Const(0, size)]):
            m.submodules[f"cell_{step}_{number}"] = cell = RibmCell(self._code.field)
            m.d.comb += [
                cell.gamma.eq(gamma),
                cell.discrepancy.eq(delta[0]),
                cell.above.eq(above),
                cell.theta.eq(theta[number]),
                cell.change.eq(change),
            ]
            new_delta.append(cell.delta)
            new_theta.append(cell.next_theta)
        new_gamma = Signal(size, name=f"gamma_{step}")
        new_balance = Signal(balance.shape(), name=f"balance_{step}")
        m.d.comb += [
            new_gamma.eq(Mux(change, delta[0], gamma)),
            # ``-balance - 1`` if the length changes, else ``balance + 1``.
            new_balance.eq(Mux(change, ~balance, balance + 1)),
        ]
        return new_gamma, new_balance, new_delta, new_theta

    @staticmethod
    def _skipped(m, step, skip, after, before):
        """State ``before`` instead of ``after`` in a cycle with ``skip``: the last cycle has fewer steps."""
        chosen = []
        for index, (new, old) in enumerate(zip(_flat(after), _flat(before))):
            value = Signal(new.shape(), name=f"kept_{step}_{index}")
            m.d.comb += value.eq(Mux(skip, old, new))
            chosen.append(value)
        cells = len(after[2])
        return chosen[0], chosen[1], chosen[2 : 2 + cells], chosen[2 + cells :]


def _flat(state):
    """A state as one list of signals."""
    gamma, balance, delta, theta = state
    return [gamma, balance, *delta, *theta]
