"""Optional dependencies: a command that lacks one says in one line which extra brings it."""

from importlib.util import find_spec

from .errors import UsageError

__all__ = ["need"]


def need(what, extra, *modules):
    """Check that the ``modules`` that ``what`` (such as "A report") needs are installed.

    Raises
    ------
    UsageError
        If one of them is not; the message names ``extra``, the extra of ``pyproject.toml`` that brings all of them.
    """
    for module in modules:
        if find_spec(module) is None:
            raise UsageError(f"{what} needs {module}: pip install 'dsnswitch[{extra}]'")
