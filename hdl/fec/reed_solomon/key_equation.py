"""The key equation by RiBM: locator and evaluator from the syndromes (Sarwate and Shanbhag 2001)."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...arithmetic import Multiplier
from ...gf import Field
from .parameters import ReedSolomonCode

__all__ = ["KeyEquation", "RibmCell"]


class RibmCell(wiring.Component):
    """One of the n - k + t + 1 equal cells, one step. Combinational: a product, a sum, a choice.

    Members
    -------
    gamma, discrepancy : In(m)
        Of the last change of length; the lowest coefficient.
    above, theta : In(m)
        Coefficient of the next cell, and this cell's of the polynomial before the last change.
    change : In(1)
        The length changes.
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
            products.a_0.eq(self.gamma),
            products.b_0.eq(self.above),
            products.a_1.eq(self.discrepancy),
            products.b_1.eq(self.theta),
            self.delta.eq(products.o),
            self.next_theta.eq(Mux(self.change, self.above, self.theta)),
        ]
        return m


class KeyEquation(wiring.Component):
    """Solves one key equation in ``ceil((n - k) / unroll)`` cycles.

    Parameters
    ----------
    code : ReedSolomonCode
    unroll : int
        Steps a cycle.

    Members
    -------
    start : In(1)
        Take ``syndromes``; only while ``ready``.
    syndromes : In((n - k) * m)
    ready : Out(1)
        Nothing is being solved, and no result waits.
    done : Out(1)
        There is a result; it stays until the cycle of ``take``.
    take : In(1)
    locator : Out((t + 1) * m)
        Coefficients from the constant up.
    evaluator : Out(t * m)
        High part of the evaluator, with the same unknown factor.
    length : Out(range(t + 1))
        Symbols that are wrong.
    failed : Out(1)
        More than t.
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
        delta = [Signal(size, name=f"delta_{place}", reset_less=True) for place in range(cells)]
        theta = [Signal(size, name=f"theta_{place}", reset_less=True) for place in range(cells)]
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
            first = [self.syndromes[size * place : size * (place + 1)] for place in range(steps)]
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
            # Steps less twice the length: what is left over when n - k steps are done.
            self.failed.eq(balance[-1]),
            self.length.eq(t - (balance >> 1)),
        ]
        return m

    def _step(self, m, step, gamma, balance, delta, theta):
        """State behind one step, ``(gamma, balance, delta, theta)``."""
        size = self._code.field.m
        change = Signal(name=f"change_{step}")
        m.d.comb += change.eq(delta[0].any() & ~balance[-1])
        new_delta, new_theta = [], []
        for place, above in enumerate([*delta[1:], Const(0, size)]):
            m.submodules[f"cell_{step}_{place}"] = cell = RibmCell(self._code.field)
            m.d.comb += [
                cell.gamma.eq(gamma),
                cell.discrepancy.eq(delta[0]),
                cell.above.eq(above),
                cell.theta.eq(theta[place]),
                cell.change.eq(change),
            ]
            new_delta.append(cell.delta)
            new_theta.append(cell.next_theta)
        new_gamma = Signal(size, name=f"gamma_{step}")
        new_balance = Signal(balance.shape(), name=f"balance_{step}")
        m.d.comb += [
            new_gamma.eq(Mux(change, delta[0], gamma)),
            # -balance - 1, or one more.
            new_balance.eq(Mux(change, ~balance, balance + 1)),
        ]
        return new_gamma, new_balance, new_delta, new_theta

    @staticmethod
    def _skipped(m, step, skip, after, before):
        """``before`` in place of ``after`` where ``skip``: the last cycle has fewer steps."""
        chosen = []
        for index, (new, old) in enumerate(zip(_flat(after), _flat(before))):
            value = Signal(new.shape(), name=f"kept_{step}_{index}")
            m.d.comb += value.eq(Mux(skip, old, new))
            chosen.append(value)
        cells = len(after[2])
        return chosen[0], chosen[1], chosen[2 : 2 + cells], chosen[2 + cells :]


def _flat(state):
    gamma, balance, delta, theta = state
    return [gamma, balance, *delta, *theta]
