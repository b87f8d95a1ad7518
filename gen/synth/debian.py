"""Files of Debian packages without installing them: downloaded with ``apt-get``, unpacked under ``build/tools``."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from ..errors import UsageError

__all__ = ["FOLDER", "fetch"]

#: Where fetched files stay, under the working directory.
FOLDER = Path("build", "tools", "debian")


def fetch(package, name):
    """Path of the file called ``name`` in ``package``, fetched if it is not there yet.

    Raises
    ------
    UsageError
        If this machine cannot download or unpack the package.
    """
    path = (FOLDER / package / name).absolute()
    if path.is_file():
        return path
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise UsageError(f"{name} comes from Debian's {package}, and this machine has no {tool}")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["apt-get", "-q", "download", package], cwd=folder, capture_output=True, text=True)
        packages = list(Path(folder).glob("*.deb"))
        if done.returncode or not packages:
            reason = (done.stderr.strip() or "no package").splitlines()[-1]
            raise UsageError(f"{name}: apt-get cannot download {package}: {reason}")
        subprocess.run(["dpkg-deb", "-x", packages[0], folder], check=True, capture_output=True)
        found = next((file for file in Path(folder).rglob(name) if file.is_file()), None)
        if found is None:
            raise UsageError(f"Debian's {package} has no file {name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = path.with_suffix(".part")
        shutil.copy(found, staged)
        staged.replace(path)
    return path
