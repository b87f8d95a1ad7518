"""The C++ compiler, and the forms of the code that this machine runs."""

import concurrent.futures
import errno
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from dsnswitch.net.messages import UsageError

__all__ = ["FORMS", "best_form", "build", "checked_form", "compiler", "features", "flags"]

#: By form of the code: flags of the compiler.
FORMS = {"avx512": ("-march=native",), "generic": ("-march=native", "-mno-avx512f")}

#: Names of processor features that the form ``avx512`` needs.
AVX512 = {"avx512f", "avx512bw", "avx512vbmi"}

OPTIMISE = ("-O1", "-fno-strict-aliasing")


def compiler() -> list[str]:
    """The C++ compiler: ``$CXX``, else ``g++``.

    Raises
    ------
    UsageError
        If there is none.
    """
    name = os.environ.get("CXX") or "g++"
    if not shutil.which(name.split()[0]):
        raise UsageError(f"A simulation needs a C++ compiler; {name} is not installed")
    return name.split()


def flags(isa: str, machine: str | None = None) -> list[str]:
    """Flags of the compiler for a form of the code on a kind of machine: only compilers for x86 know those of AVX-512."""
    is_x86 = (machine or platform.machine()) in ("x86_64", "AMD64")
    return [flag for flag in FORMS[isa] if is_x86 or "avx" not in flag]


@cache
def features() -> frozenset[str]:
    """Names of this processor's features, as Linux lists them; none on other systems."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return frozenset()
    lines = [line for line in text.splitlines() if line.startswith(("flags", "Features"))]
    return frozenset(lines[0].partition(":")[2].split()) if lines else frozenset()


def best_form() -> str:
    """The fastest of :data:`FORMS` that this machine runs."""
    return "avx512" if features() >= AVX512 else "generic"


def checked_form(isa: str | None) -> str:
    """``isa``, or the best form if it is None.

    Raises
    ------
    UsageError
        If it is unknown, or the machine lacks it.
    """
    if isa is None:
        return best_form()
    if isa not in FORMS:
        raise UsageError(f"Form of the code must be one of {', '.join(FORMS)}, not {isa!r}")
    if isa == "avx512" and best_form() != "avx512":
        raise UsageError("This machine has no AVX-512 with VBMI; the form generic runs on it")
    return isa


def build(sources: Sequence[str], library: Path, isa: str, optimise: Sequence[str] = OPTIMISE) -> None:
    """Compile texts of C++ on all cores, and link them to a shared library.

    Raises
    ------
    UsageError
        If the compiler fails.
    OSError
        If the disk is full.
    """
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        words = [*compiler(), "-std=c++17", "-fPIC", *optimise, *flags(isa), f"-I{Path(__file__).parent}"]

        def one(number):
            source, made = Path(folder, f"{number}.cpp"), Path(folder, f"{number}.o")
            source.write_text(sources[number])
            _run([*words, "-c", str(source), "-o", str(made)], folder)
            return str(made)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(one, range(len(sources))))
        _run([*compiler(), "-shared", "-pthread", *objects, "-o", str(library)], folder)


def _run(words, folder):
    """Call the compiler, which puts temporary files into ``folder``."""
    environment = os.environ | {"TMPDIR": folder, "LC_ALL": "C"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, errors="replace")
    if done.returncode:
        if os.strerror(errno.ENOSPC) in done.stderr:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or ["no message"]
        raise UsageError(f"The C++ compiler failed: {lines[0][:300]}")
