"""Writes files in one step, all of them or none. Devices and FIFOs are written through.

A symbolic link is followed to its target. An existing file keeps its mode, and its owner if the system allows that. A hard link
to an existing file keeps the old content, because the file is replaced and not changed.
"""

import errno
import os
import re
import stat
import sys
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dsnswitch.net.messages import UsageError, printable

#: The name of standard output on the command line.
STANDARD_OUTPUT = "-"

#: Maximum number of symbolic links that are followed, which is the limit of Linux.
MOST_LINKS = 40


@contextmanager
def _writing(what):
    """Context in which errors of the file system become a :class:`UsageError` that ``what`` cannot be written."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{what} cannot be written: {error.strerror or error}") from None
    except ValueError as error:
        # No file can have this name: it contains a null character or a lone surrogate.
        raise UsageError(f"{what} cannot be written: {printable(str(error))}") from None


def _error(number):
    return OSError(number, os.strerror(number))


def _follow(path):
    """The path at the end of all symbolic links; for the name of an open descriptor (``/dev/stdout``), its number."""
    own = f"/proc/{os.getpid()}/"
    for _ in range(MOST_LINKS):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder or ".")
        descriptors = folder == "/dev/fd" or (folder.startswith(own) and re.search(r"/fd$", folder))
        if descriptors and name.isdecimal():
            return int(name)
        path = os.path.join(folder, name)
        if not os.path.islink(path):
            return path
        path = os.path.join(folder, os.readlink(path))
    raise _error(errno.ELOOP)


@dataclass
class _Target:
    """One file to write. ``where`` is a path or a descriptor, ``old`` the status of the existing file, or None."""

    where: str | int
    text: str | bytes
    old: os.stat_result | None
    staged: str | None = None
    backup: str | None = None

    @classmethod
    def of(cls, path, text):
        """Make the target for ``path``, with all checks that are possible before the first write."""
        where = _follow(os.fspath(path))
        try:
            old = os.stat(where)
        except FileNotFoundError:
            old = None
        if old is not None:
            if stat.S_ISDIR(old.st_mode):
                raise _error(errno.EISDIR)
            if isinstance(where, str) and not os.access(where, os.W_OK):
                raise _error(errno.EACCES)
        return cls(where, text, old)

    @property
    def replaced(self):
        """Whether a new file replaces the old one. Devices, FIFOs and descriptors are written through instead."""
        return isinstance(self.where, str) and (self.old is None or stat.S_ISREG(self.old.st_mode))

    def stage(self, stack):
        """Write the text to a new file in the folder of the target."""
        folder = os.path.dirname(self.where)
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=folder, prefix=".dsnswitch-"))
        self.staged, self.backup = os.path.join(folder, "new"), os.path.join(folder, "old")
        _write(self.staged, self.text)
        if self.old is not None:
            with suppress(PermissionError):
                os.chown(self.staged, self.old.st_uid, self.old.st_gid)
            os.chmod(self.staged, stat.S_IMODE(self.old.st_mode))

    def commit(self, undo):
        """Write the target, after ``undo`` has recorded how to restore the old file."""
        if not self.replaced:
            where = os.dup(self.where) if isinstance(self.where, int) else self.where
            _write(where, self.text)
        elif self.old is None:
            os.replace(self.staged, self.where)
            undo.callback(os.unlink, self.where)
        else:
            os.rename(self.where, self.backup)
            undo.callback(os.rename, self.backup, self.where)
            os.replace(self.staged, self.where)


def _write(where, text):
    content = text.encode() if isinstance(text, str) else text
    with open(where, "wb") as file:
        file.write(content)


def _write_all(targets):
    """Write every target. Files come first, and are restored if a later target fails."""
    with ExitStack() as stages, ExitStack() as undo:
        for target in targets:
            if target.replaced:
                target.stage(stages)
        for target in sorted(targets, key=lambda target: not target.replaced):
            target.commit(undo)
        undo.pop_all()


def make_folder(folder) -> None:
    """Make ``folder`` if it does not exist, so that a long command fails at once if the folder cannot be written."""
    with _writing(f"Output folder {folder}"):
        Path(folder).mkdir(parents=True, exist_ok=True)


def refuse_unwritable(path) -> None:
    """Raise :class:`UsageError` if the file ``path`` cannot be written, before the work of a long command; leaves nothing.

    Its folder need not exist, if it can be made.
    """
    with _writing(f"Output file {path}"):
        target = _Target.of(path, "")
        if target.replaced:
            folder = next(one for one in Path(target.where).absolute().parents if os.path.lexists(one))
            # Some folders that may be written take no new file, such as /proc.
            with tempfile.TemporaryDirectory(dir=folder, prefix=".dsnswitch-"):
                pass


def write_files(folder, texts) -> None:
    """Write every text of ``{name: text}`` to ``folder``, which is made if it does not exist: all of them or none.

    A text may also be the bytes of a file. A name may have folders, which are made too.

    Raises :class:`UsageError` if one cannot be written. Then the old files are complete, and there are no new ones.
    """
    folder = Path(folder)
    with _writing(f"Output folder {folder}"), ExitStack() as undo:
        for place in sorted({folder, *((folder / name).parent for name in texts)}):
            for part in reversed([place, *place.parents]):
                if not os.path.lexists(part):
                    part.mkdir(exist_ok=True)
                    undo.callback(part.rmdir)
            if not place.is_dir():
                raise _error(errno.ENOTDIR)
        targets = []
        for name, text in texts.items():
            with _writing(f"Output file {folder / name}"):
                targets.append(_Target.of(folder / name, text))
        _write_all(targets)
        undo.pop_all()


def write_text(path, text) -> None:
    """Write ``text`` to the file ``path``, or to standard output if ``path`` is ``-``. It writes all of the text or nothing.

    A device, a FIFO and a descriptor (``/dev/stdout``) are written through.
    """
    if path == STANDARD_OUTPUT:
        write_output(text)
        return
    with _writing(f"Output file {path}"):
        _write_all([_Target.of(path, text)])


def write_output(text) -> None:
    """Write ``text`` to standard output, and empty its buffer."""
    if not text:
        return
    with _writing("Standard output"):
        if sys.stdout is None:
            raise OSError("it is closed")
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError:
            # The interpreter would try again at its end, and report the failure in its own words.
            with suppress(OSError):
                sys.stdout.close()
            sys.stdout = None
            raise
