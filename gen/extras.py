"""Optional dependencies. A command that needs a missing one names, in one line, the extra that installs it."""

from importlib.util import find_spec

from dsnswitch.net.messages import UsageError

__all__ = ["need"]


def need(what, extra, *modules):
    """Check that the ``modules`` that ``what`` (such as "A report") needs are installed.

    Raises
    ------
    UsageError
        If one is missing; the message names ``extra``, the extra of ``pyproject.toml`` that installs all of them.
    """
    for module in modules:
        if find_spec(module) is None:
            raise UsageError(f"{what} needs {module}: pip install 'dsnswitch[{extra}]'")
