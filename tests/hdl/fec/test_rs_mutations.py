"""The benches of the Reed-Solomon coders fail on a broken one."""

import pytest

from dsnswitch.hdl.fec.reed_solomon import decoding_steps as key_equation
from dsnswitch.hdl.fec.reed_solomon import encoder
from dsnswitch.sim.run import SimulationError

#: Owner, method, old and new text; block and test of the bench.
MUTANTS = {
    "key equation": (
        *(key_equation.RibmCell, "elaborate", "Mux(self.change,", "Mux(self.change & ~self.discrepancy[0],"),
        *("rs-decoder", "decodes"),
    ),
    "turn": (encoder.RsEncoder, "elaborate", "equals(beat, turn)", "equals(beat, turn + 1)", "rs-encoder", "encodes"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_noticed(lab, mutate, name):
    *mutant, block, test = MUTANTS[name]
    mutate(*mutant)
    values = {"block": block, "code": "rs-7-3", "symbols": 4}
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("rs_bench", values, [test], "-mutant", cases=[{"words": 120}])
