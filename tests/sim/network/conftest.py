"""Cores for simulations, compiled into the folder of the tests, and loaded once."""

import pytest

from dsnswitch.sim.network.engine.core import Core


@pytest.fixture(scope="session")
def loaded():
    """Cores of this session, by their parameters and form."""
    return {}


@pytest.fixture
def core(lab, loaded):
    """A function that makes the core of a block's parameters."""

    def make(values, isa=None):
        key = str(sorted(values.items())), isa
        if key not in loaded:
            loaded[key] = Core(lab.emit(values)[1]["manifest"], isa)
        return loaded[key]

    return make
