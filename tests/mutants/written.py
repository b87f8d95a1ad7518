"""The written mutants: each is a text of the design that is replaced by another one, and the tests that must fail."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).with_name("written.toml")

#: What the copies of the repository leave out.
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info")

#: Tests that break the design themselves would fail because they do not find the text that they replace.
SOUND = "not (mutant or mutation or notice or broken or can_fail)"

#: Bytes of data of a process. A mutant that searches without an end fails before the machine has no memory left.
MEMORY = 6 << 30

#: Exit status of pytest -> verdict.
VERDICTS = {0: "survived", 1: "caught"}


@dataclass(frozen=True)
class Written:
    """A fault: ``replace`` in place of ``find``, which occurs once in ``file``; ``tests`` are arguments of pytest."""

    name: str
    file: str
    fault: str
    find: str
    replace: str
    tests: tuple

    def applied(self, source):
        """The text of the file with the fault."""
        if (count := source.count(self.find)) != 1:
            raise ValueError(f"Mutant {self.name} must find its text once in {self.file}, not {count} times")
        return source.replace(self.find, self.replace)


def written():
    """All mutants of the list, by name."""
    found = {}
    for group, table in tomllib.loads(LIST.read_text(encoding="utf-8")).items():
        tests = table.pop("tests")
        for key, entry in table.items():
            found[f"{group}/{key}"] = Written(f"{group}/{key}", **entry | {"tests": tuple(entry.get("tests", tests))})
    return found


def judged(root, mutants, limit=900):
    """Yield ``(mutant, verdict, end of the log)``: the tests run in a copy of the repository that has the fault.

    Simulators are compiled into the cache of the repository, which knows them by a hash of their contents.
    """
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder).resolve() / "tree"
        shutil.copytree(root, tree, ignore=LEFT_OUT, symlinks=True)
        for mutant in mutants:
            path = tree / mutant.file
            right = path.read_text(encoding="utf-8")
            path.write_text(mutant.applied(right), encoding="utf-8")
            yield mutant, *_tested(mutant.tests, root, tree, limit)
            path.write_text(right, encoding="utf-8")


def _tested(tests, root, tree, limit):
    tools = Path("build", "tests", "tools")
    shutil.rmtree(tree / "build", ignore_errors=True)
    (root / tools).mkdir(parents=True, exist_ok=True)
    (tree / tools).parent.mkdir(parents=True)
    (tree / tools).symlink_to((root / tools).resolve())
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    # Python knows bytecode by the time in seconds and the size of its source, which may be equal for two mutants.
    outer |= {"HYPOTHESIS_PROFILE": "ci", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tree / "src")}
    outer["DSNSWITCH_CACHE"] = str(root.resolve() / "build" / "tests" / "simulate")
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", SOUND, *tests]
    process = subprocess.Popen(
        words,
        cwd=tree,
        env=outer,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)),
    )
    try:
        said = process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        return "timeout", process.communicate()[0][-3000:]
    return VERDICTS.get(process.returncode, "error"), said[-3000:]
