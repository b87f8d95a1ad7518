"""Each part of the Reed-Solomon decoder is broken once, and the bench notices."""

import pytest
from amaranth.hdl import Cat, Module, Mux

from dsnswitch.hdl.arithmetic import Quotient
from dsnswitch.hdl.fec.reed_solomon import beats, decoder, encoder, key_equation, statistics
from dsnswitch.sim.run import SimulationError


def one_factor_wrong(good):
    """Horner's rule with the step of the next syndrome in the first place."""
    return lambda self: [good(self)[1], *good(self)[1:]]


def never_changes(good):
    """RiBM that forgets the polynomial before a change of length where the discrepancy is odd."""

    def elaborate(self, platform):
        m = good(self, platform)
        m.d.comb += self.next_theta.eq(Mux(self.change & ~self.discrepancy[0], self.above, self.theta))
        return m

    return elaborate


def one_exponent_wrong(good):
    """An evaluator whose last coefficient takes the wrong power."""
    return lambda self: [*good(self)[:-1], good(self)[-1] + 1]


class Exchanged(Quotient):
    """Forney's operands the wrong way round."""

    def elaborate(self, platform):
        m = Module()
        m.submodules.right = right = Quotient(self._field, self._register)
        m.d.comb += [
            right.numerator.eq(self.denominator),
            right.denominator.eq(self.numerator),
            self.o.eq(right.o),
        ]
        if self._register:
            m.d.comb += right.enable.eq(self.enable)
        return m


def counts_no_roots(bits):
    """A search whose roots are not counted: every locator is believed of having one fewer."""
    return Cat(bits[1:]).any()


class AnyLength(key_equation.KeyEquation):
    """A key equation that takes any length for possible."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.failed.eq(0)
        return m


MUTANTS = {
    "syndromes": (beats.Beats, "syndrome_factors", one_factor_wrong, "rs-decoder"),
    "key equation": (key_equation.RibmCell, "elaborate", never_changes, "rs-decoder"),
    "evaluation": (beats.Beats, "exponents", one_exponent_wrong, "rs-decoder"),
    "root count": (decoder, "ones", lambda good: counts_no_roots, "rs-decoder"),
    "length": (decoder, "KeyEquation", lambda good: AnyLength, "rs-decoder"),
    "division": (decoder, "Quotient", lambda good: Exchanged, "rs-decoder"),
    "parity": (beats.Beats, "parity_map", lambda good: lambda self: good(self)[::-1], "rs-encoder"),
    "turn": (encoder, "equals", lambda good: lambda beat, number: good(beat, number + 1), "rs-encoder"),
    "lanes": (statistics, "total_of", lambda good: lambda numbers: numbers[0], "rs-decoder"),
}


QUICK = ("syndromes", "key equation", "division", "turn")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.regress) for name in MUTANTS]
)
def test_mutant_is_noticed(lab, monkeypatch, name):
    owner, attribute, broken, block = MUTANTS[name]
    monkeypatch.setattr(owner, attribute, broken(getattr(owner, attribute)))
    # A length of four, which its bits do not hold, comes with one word in 512. Lanes of several symbols are to be summed.
    values = {"block": block, "code": "rs-7-3", "symbols": 7 if name == "length" else 4}
    values |= {"lanes": 1} if name == "lanes" else {}
    words = 9000 if name == "length" else 120
    test = "encodes" if block == "rs-encoder" else "decodes"
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("rs_bench", values, [test], "-mutant", words=words, stall=0, errors="beyond")
