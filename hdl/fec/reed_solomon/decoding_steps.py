"""Steps of a Reed-Solomon decoder: syndromes, key equation by RiBM (Sarwate and Shanbhag 2001), evaluation."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.arithmetic import Multiplier, Quotient, linear
from dsnswitch.hdl.fec.reed_solomon.code import Beats, ReedSolomonCode
from dsnswitch.hdl.gf import field as matrix
from dsnswitch.hdl.gf.field import Field


class Syndromes(wiring.Component):
    """Computes the n - k syndromes by Horner's rule, W symbols per step. One beat per cycle.

    Latency 1 cycle with ``register``, which is between the map of a beat and the sums, else 0.

    Members
    -------
    - beat: The symbols of a beat.
    - enable: ``beat`` is valid.
    - first, last: The beat is the first, or the last, of its codeword.
    - done: ``value`` has the syndromes of a whole codeword.
    - value (Out((n - k) * m)): The syndromes, syndrome 0 lowest.
    """

    def __init__(self, beats: Beats, register=False):
        self._beats, self._register = beats, register
        size = beats.code.parity * beats.code.field.m
        flags = {name: In(1) for name in ("enable", "first", "last")}
        super().__init__({"beat": In(beats.bits), **flags, "done": Out(1), "value": Out(size)})

    def elaborate(self, platform):
        m = Module()
        beats, field = self._beats, self._beats.code.field
        share = linear(m, beats.syndrome_map(), self.beat, "sum")
        enable, first, last = self.enable, self.first, self.last
        if self._register:
            held = Signal(len(share), reset_less=True)
            enabled = Signal()
            began = Signal()
            ended = Signal()
            m.d.sync += [held.eq(share), enabled.eq(enable), began.eq(first), ended.eq(last)]
            share, enable, first, last = held, enabled, began, ended
        sums = Signal(len(self.value), reset_less=True)
        stepped = []
        for index, factor in enumerate(beats.syndrome_factors()):
            rows = matrix.constant(field, factor)
            stepped.append(linear(m, rows, sums.word_select(index, field.m), f"step_{index}"))
        m.d.comb += [self.value.eq(share ^ Mux(first, 0, Cat(stepped))), self.done.eq(enable & last)]
        with m.If(enable):
            m.d.sync += sums.eq(self.value)
        return m


class RibmCell(wiring.Component):
    """One step of one of the n - k + t + 1 equal cells of RiBM: a product, a sum, a multiplexer. Combinational.

    Members
    -------
    - gamma, discrepancy: Discrepancy at the last change of length; discrepancy of this step, which is the lowest coefficient.
    - above, theta: Coefficient of the next cell; this cell's coefficient of the polynomial before the last change of length.
    - change: The length changes in this step.
    - delta, next_theta: ``gamma * above + discrepancy * theta``; ``above`` if the length changes, else ``theta``.
    """

    def __init__(self, field: Field):
        self._field = field
        inputs = ("gamma", "discrepancy", "above", "theta")
        super().__init__(
            {**{name: In(field.m) for name in inputs}, "change": In(1), "delta": Out(field.m), "next_theta": Out(field.m)}
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
    """Solves one key equation at a time, in ``ceil((n - k) / unroll)`` cycles of ``unroll`` steps.

    Members
    -------
    - start: Load ``syndromes`` and begin. Allowed only while ``ready`` is 1.
    - syndromes (In((n - k) * m)): The syndromes, syndrome 0 lowest.
    - ready: The solver is idle and holds no result.
    - done: The outputs are a result. They hold it until the cycle of ``take``.
    - take: The result has been read.
    - locator (Out((t + 1) * m)): Coefficients of the error locator, from the constant up.
    - evaluator: Coefficients of the high part of the evaluator, with the same unknown factor.
    - length: Number of wrong symbols.
    - failed: The number of wrong symbols is greater than t.
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
        before = state = [gamma, balance, *delta, *theta]
        for step in range(self._unroll):
            after = self._step(m, step, *state)
            if step and steps % self._unroll and step >= steps % self._unroll:
                # The last cycle has fewer steps.
                kept = [Signal(new.shape(), name=f"kept_{step}_{index}") for index, new in enumerate(after)]
                m.d.comb += [value.eq(Mux(ending, old, new)) for value, old, new in zip(kept, state, after)]
                after = kept
            state = after
        with m.If(self.take):
            m.d.sync += self.done.eq(0)
        with m.If(busy):
            m.d.sync += [*(old.eq(new) for old, new in zip(before, state)), cycle.eq(cycle + 1)]
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

    def _step(self, m, step, gamma, balance, *cells):
        """State after one step: gamma, balance, delta and theta of each cell."""
        size, delta, theta = self._code.field.m, cells[: len(cells) // 2], cells[len(cells) // 2 :]
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
        return [new_gamma, new_balance, *new_delta, *new_theta]


class Evaluation(wiring.Component):
    """Evaluates locator and evaluator at the symbols of a codeword, from the first symbol on. One beat per cycle.

    It begins at the first symbol that is sent, so that a shortened code takes no extra cycles. Latency 1 cycle from ``load``,
    2 with ``register``, which registers the outputs.

    Members
    -------
    - locator (In((t + 1) * m)): Coefficients of the locator, from the constant up.
    - evaluator: Coefficients of the evaluator, from the constant up.
    - load: Load both polynomials; their values at the first beat follow.
    - enable: Go on to the next beat, and load the output register.
    - roots: Bit i is 1 if the locator is 0 at symbol i of the beat.
    - slopes, values: Odd part of the locator, and the scaled evaluator, in the form that :class:`Quotient` takes.
    """

    def __init__(self, beats: Beats, register=False):
        self._beats, self._register = beats, register
        code = beats.code
        super().__init__(
            {
                "locator": In((code.t + 1) * code.field.m),
                "evaluator": In(code.t * code.field.m),
                "load": In(1),
                "enable": In(1),
                "roots": Out(beats.width),
                "slopes": Out(beats.bits),
                "values": Out(beats.bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        beats, field = self._beats, self._beats.code.field
        size, width, exponents = field.m, beats.width, beats.exponents()
        # Symbol 0 is the coefficient of x**(count * width - 1). Each coefficient is stored times its power of 1/X at symbol
        # 0.
        top = beats.count * width - 1
        given = Cat(self.locator, self.evaluator)
        coefficients = Signal(len(given), reset_less=True)
        started = []
        stepped = []
        for index, exponent in enumerate(exponents):
            for products, value, power, name in (
                (started, given, -exponent * top, "start"),
                (stepped, coefficients, exponent * width, "step"),
            ):
                rows = matrix.constant(field, field.power(power))
                products.append(linear(m, rows, value.word_select(index, size), f"{name}_{index}"))
        with m.If(self.load):
            m.d.sync += coefficients.eq(Cat(started))
        with m.Elif(self.enable):
            m.d.sync += coefficients.eq(Cat(stepped))

        sums = linear(m, self._maps(), coefficients, "sum")
        wholes, slopes, values = (sums.word_select(part, beats.bits) for part in range(3))
        roots = Cat(~wholes.word_select(symbol, size).any() for symbol in range(width))
        outputs = {"roots": roots, "slopes": slopes, "values": values}
        if self._register:
            with m.If(self.enable):
                for name, value in outputs.items():
                    held = Signal(len(value), name=f"held_{name}", reset_less=True)
                    m.d.sync += held.eq(value)
                    outputs[name] = held
        m.d.comb += [getattr(self, name).eq(value) for name, value in outputs.items()]
        return m

    def _maps(self):
        """The map of the coefficients to values at the symbols of a beat: locators, their odd parts and evaluators.

        The latter two are in the basis of :class:`Quotient`.
        """
        beats, code = self._beats, self._beats.code
        field, terms = code.field, code.t + 1
        powers = [[field.power(exponent * symbol) for exponent in beats.exponents()] for symbol in range(beats.width)]

        def part(wanted):
            return beats.map([[p if wanted(j) else None for j, p in enumerate(row)] for row in powers])

        into = Quotient.basis(field)

        def paired(rows):
            return [row for start in range(0, len(rows), field.m) for row in matrix.compose(into, rows[start : start + field.m])]

        whole = paired(part(lambda j: j < terms))
        return *whole, *paired(part(lambda j: j < terms and j % 2)), *paired(part(lambda j: j >= terms))
