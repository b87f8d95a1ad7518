"""The file of the comparisons with the papers, ``docs/papers.json``: a line for each network on a floor, and experiments."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from dsnswitch.gen.writing import write_text
from dsnswitch.lab.figures.store import file_schema, joined, lines
from dsnswitch.lab.papers.cases import cases
from dsnswitch.lab.papers.measure import failures, growth, links, of_case
from dsnswitch.net.messages import UsageError, unwatched
from dsnswitch.net.reading import read_valid

#: The file, relative to the repository.
PATH = "docs/papers.json"

FORMAT, VERSION = "dsnswitch-papers", 1

#: Experiments that need no floor.
EXPERIMENTS = {"growth": growth, "links": links, "failures": failures}

SCHEMA = file_schema(
    FORMAT,
    VERSION,
    experiments={"type": "object", "additionalProperties": {"type": "object"}},
    networks={"type": "object", "additionalProperties": {"type": "object"}},
)


@dataclass
class Comparisons:
    """Recorded figures: ``experiments`` ``{name: value}``, ``networks`` ``{key of a case: record}``."""

    path: Path
    experiments: dict = field(default_factory=dict)
    networks: dict = field(default_factory=dict)

    def of(self, network, mapping, capacity=None, cabling=None):
        """The record of a network on a floor; None if it is not recorded."""
        words = (network, mapping, capacity or "own", *(() if cabling in (None, "manhattan") else (cabling,)))
        return self.networks.get(" ".join(map(str, words)))

    def missing(self):
        """Cases whose topology exists, and that are not recorded."""
        return [case for case in cases() if case.known and case.key not in self.networks]

    def measure(self, bar=unwatched):
        """Measure what is missing, and write the file after each network."""
        for name, make in EXPERIMENTS.items():
            if name not in self.experiments:
                self.experiments[name] = make()
                self.write()
        for case in bar(self.missing(), "networks"):
            self.networks[case.key] = of_case(case)
            self.write()

    def write(self):
        """Write the file. Equal figures give equal text."""
        parts = {
            "format": json.dumps(FORMAT),
            "version": json.dumps(VERSION),
            "experiments": json.dumps(self.experiments, sort_keys=True),
            "networks": lines(self.networks, " "),
        }
        write_text(self.path, joined(parts) + "\n")


def load(path):
    """The :class:`Comparisons` of the file at ``path``; empty if there is none.

    Raises :class:`UsageError` if the file is malformed.
    """
    path = Path(path)
    if not path.exists():
        return Comparisons(path)
    found = read_valid(path, "File of comparisons", SCHEMA)
    return Comparisons(path, found["experiments"], found["networks"])


def current(path):
    """The recorded figures in the file at ``path``.

    Raises :class:`UsageError` if there are none.
    """
    found = load(path)
    if not found.networks:
        raise UsageError(f"{found.path} has no figures: run dsnswitch papers")
    return found
