"""What a command needs besides the packages: optional dependencies, files of the repository. Errors are one line."""

import os
from importlib.util import find_spec

from dsnswitch.net.messages import UsageError


def need(what, extra, *modules):
    """Check that the ``modules`` that ``what`` (such as "A report") needs are installed.

    If one is missing, a :class:`UsageError` names ``extra``, the extra of ``pyproject.toml`` that installs all of them.
    """
    for module in modules:
        if find_spec(module) is None:
            raise UsageError(f"{what} needs {module}: pip install 'dsnswitch[{extra}]'")


def need_checkout(what, *paths, root="."):
    """Check that ``paths``, which ``what`` needs, exist in ``root``, a checkout: an installed wheel contains the packages only.

    If not, a :class:`UsageError` names the first missing path.
    """
    for path in paths:
        path = os.path.normpath(os.path.join(root, path))
        if not os.path.exists(path):
            raise UsageError(f"{what} needs a checkout of the repository: {path} does not exist")
