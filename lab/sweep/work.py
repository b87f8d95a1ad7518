"""What a worker of a sweep does: make a core, and measure points of one core together. It needs no command line."""

import json
from functools import lru_cache

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.lab.sweep.store import core_fingerprint
from dsnswitch.net.simulate.engine import Core
from dsnswitch.net.simulate.experiment import point_rows
from dsnswitch.net.simulate.points import SimulationError

__all__ = ["measured", "prepared"]


@lru_cache(maxsize=4)
def _core(spelt):
    return Core(core_manifest(json.loads(spelt)))


def _core_of(values):
    return _core(json.dumps(values, sort_keys=True))


def prepared(values):
    """Emit and compile the core with a configuration; returns its fingerprint."""
    _core_of(values)
    return core_fingerprint(core_manifest(values))


def measured(pairs, rules, threads=1):
    """Measure ``(experiment, load)`` pairs of one core in one engine.

    Returns
    -------
    list
        For each pair its row, or the text of the error that ended its simulation.
    """
    core = _core_of(pairs[0][0].values)
    try:
        return point_rows(core, pairs, rules, threads)
    except (SimulationError, ValueError) as error:
        if len(pairs) == 1:
            return [str(error)]
    return [row for pair in pairs for row in measured([pair], rules, threads)]
