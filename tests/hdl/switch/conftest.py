"""Proofs for the units of the switch: by induction, and of a number of cycles after reset."""

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Fragment

from dsnswitch.gen.synth.yosys import commands

PASSES = ("proc -norom", "flatten", "memory", "opt -full", "techmap", "opt -fast", "opt_clean")


def prove(component, folder, *goal):
    """Whether the solver proves that output ``wrong`` is 0 while ``assumed`` is 1, and the end of its log."""
    ports = [component.wrong, component.assumed, *component.inputs]
    (folder / "proof.il").write_text(rtlil.convert(Fragment.get(component, None), name="proof", ports=ports))
    goal = ("sat", "-verify", "-set", "assumed", "1", "-set", "rst", "0", "-prove", "wrong", "0", *goal, "proof")
    done = commands(["read_rtlil proof.il", "hierarchy -top proof", *PASSES, goal], folder)
    return done.returncode == 0 and "SUCCESS!" in done.stdout, (done.stdout + done.stderr)[-3000:]


@pytest.fixture
def induct(tmp_path):
    """A function that proves by temporal induction that a monitor is never ``wrong`` after reset, whatever its inputs.

    ``steps`` is the longest induction that is tried. Returns whether it was proved, and the end of the solver's log.
    """
    return lambda component, steps=4: prove(component, tmp_path, "-tempinduct", "-maxsteps", str(steps))


@pytest.fixture
def bounded(tmp_path):
    """A function that proves that a monitor is not ``wrong`` in the first ``cycles`` cycles after reset."""
    return lambda component, cycles: prove(component, tmp_path, "-seq", str(cycles))
