"""The sources of a top module: files, include and library directories, parameters, macros, static inputs.

File lists are text files with source files and options, as simulators and synthesis tools read them with ``-f``.
"""

import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dsnswitch.lab.synth.elaborate import YOSYS
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import read_text

#: A word, in double quotes if it contains blanks; or a comment, from ``//`` or ``#`` at the start of a word.
_WORD = re.compile(r'(?:^|(?<=\s))(?://|#)[^\n]*|/\*.*?\*/|((?:"[^"\n]*"|\S)+)', re.DOTALL)

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")

#: Options that change nothing here: SystemVerilog is always read.
_IGNORED = ("-sv", "-sverilog")

#: Options of simulators and linters that do not change the circuit; a note names them. The second expression is of those whose
#: value is the next word.
_HARMLESS = re.compile(
    r"--?(override_)?timescale=\S+|-W\S+|-w|-sv\d+|-g20\d\d(-sv)?|--lint-only|-full64|-lca|-kdb|-debug_\S+|-mfcu|-q|-quiet"
    r"|\+(lint|warn|nowarn|acc|v2k|notimingchecks|nospecify|delay_mode_\w+|systemverilogext|verilog2001ext)([=+]\S*)?"
)
_HARMLESS_VALUE = re.compile(r"--?(override_)?timescale|-suppress|-nowarn|-work|-l")


@dataclass
class FileList:
    """Contents of file lists, in their order."""

    files: list = field(default_factory=list)
    #: Directories of include files, and those in which missing modules are searched.
    includes: list = field(default_factory=list)
    libraries: list = field(default_factory=list)
    #: Extensions of files in library directories.
    extensions: list = field(default_factory=list)
    #: Macros, ``NAME`` or ``NAME=VALUE``.
    defines: list = field(default_factory=list)
    #: Sentences about options that were ignored.
    notes: list = field(default_factory=list)


def file_list(path, folder="", found=None, parents=()):
    """The :class:`FileList` of file ``path``, whose contents are relative to ``folder``; ``found`` is extended if given."""
    found = FileList() if found is None else found
    key = os.path.realpath(path)
    if key in parents:
        raise UsageError(f"File list {path} contains itself")
    words = iter(_words(path))

    def value(word, joined):
        """The text after an option: the rest of its word, or the next word."""
        text = joined or next(words, None)
        if text is None:
            raise UsageError(f"File list {path}: option {word} needs a value")
        return text

    def place(text):
        return os.path.join(folder, text)

    for word in words:
        option, joined = word[:2], word[2:]
        if word in _IGNORED:
            continue
        if _HARMLESS.fullmatch(word) or _HARMLESS_VALUE.fullmatch(word):
            if _HARMLESS_VALUE.fullmatch(word):
                word = f"{word} {value(word, '')}"
            found.notes.append(f"File list {path}: option {word} is ignored")
        elif word.startswith("+"):
            _plus(path, word, place, found)
        elif word in ("-f", "-F"):
            inner = place(value(word, ""))
            file_list(inner, folder if word == "-f" else os.path.dirname(inner), found, (*parents, key))
        elif option == "-D":
            found.defines.append(value(option, joined))
        elif option == "-I":
            found.includes.append(place(value(option, joined)))
        elif word == "-y":
            found.libraries.append(place(value(word, "")))
        elif word == "-v":
            found.files.append(place(value(word, "")))
        elif word.startswith("-"):
            raise UsageError(f"File list {path}: option {word} is unknown")
        else:
            found.files.append(place(word))
    return found


def _plus(path, word, place, found):
    """An option of the form ``+NAME+VALUE+VALUE``."""
    name, *values = word[1:].split("+")
    values = [value for value in values if value]
    if name == "incdir":
        found.includes += map(place, values)
    elif name == "define":
        found.defines += values
    elif name == "libext":
        found.extensions += values
    else:
        raise UsageError(f"File list {path}: option +{name}+ is unknown")


def _words(path):
    """Words of a file list, with the values of environment variables, without comments and quotation marks."""
    text = read_text(Path(path), "File list")
    for match in _WORD.finditer(text):
        if match[1]:
            yield _VARIABLE.sub(lambda name: _environment(path, name), match[1].replace('"', ""))


