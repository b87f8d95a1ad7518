"""Locator and evaluator at W places a cycle: Chien's search, and Forney's two operands beside it."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...arithmetic import Quotient, linear
from ...gf import matrix
from .beats import Beats

__all__ = ["Evaluation"]


class Evaluation(wiring.Component):
    """Steps through a codeword from its first symbol on, so that shortening costs no cycles. One beat a cycle.

    Parameters
    ----------
    beats : Beats
    register : bool
        Behind the sums: latency 2 cycles from ``load``, else 1.

    Members
    -------
    locator : In((t + 1) * m)
    evaluator : In(t * m)
    load : In(1)
        Take both: their values at the first beat come next.
    enable : In(1)
        Go on by one beat, and the register takes new values.
    roots : Out(W)
        The locator is 0 at the place of symbol i of the beat.
    slopes, values : Out(W * m)
        Odd part of the locator, and the evaluator with its scale, as :class:`~dsnswitch.hdl.arithmetic.Quotient` takes them.
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
        # Symbol 0 stands for x**(count * width - 1); each coefficient is kept times its power of 1/X at symbol 0.
        top = beats.count * width - 1
        given = Cat(self.locator, self.evaluator)
        coefficients = Signal(len(given), reset_less=True)
        started = []
        stepped = []
        for place, exponent in enumerate(exponents):
            bits = slice(size * place, size * (place + 1))
            for found, value, power, name in (
                (started, given, -exponent * top, "start"),
                (stepped, coefficients, exponent * width, "step"),
            ):
                rows = matrix.constant(field, field.power(power))
                found.append(linear(m, rows, value[bits], f"{name}_{place}"))
        with m.If(self.load):
            m.d.sync += coefficients.eq(Cat(started))
        with m.Elif(self.enable):
            m.d.sync += coefficients.eq(Cat(stepped))

        found = linear(m, self._maps(), coefficients, "sum")
        wholes, slopes, values = (found[beats.bits * part : beats.bits * (part + 1)] for part in range(3))
        roots = Cat(~wholes[size * place : size * (place + 1)].any() for place in range(width))
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
        """The coefficients to whole locators, odd parts and evaluators of a beat, the latter two as pairs."""
        beats, code = self._beats, self._beats.code
        field, terms = code.field, code.t + 1
        powers = [[field.power(exponent * place) for exponent in beats.exponents()] for place in range(beats.width)]

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
