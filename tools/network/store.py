"""The file of recorded curves, ``docs/network.json``: a line for each curve, and the hash of each experiment's file."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import read_text
from tools.figures.store import entries, file_schema, lines, read_parts, write_parts

__all__ = ["EXPERIMENTS", "PATH", "SCHEMA", "Curves", "experiment_files", "fingerprint", "load"]

#: The file, relative to the repository.
PATH = "docs/network.json"

#: Folder of the experiments.
EXPERIMENTS = Path(__file__).parent / "experiments"

FORMAT, VERSION = "dsnswitch-network", 1

_NUMBER = {"type": ["number", "null"]}

_TEXT, _COUNT = {"type": "string"}, {"type": "integer", "minimum": 0}

#: A point: loads in flits per host and cycle, latencies (tail, with source queue) in cycles.
_POINT = {
    **dict.fromkeys(("load", "accepted", "mean", "p99", "hops", "contention"), _NUMBER),
    "saturated": {"type": "boolean"},
    "packets": _COUNT,
    "lost": _COUNT,
}

_TEXTS = ("experiment", "series", "label", "network", "topology", "routing", "pattern")
_COUNTS = ("switches", "hosts", "packet", "depth", "channels", "storage", "link_delay", "failed", "seed")
_ENTRY = {
    **dict.fromkeys(_TEXTS, _TEXT),
    **dict.fromkeys(_COUNTS, _COUNT),
    **dict.fromkeys(("average_path", "bound", "stable", "precision", "over"), _NUMBER),
    "zero_load": {"type": ["object", "null"]},
    "error": {"type": ["string", "null"]},
    "cost": {"type": ["object", "null"]},
    "points": {
        "type": "array",
        "items": {"type": "object", "additionalProperties": False, "required": list(_POINT), "properties": _POINT},
    },
}

#: JSON schema of the file.
SCHEMA = file_schema(
    FORMAT, VERSION, experiments={"type": "object", "additionalProperties": {"type": "string"}}, curves=entries(_ENTRY)
)


@dataclass
class Curves:
    """Recorded curves.

    Attributes
    ----------
    path : Path
    experiments : dict
        ``{name: hash of the experiment's file}``.
    curves : dict
        ``{"experiment: label": entry}``; :func:`~tools.network.run.entry` describes an entry.
    """

    path: Path
    experiments: dict = field(default_factory=dict)
    curves: dict = field(default_factory=dict)

    def known(self, experiment):
        """``{label: entry}`` of an experiment, in the order of the file; empty if none is recorded."""
        return {one["label"]: one for one in self.curves.values() if one["experiment"] == experiment}

    def of(self, experiment):
        """As :meth:`known`, but raises :class:`UsageError` if none is recorded."""
        found = self.known(experiment)
        if not found:
            raise UsageError(f"{self.path} has no curves of {experiment}: run make network")
        return found

    def one(self, experiment, label):
        """The entry of one curve.

        Raises :class:`UsageError` if it is not recorded.
        """
        try:
            return self.of(experiment)[label]
        except KeyError:
            raise UsageError(f"{self.path} has no curve {label} of {experiment}: run make network") from None

    def put(self, experiment, new):
        """Replace the curves of an experiment by the entries ``new``."""
        kept = {key: one for key, one in self.curves.items() if one["experiment"] != experiment}
        self.curves = kept | {f"{experiment}: {one['label']}": one for one in new}
        self.experiments[experiment] = fingerprint(experiment)

    def stale(self):
        """Names of the experiments whose file is not the one that was measured."""
        return [name for name in experiment_files() if self.experiments.get(name) != fingerprint(name)]

    def write(self):
        """Write the file."""
        experiments = json.dumps(self.experiments, indent=1, sort_keys=True)
        write_parts(self.path, FORMAT, VERSION, experiments=experiments, curves=lines(self.curves, " "))


def experiment_files():
    """``{name: path}`` of all experiments."""
    return {path.stem: path for path in sorted(EXPERIMENTS.glob("*.toml"))}


def fingerprint(name):
    """Hash of an experiment's file without its comments."""
    text = read_text(experiment_files()[name], "Experiment")
    kept = "\n".join(line.rstrip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return hashlib.sha256(kept.encode()).hexdigest()[:16]


def load(path):
    """The :class:`Curves` of the file at ``path``; empty if there is none."""
    return read_parts(Curves, path, "File of curves", SCHEMA, "experiments", "curves")
