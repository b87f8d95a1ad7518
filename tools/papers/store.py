"""The file of the comparisons with the papers, ``docs/papers.json``: a line for each network on a floor, and experiments."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from dsnswitch.net.messages import UsageError, unwatched
from tools.figures.store import file_schema, lines, read_parts, write_parts
from tools.papers.cases import cases
from tools.papers.measure import added, failures, growth, links, of_case, rounded
from tools.papers.order_radix import order_radix

#: The file, relative to the repository.
PATH = "docs/papers.json"

FORMAT, VERSION = "dsnswitch-papers", 1

#: Experiments that need no floor.
EXPERIMENTS = {"added": added, "growth": growth, "links": links, "failures": failures, "order-radix": order_radix}

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
                self.experiments[name] = rounded(make())
                self.write()
        for case in bar(self.missing(), "networks"):
            self.networks[case.key] = of_case(case)
            self.write()

    def write(self):
        """Write the file."""
        experiments = json.dumps(self.experiments, sort_keys=True)
        write_parts(self.path, FORMAT, VERSION, experiments=experiments, networks=lines(self.networks, " "))


def load(path):
    """The :class:`Comparisons` of the file at ``path``; empty if there is none."""
    return read_parts(Comparisons, path, "File of comparisons", SCHEMA, "experiments", "networks")


def current(path):
    """The recorded figures in the file at ``path``.

    Raises :class:`UsageError` if there are none.
    """
    found = load(path)
    if not found.networks:
        raise UsageError(f"{found.path} has no figures: run make papers")
    return found
