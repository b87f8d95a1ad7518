"""The written mutants: each is a text of a source that is replaced by another one, and the tests that must fail.

As a plugin of pytest, it gives the mutant that ``DSNSWITCH_MUTANT`` names to whoever imports the source.
"""

import os
import tomllib
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Written:
    """A fault: ``replace`` in place of ``find``, which occurs once in ``file``; ``tests`` are arguments of pytest."""

    file: str
    fault: str
    find: str
    replace: str
    tests: tuple = ()

    def applied(self, source):
        """The text of the file with the fault."""
        if (count := source.count(self.find)) != 1:
            raise ValueError(f"Mutants must find their text once, not {count} times: {self.find!r} in {self.file}")
        return source.replace(self.find, self.replace)


def written():
    """All mutants of the list, by name."""
    found = {}
    for group, table in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items():
        tests = table.pop("tests")
        found |= {f"{group}/{key}": Written(**{"tests": tests} | entry) for key, entry in table.items()}
    return found


def install(mutant):
    """Python reads the source with the fault, and neither reads nor writes its bytecode."""
    path, data, stats = str(ROOT / mutant.file), SourceFileLoader.get_data, SourceFileLoader.path_stats

    def get_data(self, name):
        text = data(self, name)
        return mutant.applied(text.decode()).encode() if os.path.realpath(name) == path else text

    def path_stats(self, name):
        if os.path.realpath(name) == path:
            raise OSError
        return stats(self, name)

    SourceFileLoader.get_data, SourceFileLoader.path_stats = get_data, path_stats


if name := os.environ.get("DSNSWITCH_MUTANT"):
    install(written()[name])
