"""Fixtures of the tests of layouts: Debian's programs and cells, and a small process."""

import pytest
from layouts.samples import LEF

from dsnswitch.lab.layout.lef_def import read_lef
from dsnswitch.lab.layout.tools import tools
from dsnswitch.net.messages import UsageError


@pytest.fixture(scope="session")
def process():
    """A small technology."""
    return read_lef(LEF)


@pytest.fixture(scope="session")
def programs():
    """The tools. Tests are skipped if Debian's registry cannot be reached."""
    try:
        return tools()
    except UsageError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def osu(programs):
    """The technology of the OSU cells."""
    return read_lef(programs.lef.read_text())
