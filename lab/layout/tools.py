"""Tools for layouts, from Debian packages: graywolf, qrouter, and the OSU cells.

The packages are unpacked (:mod:`debian`). They are neither installed nor committed.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from dsnswitch.lab.synth import opensta
from dsnswitch.lab.synth.debian import fetch, unpack
from dsnswitch.net.errors import UsageError

__all__ = ["Tools", "tools"]

#: Packages with the programs, and with the libraries that they need and that a machine may lack.
PACKAGES = (
    *("graywolf", "libycadgraywolf1", "libgsl27", "libgslcblas0"),
    *("qrouter", "libtcl8.6", "libx11-6", "libxcb1", "libxau6", "libxdmcp6", "libbsd0", "libmd0"),
)

CELLS = "qflow-tech-osu018"


@dataclass(frozen=True)
class Tools:
    """Paths of programs and files.

    Attributes
    ----------
    graywolf, qrouter : Path
    lef, parameters : Path
        Geometry of the cells, and graywolf's parameters for them.
    environment : dict
        Environment variables of both programs.
    """

    graywolf: Path
    qrouter: Path
    lef: Path
    parameters: Path
    environment: dict


def tools():
    """The :class:`Tools`. They are fetched at the first call.

    Raises
    ------
    UsageError
        If this machine cannot fetch or run one of them.
    """
    folders = {name: unpack(name) for name in PACKAGES}
    libraries = [path for folder in folders.values() for path in sorted(folder.glob("usr/lib/*-linux-*"))]
    roots = {
        "TWDIR": folders["graywolf"] / "usr/lib/graywolf",
        "QROUTER_LIB_DIR": folders["qrouter"] / "usr/lib/qrouter",
        "TCL_LIBRARY": folders["libtcl8.6"] / "usr/share/tcltk/tcl8.6",
    }
    # The programs run without a display, and without the caller's libraries.
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "LD_LIBRARY_PATH")}
    environment = kept | {name: str(path) for name, path in roots.items()}
    environment |= {"LD_LIBRARY_PATH": ":".join(map(str, libraries)), "LC_ALL": "C"}
    if opensta.binary() is None:
        raise UsageError("A layout needs OpenSTA: no sta on PATH, and Debian's opensta cannot be fetched or run")
    return Tools(
        folders["graywolf"] / "usr/bin/graywolf",
        folders["qrouter"] / "usr/lib/qrouter/qrouternullg",
        fetch(CELLS, "osu018_stdcells.lef"),
        fetch(CELLS, "osu018.par"),
        environment,
    )
