"""The strict and the selected link: emitted Verilog against the golden models."""

import pytest

from dsnswitch.hdl.line import selected as encode
from dsnswitch.hdl.line import strict as strict_fec
from dsnswitch.sim.run import SimulationError

#: A strict link whose symbol-error monitor reacts within a short run.
STRICT = {"block": "strict-link", "window": 8, "limit": 20, "keep": 2}
SELECTED = {"block": "selected-link"}


def test_strict_quickly(lab):
    """Latency of every block, corrected and marked codewords, stalls."""
    tests = ["crosses", "does_not_wait_for_the_verdict"]
    assert lab.bench("strict_bench", STRICT, tests, codewords=9, stall=0.2) == 2


@pytest.mark.regress
def test_strict(lab):
    assert lab.bench("strict_bench", STRICT, codewords=24, stall=0.2) == 6


@pytest.mark.regress
@pytest.mark.parametrize(("more", "off"), [({"unroll": 2}, 20), ({"settle": 7}, 30)], ids=["unroll-2", "settle-7"])
def test_strict_for_long(lab, more, off):
    assert lab.bench("strict_bench", STRICT | more, codewords=60, stall=0.4, off=off, seed=2) == 6


@pytest.mark.regress
def test_selected(lab):
    assert lab.bench("selected_bench", SELECTED, blocks=600, stall=0.2, changes=5) == 4


@pytest.mark.regress
def test_selected_for_long(lab):
    """The longest search skips every other codeword of a group that resembles the first."""
    values = SELECTED | {"unroll": 2}
    assert lab.bench("selected_bench", values, blocks=900, stall=0.4, changes=9, seed=3, off=270) == 4


# Mutants --------------------------------------------------------------------------------------------------------------


#: Owner, method, old and new text; values, bench, test. ``tests/mutants`` has more mutants.
MUTANTS = {
    "the store is left while it is full": (
        *(strict_fec.StrictDecode, "_choose_way", "changes & hold.empty", "changes"),
        *(STRICT, "strict_bench", "changes_between_the_modes"),
    ),
    "an early marker": (
        *(encode.SelectedEncode, "_mark", "wanted & ~on_the_way.any()", "wanted"),
        *(SELECTED, "selected_bench", "nothing_is_lost"),
    ),
}


@pytest.mark.regress
@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_noticed(lab, mutate, name):
    *mutant, values, bench, test = MUTANTS[name]
    mutate(*mutant)
    with pytest.raises(SimulationError, match=rf"{bench}\.{test} +FAIL"):
        lab.bench(bench, values, [test], "-mutant", blocks=600, codewords=24, stall=0.2, changes=5)
