"""Cross-check with OpenSTA (optional): the worst path from the packet's inputs, on a real library."""

import functools
import re
import shutil
import subprocess
from pathlib import Path

from dsnswitch.lab.synth.debian import fetch
from dsnswitch.net.errors import UsageError

__all__ = ["binary", "delay"]

#: Clock period in ns. OpenSTA uses single precision, so with a much longer period small delays are lost.
PERIOD = 100


@functools.cache
def binary():
    """Path of an OpenSTA that runs on this machine, or None. The search covers PATH, then Debian's package ``opensta``."""
    try:
        path = shutil.which("sta") or fetch("opensta", "sta")
        Path(path).chmod(0o755)
        done = subprocess.run([path, "-version"], capture_output=True, text=True)
    except (UsageError, OSError):
        return None
    return None if done.returncode else path


def delay(folder, top, inputs, clocks):
    """Delay in ns of the worst path that starts at one of ``inputs``, or None if OpenSTA is not available.

    ``folder`` contains ``netlist.v`` and ``cells.lib``. ``clocks`` is a list with the name of the clock, or an empty list. Names
    become part of a Tcl script, so they consist of letters, digits and underscores only (a vector ends in ``[*]``);
    :mod:`elaborate` ensures that.

    Raises
    ------
    UsageError
        If OpenSTA does not report such a path.
    """
    for name in (top, *inputs, *clocks):
        if not re.fullmatch(r"\w+(\[\*\])?", name, re.ASCII):
            raise ValueError(f"A name in a Tcl script must be plain, not {name!r}")
    sta = binary()
    if sta is None:
        return None
    clock = f"[get_ports {clocks[0]}]" if clocks else ""
    Path(folder, "netlist.tcl").write_text(
        f"read_liberty cells.lib\nread_verilog netlist.v\nlink_design {top}\n"
        f"create_clock -name clock -period {PERIOD} {clock}\n"
        "set_input_delay 0 -clock clock [all_inputs]\nset_output_delay 0 -clock clock [all_outputs]\n"
        f"report_checks -from [get_ports {{{' '.join(inputs)}}}] -digits 4 -format end\nexit\n",
        encoding="utf-8",
    )
    done = subprocess.run([sta, "-no_splash", "-exit", "netlist.tcl"], capture_output=True, text=True, cwd=folder)
    # Endpoint (kind), required time, arrival time, slack. The required time of a register is reduced by its setup time.
    found = re.search(r"\((?:output|[A-Z0-9]+)\)\s+[\d.]+\s+([\d.]+)\s+[\d.]+ \(MET\)", done.stdout)
    if not found:
        raise UsageError(f"OpenSTA finds no path in {top}: {(done.stdout + done.stderr).strip()[-200:]}")
    return float(found[1])
