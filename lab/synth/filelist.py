"""File lists: text files with source files and options, as simulators and synthesis tools read them with ``-f``.

Paths in a list that ``-f`` names are relative to the working directory. Paths in one that ``-F`` names are relative to the list.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from dsnswitch.net.errors import UsageError
from dsnswitch.net.reading import read_text

__all__ = ["FileList", "file_list"]

#: A word, in double quotes if it contains blanks; or a comment, from ``//`` or ``#`` at the start of a word.
_WORD = re.compile(r'(?:^|(?<=\s))(?://|#)[^\n]*|/\*.*?\*/|((?:"[^"\n]*"|\S)+)', re.DOTALL)

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")

#: Options that change nothing here: SystemVerilog is always read.
_IGNORED = ("-sv", "-sverilog")


@dataclass
class FileList:
    """Contents of file lists, in their order.

    Attributes
    ----------
    files, includes, libraries : list of str
        Source files, include directories, and library directories, in which missing modules are searched.
    extensions : list of str
        Extensions of files in library directories.
    defines : list of str
        Macros, ``NAME`` or ``NAME=VALUE``.
    """

    files: list = field(default_factory=list)
    includes: list = field(default_factory=list)
    libraries: list = field(default_factory=list)
    extensions: list = field(default_factory=list)
    defines: list = field(default_factory=list)


def file_list(path, folder="", found=None, parents=()):
    """The :class:`FileList` of file ``path``, whose contents are relative to ``folder``; ``found`` is extended if given.

    Raises
    ------
    UsageError
        If the list cannot be read, contains itself, or has an unknown option.
    """
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
        if word.startswith("+"):
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