def _environment(path, match):
    name = match[1] or match[2] or match[3]
    if name not in os.environ:
        raise UsageError(f"File list {path}: environment variable {name} is not set")
    return os.environ[name]


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")

#: A Verilog number (a real one has digits on both sides of its point), or a string without quotes and backslashes.
_VALUE = re.compile(r"""-?[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?|[0-9]*'s?[bodhBODH][0-9a-fA-FxzXZ_?]+|"[^"\\\n]*\"""")


@dataclass(frozen=True)
class Source:
    """Source files of one top module."""

    files: tuple
    top: str
    #: Static inputs, at which no path starts.
    straps: tuple = ()
    #: Folders that are searched for include files.
    includes: tuple = ()
    #: Values of the top's parameters, and of macros, as text of Verilog.
    parameters: dict = field(default_factory=dict)
    defines: dict = field(default_factory=dict)
    #: Folders that are searched for missing modules, in files that are named after them.
    libraries: tuple = ()
    #: Extensions of these files in addition to ``.v`` and ``.sv``.
    extensions: tuple = ()
    #: Most iterations of loops; :data:`.elaborate.UNROLL` by default.
    unroll_limit: int | None = None
    #: The files are a user's, which slang reads if it can. Otherwise this project emits them, and Yosys' own reader reads them.
    foreign: bool = False
    #: Sentences about options that were ignored.
    notes: tuple = ()

    @property
    def job(self):
        """The part of a job of :mod:`passes` that describes the sources."""
        paths = {name: [str(Path(path).resolve()) for path in getattr(self, name)] for name in ("files", "includes", "libraries")}
        return asdict(self) | paths | {"reader": YOSYS}


def source(files, top, straps="", includes=(), parameters=(), defines=(), lists=(), libraries=(), unroll_limit=None):
    """The :class:`Source` that the options of the command line describe. Its files are a user's.

    ``straps`` are names, separated by commas; ``parameters`` texts ``NAME=VALUE``, whose value is a Verilog number or a string
    in quotes; ``defines`` texts ``NAME`` or ``NAME=VALUE``. ``lists`` are pairs of the path of a file list and
    whether its contents are relative to it, and not to the working directory; they are read before ``files``.
    """
    if not top.isprintable() or not top or " " in top:
        raise UsageError(f"Option --top takes the name of a module, not {top!r}")
    listed = FileList()
    for path, is_relative in lists:
        file_list(path, Path(path).parent if is_relative else "", listed)
    # Several lists may name the same file.
    files = tuple(dict.fromkeys([*listed.files, *files]))
    includes, libraries = (*listed.includes, *includes), (*listed.libraries, *libraries)
    if not files:
        raise UsageError("File lists name no Verilog file")
    for path in files:
        if not Path(path).is_file():
            raise UsageError(f"Verilog file {path} cannot be read")
    for kind, paths in (("Include", includes), ("Library", libraries)):
        for path in paths:
            if not Path(path).is_dir():
                raise UsageError(f"{kind} directory {path} does not exist")
    names = tuple(name.strip() for name in straps.split(",")) if straps else ()
    if "" in names:
        raise UsageError(f"Option --static takes names separated by commas, not {straps!r}")
    values = assignments(parameters, "Parameter")
    for name, value in values.items():
        if not _VALUE.fullmatch(value):
            raise UsageError(f"Parameter {name} must be a Verilog number or a string in quotes, not {value!r}")
    macros = assignments([*dict.fromkeys(listed.defines), *defines], "Macro", "1")
    return Source(
        files, top, names, includes, values, macros, libraries, tuple(listed.extensions), unroll_limit, True, tuple(listed.notes)
    )


def assignments(texts, what, default=None):
    """``{name: value}`` of texts ``NAME=VALUE``. If there is a ``default``, the value may be omitted."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not _NAME.fullmatch(name) or not (equals or default):
            raise UsageError(f"{what} must have the form NAME=VALUE, not {text!r}")
        if name in found:
            raise UsageError(f"{what} {name} is given twice")
        found[name] = value if equals else default
    return found
