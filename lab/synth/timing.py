"""Static timing analysis of a netlist that is mapped on the model library: the worst path of each class, in FO4.

The delay of a model cell is ``parasitic + load / drive``, so the analysis is short. A test compares it with abc's ``stime``. In
contrast to ``stime``, it includes the times of flip-flops and distinguishes the starting points of paths: nets that the static
module drives have no arrival time, nor have registers of such nets. A RAM is treated as flip-flops, because its access time
depends on another library.
"""

import functools
import re
import shutil
import subprocess
from graphlib import TopologicalSorter
from pathlib import Path

from dsnswitch.lab.synth.library import BY_NAME, FLIP_FLOP, FO4, RAM, fetch, input_loads
from dsnswitch.net.messages import UsageError

#: Classes of paths. A path from a register includes its clock-to-output time, a path to a register its setup time.
PATHS = ("input_to_output", "input_to_register", "register_to_output", "register_to_register")


def timing(netlist, top, straps=()):
    """Worst delay of each class of :data:`PATHS`, in FO4; None for a class without a path.

    ``netlist`` is the JSON of ``write_json``, with the bits of ports and cells, and ``top`` the module to time. No path starts at
    the inputs ``straps`` and at the outputs of the static module.
    """
    module = netlist["modules"][top]
    cells = module["cells"].values()
    loads = {}
    for cell in cells:
        for pin, load in input_loads(cell).items():
            net = cell["connections"][pin][0]
            loads[net] = loads.get(net, 0) + load
    drivers = {cell["connections"]["Y"][0]: cell for cell in cells if cell["type"] in BY_NAME}
    flops = [cell["connections"] for cell in cells if cell["type"] == FLIP_FLOP["name"]]
    arrivals = {}
    for name, port in module["ports"].items():
        if port["direction"] == "input" and name not in straps:
            arrivals |= dict.fromkeys(port["bits"], (0, None))
    clock = FLIP_FLOP["clk_to_q"]
    ends = [pins["D"][0] for pins in flops]
    sources = [pins["Q"][0] for pins in flops]
    for cell in cells:
        if cell["type"].startswith(RAM):
            for pin, bits in cell["connections"].items():
                (sources if cell["port_directions"][pin] == "output" else ends).extend(bits)
    arrivals |= {bit: (None, clock + loads.get(bit, 0) / FLIP_FLOP["drive"]) for bit in sources}
    arrivals = _arrivals(drivers, loads, arrivals, [(pins["D"][0], pins["Q"][0]) for pins in flops])
    outputs = [bit for port in module["ports"].values() if port["direction"] == "output" for bit in port["bits"]]
    ends = {"output": (outputs, 0), "register": (ends, FLIP_FLOP["setup"])}
    worst = {}
    for start in ("input", "register"):
        for end, (bits, extra) in ends.items():
            times = [arrivals[bit][start == "register"] for bit in bits if bit in arrivals]
            times = [time + extra for time in times if time is not None]
            worst[f"{start}_to_{end}"] = round(max(times) / FO4, 4) if times else None
    return worst


def _arrivals(drivers, loads, starts, flops):
    """Latest arrivals at every net, from inputs and from registers; each may be None.

    A register fed by straps alone has settled like them, so no path starts at its output.
    """
    inputs = {net: [cell["connections"][pin][0] for pin in BY_NAME[cell["type"]].inputs] for net, cell in drivers.items()}
    order = [*TopologicalSorter({net: [bit for bit in bits if bit in drivers] for net, bits in inputs.items()}).static_order()]
    while True:
        arrivals = dict(starts)
        for net in order:
            kind = BY_NAME[drivers[net]["type"]]
            delay, latest = kind.parasitic + loads.get(net, 0) / kind.drive, []
            for start in (0, 1):
                times = [arrivals[bit][start] for bit in inputs[net] if bit in arrivals]
                times = [time for time in times if time is not None]
                latest.append(max(times) + delay if times else None)
            arrivals[net] = tuple(latest)
        late = {net for net, times in arrivals.items() if times != (None, None)}
        settled = {output for data, output in flops if output in starts and data not in late}
        if not settled:
            return arrivals
        starts = {bit: time for bit, time in starts.items() if bit not in settled}


# Cross-check with OpenSTA (optional): the worst path from the packet's inputs, on a real library.

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


def delay(folder, top, inputs, clocks) -> float | None:
    """Delay in ns of the worst path that starts at one of ``inputs``, or None if OpenSTA is not available.

    ``folder`` contains ``netlist.v`` and ``cells.lib``. ``clocks`` is a list with the name of the clock, or an empty list. Names
    become part of a Tcl script, so they consist of letters, digits and underscores only (a vector ends in ``[*]``);
    :mod:`elaborate` ensures that.
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
