"""What tests of gateware share."""

import inspect
import textwrap

import pytest


@pytest.fixture(scope="session")
def mutant():
    """A function that makes a class like ``owner`` in whose ``method`` the one piece of source ``old`` is replaced by ``new``."""

    def run(owner, method, old, new):
        source = textwrap.dedent(inspect.getsource(getattr(owner, method)))
        assert source.count(old) == 1, f"{owner.__name__}.{method} has no single {old!r}"
        space = dict(vars(inspect.getmodule(owner)))
        exec(compile(source.replace(old, new), "mutant", "exec"), space)
        return type(owner.__name__, (owner,), {method: space[method]})

    return run
