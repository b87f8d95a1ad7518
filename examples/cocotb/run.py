"""Builds an emitted block and runs ``test_route.py`` on it: ``python run.py MANIFEST SIMULATOR``."""

import argparse
import json
import sys
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent


def main(manifest, simulator):
    manifest = Path(manifest).resolve()
    about = json.loads(manifest.read_text())
    runner = get_runner(simulator)
    runner.build(
        sources=[manifest.with_name(about["files"]["verilog"])],
        hdl_toplevel=about["top"],
        build_dir="build",
        timescale=("1ns", "1ps"),
        always=True,
    )
    results = runner.test(
        test_module="test_route",
        hdl_toplevel=about["top"],
        hdl_toplevel_lang="verilog",
        build_dir="build",
        test_dir="build",
        extra_env={"MANIFEST": str(manifest), "PYTHONPATH": str(HERE)},
    )
    tests, failed = get_results(results)
    print(f"{tests} tests, {failed} failed")
    return 0 if tests and not failed else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifest", help="manifest of the block: rtl/NAME.json")
    parser.add_argument("simulator", choices=["verilator", "icarus"])
    sys.exit(main(**vars(parser.parse_args())))
