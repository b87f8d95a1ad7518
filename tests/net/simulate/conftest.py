"""Cores for simulations, compiled into the folder of the tests."""

import pytest

from dsnswitch.net.simulate.core import Core


@pytest.fixture
def core(lab, monkeypatch):
    """A function that makes the core of a block's parameters."""
    monkeypatch.setenv("DSNSWITCH_CACHE", str((lab.folder / "simulate").resolve()))
    return lambda values, isa=None: Core(lab.emit(values)[1]["manifest"], isa)
