"""Each unit of the SECDED decoder is broken once, and the bench notices."""

from dataclasses import replace

import pytest
from amaranth.hdl import Const, Module

from dsnswitch.hdl.fec.secded import decoder, flags
from dsnswitch.sim.run import SimulationError

DECODER = {"block": "secded-decoder", "n": 39, "k": 32}


def swapped(self, platform):
    """Flags that call every odd syndrome corrected, as the public generators do, whether it names a bit or not."""
    m = Module()
    odd = self.syndrome.xor()
    m.d.comb += [self.corrected.eq(odd), self.uncorrectable.eq(~self.none & ~odd)]
    return m


def without(place):
    """An AND of all but one of its inputs: of ``corrected``, the parity or a term of the formula is left out."""
    both = flags.both
    return lambda items: both([*items[:place], *items[place + 1 :]])


def exchanged(place):
    """A network that gives output 1 in the place of another."""

    def network(code, depth=None, good=decoder.syndrome_network):
        found = good(code, depth)
        outputs = list(found.outputs)
        outputs[place] = outputs[1]
        return replace(found, outputs=tuple(outputs))

    return network


class NeverNone(decoder.Minterms):
    """Minterms of which that of syndrome 0 never comes."""

    def __call__(self, code):
        return super().__call__(code) if code else Const(0, 1)


MUTANTS = {
    "flags-odd": (flags.Flags, "elaborate", swapped),
    "no-parity": (flags, "both", without(0)),
    "no-term-0": (flags, "both", without(1)),
    "no-term-1": (flags, "both", without(2)),
    "no-term-2": (flags, "both", without(3)),
    "wrong-row": (decoder, "syndrome_network", exchanged(0)),
    "wrong-parity": (decoder, "syndrome_network", exchanged(-1)),
    "never-none": (decoder, "Minterms", NeverNone),
    "order-of-minterms": (decoder, "_reordered", lambda column, order: column),
}


#: The rest waits for `make regress`: each takes a build of its own.
QUICK = ("no-parity", "no-term-0", "no-term-1", "no-term-2", "wrong-parity")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.regress) for name in MUTANTS]
)
def test_a_broken_unit_is_noticed(lab, monkeypatch, name):
    """By errors of up to three bits on random data."""
    monkeypatch.setattr(*MUTANTS[name])
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("secded_bench", DECODER, ["decodes"], words=0, errors=2000, label=f"-{name}")


def test_the_same_errors_pass_without_a_mutant(lab):
    assert lab.bench("secded_bench", DECODER, ["decodes"], words=0, errors=2000, label="-sound") == 1
