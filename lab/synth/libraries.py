"""Cell libraries by name: the generated model, and the real OSU 0.18 um cells, which are downloaded if that is possible.

No part of the OSU cells is installed or committed (:mod:`debian`).
"""

from dsnswitch.lab.synth.debian import fetch
from dsnswitch.lab.synth.library import MODEL, Library

__all__ = ["LIBRARIES", "PS_PER_FO4", "UM2_PER_GE", "library"]

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
