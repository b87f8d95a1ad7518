"""Cell libraries by name: the generated model, and the real OSU 0.18 um cells, which are downloaded if that is possible.

No part of the OSU cells is installed or committed (:mod:`debian`).
"""

import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from dsnswitch.lab.synth.library import MODEL, Library
from dsnswitch.net.messages import UsageError

# Files of Debian packages. A package is downloaded with ``apt-get`` and unpacked under ``build/tools``, but not installed.


#: Folder of fetched files, relative to the working directory.
FOLDER = Path("build", "tools", "debian")

#: Name of the folder with all files of a package, within the package's own folder.
WHOLE = "unpacked"


def fetch(package, name):
    """Path of the file called ``name`` from ``package``. The file is fetched at the first call.

    Raises
    ------
    UsageError
        If this machine cannot download or unpack the package.
    """
    path = (FOLDER / package / name).absolute()
    if path.is_file():
        return path
    with _unpacked(package, name) as folder:
        found = next((file for file in folder.rglob(name) if file.is_file()), None)
        if found is None:
            raise UsageError(f"Debian's {package} has no file {name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = path.with_suffix(".part")
        shutil.copy(found, staged)
        staged.replace(path)
    return path


def unpack(package):
    """Folder with all files of ``package``. They are fetched at the first call.

    Raises
    ------
    UsageError
        If this machine cannot download or unpack the package.
    """
    path = (FOLDER / package / WHOLE).absolute()
    if path.is_dir():
        return path
    with _unpacked(package, package) as folder:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as staged:
            shutil.copytree(folder, Path(staged, WHOLE), symlinks=True)
            # Another process may have unpacked the package in the meantime.
            if not path.is_dir():
                Path(staged, WHOLE).rename(path)
    return path


@contextmanager
def _unpacked(package, wanted):
    """A temporary folder with the files of ``package``. Error messages name ``wanted``."""
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise UsageError(f"{wanted} comes from Debian's {package}, and this machine has no {tool}")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["apt-get", "-q", "download", package], cwd=folder, capture_output=True, text=True)
        packages = list(Path(folder).glob("*.deb"))
        if done.returncode or not packages:
            reason = (done.stderr.strip() or "no package").splitlines()[-1]
            raise UsageError(f"{wanted}: apt-get cannot download {package}: {reason}")
        files = Path(folder, "files")
        done = subprocess.run(["dpkg-deb", "-x", packages[0], files], capture_output=True, text=True)
        if done.returncode:
            raise UsageError(f"{wanted}: dpkg-deb cannot unpack {package}: {done.stderr.strip()[-100:]}")
        yield files


#: Picoseconds per model FO4 and OSU area per model GE in OSU 0.18 um: means over the circuits of
#: ``tests/lab/synth/test_calibration.py``.
PS_PER_FO4 = 86.0
UM2_PER_GE = 23.7

LIBRARIES = ("model", "osu018")


def library(name):
    """The :class:`Library` called ``name``, one of :data:`LIBRARIES`.

    Raises
    ------
    UsageError
        If it cannot be fetched.
    """
    if name == "model":
        return MODEL
    return Library(name, "um2", "ns", str(fetch("qflow-tech-osu018", "osu018_stdcells.lib")))
