"""What the tests of the gateware share: mutants by one line of source."""

import inspect
import textwrap

import pytest


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
