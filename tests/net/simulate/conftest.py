"""Cores for simulations, compiled into the folder of the tests, and loaded once."""

import pytest

from dsnswitch.net.simulate.core import Core


@pytest.fixture(autouse=True)
def cache(lab):
    """Compiled code is kept. The fixture ``monkeypatch`` would have every test emit its cores anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DSNSWITCH_CACHE", str((lab.folder / "simulate").resolve()))
        yield


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
