"""Runs the tests on a mutant, in a copy of the repository with one fault."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue

from .plugin import __name__ as PLUGIN

__all__ = ["Outcome", "Trials"]

#: Files that are not copied.
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info")

#: Exit status of pytest -> result.
RESULTS = {0: "survived", 1: "caught"}


@dataclass(frozen=True)
class Outcome:
    """The result of a mutant.

    Parameters
    ----------
    result : str
        ``caught``; ``timeout``, which counts as caught; ``survived``; or ``error`` if the tests could not run.
    seconds : float
        Duration of the run.
    test : str
        The test that failed, or an empty text.
    log : str
        End of pytest's output.
    """

    result: str
    seconds: float
    test: str
    log: str


class Trials:
    """Runs mutants of the repository ``root`` in its present state, each for at most ``limit`` seconds.

    Each of ``workers`` threads keeps its copy of the repository for all of its mutants, so that Python's bytecode is reused.
    """

    def __init__(self, root, workers=1, limit=900):
        self._root, self._workers, self._limit, self._running = Path(root), workers, limit, set()

    def outcomes(self, mutants):
        """Yield the :class:`Outcome` of each mutant, in their order."""
        trees = SimpleQueue()

        def run(mutant):
            tree = trees.get()
            try:
                return self._run(mutant, tree)
            finally:
                trees.put(tree)

        with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(self._workers) as pool:
            for number in range(self._workers):
                tree = Path(folder).resolve() / f"tree-{number}"
                shutil.copytree(self._root, tree, ignore=LEFT_OUT)
                trees.put(tree)
            futures = [pool.submit(run, mutant) for mutant in mutants]
            try:
                for future in futures:
                    yield future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in list(self._running):
                    _kill(process)
                raise

    def _run(self, mutant, tree):
        packages = self._prepared(tree)
        path = tree / mutant.path
        right = path.read_text(encoding="utf-8")
        path.write_text(mutant.applied(right), encoding="utf-8")
        try:
            return self._tested(mutant.tests, tree, packages)
        finally:
            path.write_text(right, encoding="utf-8")
            # Python identifies bytecode by time in seconds and size of the source, which may be equal for two mutants.
            (path.parent / "__pycache__" / Path(cache_from_source(path)).name).unlink(missing_ok=True)

    def _prepared(self, tree):
        """Create an empty folder ``build`` in a copy; returns the folder with the package ``dsnswitch`` of the copy.

        Simulation models are taken from the cache of the repository, because the cache identifies models by a hash of their
        contents.
        """
        shutil.rmtree(tree / "build", ignore_errors=True)
        models = Path("build", "tests", "tools")
        (self._root / models).mkdir(parents=True, exist_ok=True)
        (tree / models).parent.mkdir(parents=True)
        (tree / models).symlink_to((self._root / models).resolve())
        packages = tree / "build" / "packages"
        (packages / "dsnswitch").mkdir(parents=True)
        (packages / "dsnswitch" / "__init__.py").touch()
        for name in ("net", "hdl", "gen", "sim", "lab"):
            (packages / "dsnswitch" / name).symlink_to(tree / name)
        return packages

    def _tested(self, tests, tree, packages):
        words = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", PLUGIN, *tests]
        outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        outer |= {"HYPOTHESIS_PROFILE": "ci", "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": ""}
        # The cache names compiled code by a hash of its sources, so mutants share the cache of the repository.
        outer["DSNSWITCH_CACHE"] = str(self._root.resolve() / "build" / "tests" / "simulate")
        # These paths precede the installed package, which is the repository.
        outer["PYTHONPATH"] = os.pathsep.join([str(packages), str(tree / "tests")])
        started, log = time.monotonic(), tree / "build" / "log"
        with open(log, "wb") as output:
            process = subprocess.Popen(
                words, cwd=tree, env=outer, stdout=output, stderr=subprocess.STDOUT, process_group=0
            )
            self._running.add(process)
            try:
                result = RESULTS.get(process.wait(self._limit), "error")
            except subprocess.TimeoutExpired:
                _kill(process)
                result = "timeout"
            finally:
                self._running.discard(process)
        said = log.read_text(encoding="utf-8", errors="replace")
        failed = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
        return Outcome(result, time.monotonic() - started, failed[1] if failed else "", said[-3000:])


def _kill(process):
    """End a run and the simulators that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
