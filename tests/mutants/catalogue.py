"""The list of mutants: faults of the design as data, in TOML files by subject. Each table of a file is one mutant."""

import random
import tomllib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CatalogueError", "Mutant", "packages", "read", "sampled"]

LIST = Path(__file__).resolve().parent
NEEDED = {"file", "fault", "find", "replace"}


class CatalogueError(ValueError):
    """An entry of the list is malformed, or its text is no longer in the source."""


@dataclass(frozen=True)
class Mutant:
    """One fault of the design.

    Parameters
    ----------
    subject : str
        Path of the TOML file, without its suffix.
    key : str
        Name of the mutant in its file.
    path : str
        The changed file, relative to the repository.
    fault : str
        One line that describes the fault.
    find, replace : str
        A text that occurs exactly once in the file, and the text that replaces it.
    tests : tuple of str
        Arguments of pytest: the tests that must fail, the cheapest first.
    """

    subject: str
    key: str
    path: str
    fault: str
    find: str
    replace: str
    tests: tuple

    @property
    def name(self):
        return f"{self.subject}:{self.key}"

    def applied(self, source):
        """The text of the file with the fault."""
        count = source.count(self.find)
        if count != 1:
            raise CatalogueError(f"Mutant {self.name} must find its text once in {self.path}, not {count} times")
        if self.find == self.replace:
            raise CatalogueError(f"Mutant {self.name} must change {self.path}")
        return source.replace(self.find, self.replace)


def read(folder=LIST, under=""):
    """All mutants of the list in ``folder``, or only those of the subjects that ``under`` names or begins."""
    found = []
    for path in sorted(folder.rglob("*.toml")):
        subject = path.relative_to(folder).with_suffix("").as_posix()
        if f"{subject}/".startswith(f"{under.strip('/')}/") or not under:
            found += _read(path, subject)
    return found


def _read(path, subject):
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    default = table.pop("tests", [f"tests/hdl/{subject.partition('/')[0]}"])
    for key, entry in table.items():
        if not NEEDED <= set(entry) <= NEEDED | {"tests"}:
            raise CatalogueError(f"Mutant {subject}:{key} must have {', '.join(sorted(NEEDED))}, not {sorted(entry)}")
        tests = tuple(entry.get("tests", default))
        yield Mutant(subject, key, entry["file"], entry["fault"], entry["find"], entry["replace"], tests)


def sampled(mutants, count, seed):
    """``count`` mutants in the order of the list; the same seed gives the same mutants."""
    chosen = random.Random(seed).sample(range(len(mutants)), min(count, len(mutants)))
    return [mutants[place] for place in sorted(chosen)]


def packages(root):
    """Directories that must have mutants: those of ``hdl`` with code, topologies and routing. An ``__init__.py`` is no code."""
    folders = (root / "hdl", root / "net" / "topology", root / "net" / "routing")
    modules = [path for folder in folders for path in folder.rglob("*.py") if path.name != "__init__.py"]
    return {path.parent.relative_to(root).as_posix() for path in modules}
