"""Fixtures of the tests of the gateware: mutants by one line of source, and proofs about monitors."""

import inspect
import textwrap

import pytest

from dsnswitch.gen.emit.verilog.fragments import whole_rtlil
from dsnswitch.lab.synth.yosys import commands

PASSES = ("proc -norom", "flatten", "memory", "opt -full", "techmap", "opt -fast", "opt_clean")


def edited(owner, name, old, new):
    """The method ``name`` of ``owner`` with ``new`` in place of ``old`` in its source.

    ``old`` must occur exactly once: a mutant that no longer changes the code is an error, not a pass.
    """
    source = textwrap.dedent(inspect.getsource(getattr(owner, name)))
    assert source.count(old) == 1, f"{owner.__name__}.{name} has {old!r} {source.count(old)} times"
    space = dict(vars(inspect.getmodule(owner)))
    exec(compile(source.replace(old, new), "mutant", "exec"), space)
    return space[name]


@pytest.fixture
def mutate(monkeypatch):
    """A function that replaces ``old`` by ``new`` in the source of the method ``name`` of ``owner`` for one test."""

    def run(owner, name, old, new):
        monkeypatch.setattr(owner, name, edited(owner, name, old, new))

    return run


@pytest.fixture(scope="session")
def mutant():
    """A function that makes a class like ``owner`` in whose ``method`` the one piece of source ``old`` is replaced by ``new``."""

    def run(owner, method, old, new):
        return type(owner.__name__, (owner,), {method: edited(owner, method, old, new)})

    return run


def proved(component, folder, *goal):
    """Whether the solver proves that output ``wrong`` is 0 while ``assumed`` is 1, and the end of its log."""
    ports = [component.wrong, component.assumed, *component.inputs]
    (folder / "proof.il").write_text(whole_rtlil(component, ports, "proof"))
    goal = ("sat", "-verify", "-set", "assumed", "1", "-set", "rst", "0", "-prove", "wrong", "0", *goal, "proof")
    done = commands(["read_rtlil proof.il", "hierarchy -top proof", *PASSES, goal], folder)
    return done.returncode == 0 and "SUCCESS!" in done.stdout, (done.stdout + done.stderr)[-3000:]


@pytest.fixture
def induct(tmp_path):
    """A function that proves by temporal induction that a monitor is never ``wrong`` after reset, for any inputs.

    ``steps`` is the longest induction that is tried. Returns whether it was proved, and the end of the solver's log.
    """
    return lambda component, steps=4: proved(component, tmp_path, "-tempinduct", "-maxsteps", str(steps))


@pytest.fixture
def bounded(tmp_path):
    """A function that proves that a monitor is not ``wrong`` in the first ``cycles`` cycles after reset."""
    return lambda component, cycles: proved(component, tmp_path, "-seq", str(cycles))
