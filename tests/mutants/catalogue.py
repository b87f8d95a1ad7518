"""The list of mutants: faults of the design as data, in TOML files that mirror the directories of ``hdl``.

``fec/secded.toml`` has the mutants of ``hdl/fec/secded``. Each table of a file is one mutant.
"""

import random
import tomllib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CatalogueError", "Mutant", "directories", "read", "sampled"]

LIST = Path(__file__).resolve().parent
NEEDED = {"file", "fault", "find", "replace"}


class CatalogueError(ValueError):
    """An entry of the list is malformed, or its text is no longer in the source."""


@dataclass(frozen=True)
class Mutant:
    """One fault of the design.

    Parameters
    ----------
    directory : str
        Directory below ``hdl``, or the name of a module directly in ``hdl``.
    key : str
        Name of the mutant in its directory.
    path : str
        The changed file, relative to the repository. The list states it relative to the directory, or from ``hdl/`` or ``net/``.
    fault : str
        One line that describes the fault.
    find, replace : str
        A text that occurs exactly once in the file, and the text that replaces it.
    tests : tuple of str
        Arguments of pytest: the tests that must fail, the cheapest first.
    """

    directory: str
    key: str
    path: str
    fault: str
    find: str
    replace: str
    tests: tuple

    @property
    def name(self):
        return f"{self.directory}:{self.key}"

    def applied(self, source):
        """The text of the file with the fault."""
        count = source.count(self.find)
        if count != 1:
            raise CatalogueError(f"Mutant {self.name} must find its text once in {self.path}, not {count} times")
        if self.find == self.replace:
            raise CatalogueError(f"Mutant {self.name} must change {self.path}")
        return source.replace(self.find, self.replace)


def read(folder=LIST, under=""):
    """All mutants of the list in ``folder``, or only those of directories whose path begins with ``under``."""
    found = []
    for path in sorted(folder.rglob("*.toml")):
        directory = path.relative_to(folder).with_suffix("").as_posix()
        if f"{directory}/".startswith(f"{under.strip('/')}/") or not under:
            found += _read(path, directory)
    return found


def _read(path, directory):
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    default = table.pop("tests", [f"tests/hdl/{directory.partition('/')[0]}"])
    for key, entry in table.items():
        if not NEEDED <= set(entry) <= NEEDED | {"tests"}:
            raise CatalogueError(f"Mutant {directory}:{key} must have {', '.join(sorted(NEEDED))}, not {sorted(entry)}")
        tests = tuple(entry.get("tests", default))
        file = entry["file"]
        if not file.startswith(("hdl/", "net/")):
            file = f"hdl/{directory}/{file}" if (LIST.parent.parent / "hdl" / directory).is_dir() else f"hdl/{file}"
        yield Mutant(directory, key, file, entry["fault"], entry["find"], entry["replace"], tests)


def sampled(mutants, count, seed):
    """``count`` mutants in the order of the list; the same seed gives the same mutants."""
    chosen = random.Random(seed).sample(range(len(mutants)), min(count, len(mutants)))
    return [mutants[place] for place in sorted(chosen)]


def directories(root):
    """Directories and modules that must have mutants.

    These are each directory below ``hdl`` with code, and each module directly in ``hdl``. A file that only imports and lists
    names does not count as code.
    """
    top = root / "hdl"
    modules = [path for path in sorted(top.rglob("*.py")) if path.name != "__init__.py"]
    return sorted(
        {(path.parent if path.parent != top else path.with_suffix("")).relative_to(top).as_posix() for path in modules}
    )
