"""What a command needs besides the packages: optional dependencies, files of the repository. Errors are one line."""

import os
import shlex
import sys
from importlib.metadata import requires
from importlib.util import find_spec
from pathlib import Path

from dsnswitch.net.messages import UsageError

#: Pinned releases of each extra, in a checkout only.
PINS = Path(__file__).resolve().parent.parent / "requirements"


def need(what, extra, *modules):
    """Check that the ``modules`` that ``what`` (such as "A report") needs are installed.

    If one is missing, a :class:`UsageError` has the command that installs ``extra`` of ``pyproject.toml``, which has all of them.
    """
    for module in modules:
        if find_spec(module) is None:
            raise UsageError(f"{what} needs {module}: {installation(extra)}")


def installation(extra):
    """The command that installs the packages of ``extra``: in a checkout the pinned ones, for the Python that runs.

    An extra that names others, such as ``test``, works in a checkout only.
    """
    pins = PINS / f"{extra}.txt"
    if pins.exists():
        return shlex.join([_short(sys.executable), "-m", "pip", "install", "-r", _short(pins)])
    found = (text.partition(";") for text in requires("dsnswitch"))
    names = [text.strip() for text, _, marker in found if marker.split()[-1:] in ([f'"{extra}"'], [f"'{extra}'"])]
    return shlex.join(["pip", "install", *names])


def _short(path):
    """``path``, relative if it is below the current folder."""
    inside = os.path.relpath(path)
    return str(path) if inside.startswith(os.pardir) else inside


def need_checkout(what, *paths, root="."):
    """Check that ``paths``, which ``what`` needs, exist in ``root``, a checkout: an installed wheel contains the packages only.

    If not, a :class:`UsageError` names the first missing path.
    """
    for path in paths:
        path = os.path.normpath(os.path.join(root, path))
        if not os.path.exists(path):
            raise UsageError(f"{what} needs a checkout of the repository: {path} does not exist")
