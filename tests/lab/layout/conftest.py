"""Fixtures of the tests of layouts: Debian's programs and cells, and a small process."""

import pytest
from layouts.samples import LEF

from dsnswitch.lab.layout.lef_def import read_lef


@pytest.fixture(scope="session")
def process():
    """A small technology."""
    return read_lef(LEF)


@pytest.fixture(scope="session")
def osu(programs):
    """The technology of the OSU cells."""
    return read_lef(programs.lef.read_text())
