"""Builds ``joined.v`` with an emitted switch and runs ``test_joined.py`` on it: ``python run.py VERILOG SIMULATOR``."""

import argparse
import sys
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent


def main(switch, simulator):
    runner = get_runner(simulator)
    runner.build(
        sources=[HERE / "joined.v", Path(switch).resolve()],
        hdl_toplevel="joined",
        build_dir="build",
        timescale=("1ns", "1ps"),
        build_args=["-Wall"] if simulator == "icarus" else ["--output-split", "0"],
        always=True,
    )
    results = runner.test(
        test_module="test_joined",
        hdl_toplevel="joined",
        hdl_toplevel_lang="verilog",
        build_dir="build",
        test_dir="build",
        extra_env={"PYTHONPATH": str(HERE)},
    )
    tests, failed = get_results(results)
    print(f"{tests} tests, {failed} failed")
    return 0 if tests and not failed else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("switch", help="Verilog of the switch: rtl/NAME.v")
    parser.add_argument("simulator", choices=["verilator", "icarus"])
    sys.exit(main(**vars(parser.parse_args())))
