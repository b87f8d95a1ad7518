"""Cores for simulations, kept in the cache of the tests, and loaded once."""

import pytest

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.switch import Switch


@pytest.fixture(scope="session")
def core():
    """A function that makes the core, or the switch, of a block's parameters."""
    loaded = {}

    def make(values, isa=None):
        key = str(sorted(values.items())), isa
        if key not in loaded:
            kind = Switch if values["block"] == "switch" else Core
            loaded[key] = kind(core_manifest(values), isa)
        return loaded[key]

    return make
