"""The benches of the PCS fail on a broken one: a transmitter and three receivers."""

import pytest

from dsnswitch.hdl.pcs import pcs257 as mii
from dsnswitch.hdl.pcs.pcs66 import words as block_fields
from dsnswitch.hdl.pcs.pcs260 import framing as header
from dsnswitch.hdl.pcs.words import Sequencer
from dsnswitch.sim.run import SimulationError

#: Owner, method, old and new text; block and test of the bench.
MUTANTS = {
    "sequencer": (Sequencer, "elaborate", "eq(next_idle | next_frame)", "eq(1)", "pcs66-tx", "sends_66"),
    "gap": (
        *(block_fields.GapCheck, "elaborate", 'self.good & (named("S0")', 'self.good | (named("S0")', "pcs66-rx"),
        "receives_66",
    ),
    "next block": (
        *(mii.Mii257Rx, "elaborate", "spoils.eq(came.bad)", "doubtful.eq(came.bad)", "mii257-rx", "receives_mii257"),
    ),
    "header": (header.HeaderDecoder, "elaborate", "eq(~odd & ~same)", "eq(~same)", "pcs260-rx", "receives_260"),
}


@pytest.mark.parametrize(
    "name", ["sequencer", *(pytest.param(name, marks=pytest.mark.regress) for name in ("header", "gap", "next block"))]
)
def test_mutant_is_noticed(lab, mutate, name):
    *mutant, block, test = MUTANTS[name]
    mutate(*mutant)
    values = {"block": block} | ({"window": 300, "limit": 9} if block == "pcs66-rx" else {})
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("pcs_bench", values, [test], "-mutant", words=1200, stall=0, wrong=0.5)
