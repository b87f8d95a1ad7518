"""Changed copies of a user's sources in the folder of a job, at places that slang reports.

A job reads links to the sources. A change replaces the links by copies, and never writes a user's file.
"""

import json
import os
import shutil
from pathlib import Path

#: Name of the file with the messages of slang, which is written when it has read or refused the sources.
DIAGNOSTICS = "diagnostics.json"


def report(folder, remove=False) -> list:
    """Messages of slang about the sources of the job in ``folder``. Paths in it are relative to the working directory."""
    path = Path(folder, DIAGNOSTICS)
    if not path.exists():
        return []
    found = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    if remove:
        path.unlink()
    return found


def read(path) -> str:
    """The text of a source, a character per byte, because columns of messages count bytes."""
    return Path(path).read_bytes().decode("latin-1")


def write(folder, path, text) -> list[str]:
    """Make ``text`` what the job in ``folder`` reads of the source ``path``; returns the paths of the copies."""
    copies = _copies(folder, path)
    for copy in copies:
        Path(copy).write_bytes(text.encode("latin-1"))
    return copies


def offset(text, line, column) -> int:
    """Position of a line and column, which count from 1."""
    start = 0
    for _ in range(line - 1):
        start = text.index("\n", start) + 1
    return start + column - 1


def _copies(folder, path):
    """Paths in ``folder`` at which slang reads ``path``; they become copies, instead of links to files or to their folders."""
    entries = [(entry, os.path.realpath(entry.path)) for entry in os.scandir(folder)]
    files = [_own(entry.path) for entry, target in entries if target == path]
    if files:
        return files
    found = []
    for entry, target in entries:
        if entry.is_dir(follow_symlinks=False) or (path.startswith(target + os.sep) and os.path.isdir(target)):
            found += _copies(_own(entry.path), path)
    return found


def _own(path):
    """Replace a link by a copy of its file, or by a folder of links to the contents of its folder."""
    if os.path.islink(path):
        target = os.path.realpath(path)
        os.remove(path)
        if os.path.isdir(target):
            os.mkdir(path)
            for name in os.listdir(target):
                os.symlink(os.path.join(target, name), os.path.join(path, name))
        else:
            shutil.copyfile(target, path)
    return path
