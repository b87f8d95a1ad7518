"""The bench of the SECDED decoder fails on a broken one. ``tests/mutants`` has more mutants."""

import pytest

from dsnswitch.hdl.fec.secded.coders import Flags
from dsnswitch.sim.run import SimulationError

DECODER = {"block": "secded-decoder", "n": 39, "k": 32}


def bench(lab, label):
    """Run the bench with errors of up to three bits on random data."""
    return lab.bench("secded_bench", DECODER, ["decodes"], words=0, errors=2000, label=label)


def test_a_broken_unit_is_noticed(lab, mutate):
    """A decoder that omits a term of the formula."""
    mutate(Flags, "elaborate", "*(~term for term in terms)", "*(~term for term in terms[1:])")
    with pytest.raises(SimulationError, match="failed"):
        bench(lab, "-mutant")


def test_the_same_errors_pass_without_a_mutant(lab):
    assert bench(lab, "-sound") == 1
