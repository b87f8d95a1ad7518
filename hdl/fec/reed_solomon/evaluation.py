"""Values of locator and evaluator at W symbols per cycle: Chien's search and the two operands of Forney's formula."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.arithmetic.linear import linear
from dsnswitch.hdl.arithmetic.quotient import Quotient
from dsnswitch.hdl.fec.reed_solomon.beats import Beats
from dsnswitch.hdl.gf import matrix

__all__ = ["Evaluation"]


class Evaluation(wiring.Component):
    """Evaluates locator and evaluator at the symbols of a codeword, from the first symbol on. One beat per cycle.

    It begins at the first symbol that is sent, so that a shortened code takes no extra cycles.

    Parameters
    ----------
    beats : Beats
        Code and width.
    register : bool
        Register the outputs: latency 2 cycles from ``load``, else 1.

    Members
    -------
    locator : In((t + 1) * m)
        Coefficients of the locator, from the constant up.
    evaluator : In(t * m)
        Coefficients of the evaluator, from the constant up.
    load : In(1)
        Load both polynomials; their values at the first beat follow.
    enable : In(1)
        Go on to the next beat, and load the output register.
    roots : Out(W)
        Bit i is 1 if the locator is 0 at symbol i of the beat.
    slopes, values : Out(W * m)
        Odd part of the locator, and the scaled evaluator, in the form that :class:`Quotient`
        takes.
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
            return [
                row
                for start in range(0, len(rows), field.m)
                for row in matrix.compose(into, rows[start : start + field.m])
            ]

        whole = paired(part(lambda j: j < terms))
        return *whole, *paired(part(lambda j: j < terms and j % 2)), *paired(part(lambda j: j >= terms))
