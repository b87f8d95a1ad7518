"""The cache: what takes long to make is made once, and kept in one folder.

The name of an entry ends in a hash of its content, so a damaged entry is noticed and made again.
"""

import glob
import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from dsnswitch.net.messages import UsageError

#: Characters of the hash in the name of an entry.
CHECK = 24


def cache_folder() -> Path:
    """Folder of the cache: ``$DSNSWITCH_CACHE``, else ``dsnswitch`` in the user's cache folder."""
    found = os.environ.get("DSNSWITCH_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(found) if found else Path(base, "dsnswitch")


def content_key(*files, text="") -> str:
    """A hash of files and a text."""
    digest = hashlib.sha256(text.encode())
    for file in files:
        data = Path(file).read_bytes()
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()[:CHECK]


def kept(name) -> Path | None:
    """Path of the entry ``name``, a file or a folder of files, or None. A damaged entry is removed.

    The path is that of ``name`` with the check before the suffix.
    """
    stem, suffix = os.path.splitext(name)
    for path in sorted(cache_folder().glob(f"{glob.escape(stem)}-{'[0-9a-f]' * CHECK}{suffix}")):
        with suppress(OSError):
            if path.name == _checked(name, path):
                return path
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
    return None


def keep(name, make) -> Path:
    """Add the entry ``name``, and return its path. ``make(path)`` writes the file, or makes a folder of files.

    Other processes see the whole entry or none, also after a power failure. ``OSError`` means that the folder cannot be written,
    from ``make``, too, so it should do nothing else.
    """
    place = cache_folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place, prefix=".new-", ignore_cleanup_errors=True) as work:
            made = Path(work, name)
            make(made)
            path = place / _checked(name, made)
            for part in (*_files(made), made):
                _synchronise(part)
            if not path.exists():
                # Of two processes that make the same entry, the later one finds it.
                os.replace(made, path)
        _synchronise(place)
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"The cache {place} cannot be written ({why}); set DSNSWITCH_CACHE to another folder") from None
    return path


def _files(path):
    """The files of an entry."""
    return sorted(path.iterdir()) if path.is_dir() else [path]


def _checked(name, path):
    """The name of the entry at ``path``: ``name`` and the hash of the content."""
    parts = _files(path)
    stem, suffix = os.path.splitext(name)
    return f"{stem}-{content_key(*parts, text=repr([part.name for part in parts if part != path]))}{suffix}"


def _synchronise(path):
    """Wait until a file or the names in a folder are on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
