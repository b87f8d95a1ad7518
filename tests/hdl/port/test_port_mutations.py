"""The fabric port is broken, one line at a time, and the bench notices."""

import pytest

from dsnswitch.hdl.line.block_codec import BlockFormat
from dsnswitch.hdl.port.receiver import Receiver
from dsnswitch.sim.run import SimulationError

#: A mutant, and the bench that must fail. At most two wrong bits in a codeword, because three may look like one.
MUTANTS = {
    "next-block-trusted": (
        *(
            Receiver,
            "elaborate",
            "(self.active & ~order.previous.bad & ~order.undone)",
            "(self.active & ~order.undone)",
        ),
        ("random_traffic", {"ber": 2e-3, "most": 2, "packets": 100}),
    ),
    "frame-ends-late": (
        *(BlockFormat, "control", "Mux(frame_open, Const(self.closes", "Mux(0, Const(self.closes"),
        ("line_is_legal", {"packets": 40}),
    ),
}


@pytest.mark.regress
@pytest.mark.parametrize("name", MUTANTS)
def test_broken_port_is_noticed(joined, mutate, name):
    *mutant, (test, parameters) = MUTANTS[name]
    mutate(*mutant)
    with pytest.raises(SimulationError, match="AssertionError"):
        joined([test], f"-{name}", **parameters)
