"""The sources of a top module: files, include folders, parameters, macros, static inputs."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UsageError

__all__ = ["Source", "assignments", "source"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")

#: A Verilog number, or a string that contains no quotes and no backslashes.
_VALUE = re.compile(r"""-?[0-9_]+|[0-9]*'s?[bodhBODH][0-9a-fA-FxzXZ_?]+|"[^"\\\n]*\"""")


@dataclass(frozen=True)
class Source:
    """Source files of one top module.

    Attributes
    ----------
    files : tuple of path
        Verilog files. If the name of one ends in ``.sv``, slang reads all of them as SystemVerilog.
    top : str
    straps : tuple of str
        Static inputs, at which no path starts.
    includes : tuple of path
        Folders that are searched for include files.
    parameters, defines : dict
        Values of the top's parameters, and of macros, as text of Verilog.
    """

    files: tuple
    top: str
    straps: tuple = ()
    includes: tuple = ()
    parameters: dict = field(default_factory=dict)
    defines: dict = field(default_factory=dict)

    @property
    def job(self):
        """The part of a job of :mod:`.passes` that describes the sources."""
        return {
            "files": [str(Path(path).resolve()) for path in self.files],
            "includes": [str(Path(path).resolve()) for path in self.includes],
            "top": self.top,
            "straps": list(self.straps),
            "parameters": self.parameters,
            "defines": self.defines,
        }


def source(files, top, straps="", includes=(), parameters=(), defines=()):
    """The :class:`Source` that the options of the command line describe.

    Parameters
    ----------
    files, includes : sequence of path
    top : str
    straps : str
        Names, separated by commas.
    parameters : sequence of str
        ``NAME=VALUE``; a value is a Verilog number or a string in quotes.
    defines : sequence of str
        ``NAME`` or ``NAME=VALUE``.

    Raises
    ------
    UsageError
        If a file or folder does not exist, or a name or value is malformed.
    """
    if not top.isprintable() or not top or " " in top:
        raise UsageError(f"Option --top takes the name of a module, not {top!r}")
    for path in files:
        if not Path(path).is_file():
            raise UsageError(f"Verilog file {path} cannot be read")
    for path in includes:
        if not Path(path).is_dir():
            raise UsageError(f"Include directory {path} does not exist")
    names = tuple(name.strip() for name in straps.split(",")) if straps else ()
    if "" in names:
        raise UsageError(f"Option --static takes names separated by commas, not {straps!r}")
    values = assignments(parameters, "Parameter")
    for name, value in values.items():
        if not _VALUE.fullmatch(value):
            raise UsageError(f"Parameter {name} must be a Verilog number or a string in quotes, not {value!r}")
    return Source(tuple(files), top, names, tuple(includes), values, assignments(defines, "Macro", "1"))


def assignments(texts, what, default=None):
    """``{name: value}`` of texts ``NAME=VALUE``. If there is a ``default``, the value may be omitted.

    Raises
    ------
    UsageError
        If a text does not have that form, or a name occurs twice.
    """
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not _NAME.fullmatch(name) or not (equals or default):
            raise UsageError(f"{what} must have the form NAME=VALUE, not {text!r}")
        if name in found:
            raise UsageError(f"{what} {name} is given twice")
        found[name] = value if equals else default
    return found
