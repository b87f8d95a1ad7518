"""Fixtures of the tests of the gateware."""

import inspect
import textwrap

import pytest


@pytest.fixture
def mutate(monkeypatch):
    """A function that replaces ``old`` by ``new`` in the source of the method ``name`` of ``owner`` for one test.

    ``old`` must occur exactly once: a mutant that no longer changes the code is an error, not a pass.
    """

    def run(owner, name, old, new):
        good = getattr(owner, name)
        source = textwrap.dedent(inspect.getsource(good))
        assert source.count(old) == 1, f"{owner.__name__}.{name} has {old!r} {source.count(old)} times"
        space = dict(good.__globals__)
        exec(source.replace(old, new), space)
        monkeypatch.setattr(owner, name, space[name])

    return run
