"""One cocotb build and run, in a process of its own so that simulators never share state: ``python -m ...job JSON``."""

import json
import sys
from pathlib import Path

from cocotb_tools.runner import get_runner

#: Writes the waveforms of a run on Icarus, in its own format FST.
DUMP = """\
module dump;
  initial begin
    $dumpfile("dump.fst");
    $dumpvars(0, {top});
  end
endmodule
"""


def main():
    """Run the job that the command line describes (see :func:`dsnswitch.sim.run.run_bench`)."""
    job = json.loads(sys.argv[1])
    folder = Path(job["folder"])
    (folder / "results.xml").unlink(missing_ok=True)
    runner = get_runner(job["simulator"])
    sources, build_args = [job["verilog"]], job["build_args"]
    dumped = job["waves"] and job["simulator"] == "icarus"
    if dumped:
        # cocotb's own module for this is SystemVerilog, which -g2005 refuses.
        sources = [*sources, folder / "dump.v"]
        build_args = [*build_args, "-s", "dump"]
        sources[-1].write_text(DUMP.format(top=job["top"]), encoding="utf-8")
    runner.build(
        sources=sources,
        hdl_toplevel=job["top"],
        build_dir=folder / "build",
        build_args=build_args,
        timescale=("1ns", "1ps"),
        always=True,
        waves=job["waves"] and not dumped,
    )
    runner.test(
        test_module=job["bench"],
        hdl_toplevel=job["top"],
        build_dir=folder / "build",
        test_dir=folder,
        results_xml=str(folder / "results.xml"),
        test_filter="|".join(f"{job['bench']}.{name}$" for name in job["tests"]) if job["tests"] else None,
        waves=job["waves"],
    )


if __name__ == "__main__":
    main()
