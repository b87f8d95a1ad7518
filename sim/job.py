"""One cocotb build and run, in a process of its own so that simulators never share state: ``python -m ...job JSON``."""

import json
import sys
from pathlib import Path

from cocotb_tools.runner import get_runner


def main():
    """Run the job that the command line describes (see :func:`dsnswitch.sim.run.run_bench`)."""
    job = json.loads(sys.argv[1])
    folder = Path(job["folder"])
    (folder / "results.xml").unlink(missing_ok=True)
    runner = get_runner(job["simulator"])
    runner.build(
        sources=[job["verilog"]],
        hdl_toplevel=job["top"],
        build_dir=folder / "build",
        build_args=job["build_args"],
        timescale=("1ns", "1ps"),
        always=True,
        waves=job["waves"],
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
