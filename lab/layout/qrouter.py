"""Routing of a placed DEF file with qrouter."""

import re
import subprocess
from pathlib import Path

from dsnswitch.net.errors import UsageError

__all__ = ["LAYERS", "Unrouted", "route"]

#: Number of layers for signals, from the bottom up: all layers of the process.
LAYERS = 6

#: Stage 1 routes every net once. Stage 2 routes the failed nets, and removes nets in their way; it is repeated as long as that
#: helps. Stage 3 routes a complete result again net by net, which shortens wires.
_SCRIPT = """source $env(QROUTER_LIB_DIR)/qrouter.tcl
verbose 1
read_lef cells.lef
catch {{layers {layers}}}
vdd vdd
gnd gnd
read_def placed.def
set failing [stage1]
foreach {{mask effort}} {{10 10 20 10 none 20 none 50 none 100}} {{
    if {{$failing == 0}} {{break}}
    set failing [stage2 mask $mask effort $effort]
    if {{$failing > {most}}} {{break}}
}}
if {{$failing == 0}} {{set failing [stage3]}}
foreach effort {{20 50 100}} {{
    if {{$failing == 0 || $failing > {most}}} {{break}}
    set failing [stage2 mask none effort $effort]
}}
cleanup all
write_def routed.def
puts "@@ failing $failing"
quit
"""

#: Most failing nets after a round of stage 2 at which another round is still worth its time.
HOPELESS = 30


class Unrouted(Exception):
    """``count`` nets have no complete wire."""

    def __init__(self, count):
        super().__init__(f"{count} nets could not be routed")
        self.count = count


def route(text, tools, folder, layers=LAYERS):
    """Routed DEF of the placed DEF ``text``. qrouter's files go to ``folder``.

    Raises
    ------
    Unrouted
        If a net could not be routed.
    UsageError
        If qrouter fails.
    """
    folder = Path(folder)
    (folder / "placed.def").write_text(text, encoding="ascii")
    (folder / "cells.lef").write_bytes(tools.lef.read_bytes())
    (folder / "route.tcl").write_text(_SCRIPT.format(layers=layers, most=HOPELESS), encoding="ascii")
    routed = folder / "routed.def"
    routed.unlink(missing_ok=True)
    done = subprocess.run(
        [tools.qrouter, "route.tcl"],
        cwd=folder,
        env=tools.environment,
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    (folder / "route.log").write_text(done.stdout + done.stderr)
    summary = re.search(r"^@@ failing (\d+)", done.stdout, re.MULTILINE)
    if summary is None or not routed.exists():
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no message"]
        raise UsageError(f"qrouter failed: {lines[-1]}")
    if int(summary[1]):
        raise Unrouted(int(summary[1]))
    return routed.read_text()
