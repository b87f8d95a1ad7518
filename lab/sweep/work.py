"""What a worker of a sweep does: make a core, and measure points of one core together. It needs no command line."""

import json
import signal
from functools import lru_cache

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.lab.sweep.store import core_fingerprint
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.points import SimulationError
from dsnswitch.sim.network.engine.switch import Switch
from dsnswitch.sim.network.experiment.experiment import point_rows

__all__ = ["dask_setup", "measured", "prepared", "same"]


def dask_setup(worker) -> None:
    """Called by Dask in each process of a local cluster: Ctrl-C is for the command alone, which then ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@lru_cache(maxsize=4)
def _core(spelt):
    values = json.loads(spelt)
    return (Switch if values.get("block") == "switch" else Core)(core_manifest(values))


def _core_of(values):
    return _core(json.dumps(values, sort_keys=True))


def prepared(values) -> str:
    """Emit and compile the core with a configuration; returns its fingerprint."""
    _core_of(values)
    return core_fingerprint(core_manifest(values))


def same(value):
    """Return ``value``. Run as a task, this keeps a value that several tasks need on the workers."""
    return value


def measured(experiments, loads, rules, threads=1):
    """Measure experiments of one core and one network in one engine, each at one load.

    Returns for each its row, or the text of the error that ended its simulation.
    """
    core, network = _core_of(experiments[0].core), experiments[0].network
    if core.network.spelling != network.spelling:
        core = core.of(network)
    try:
        return point_rows(core, list(zip(experiments, loads)), rules, threads)
    except (SimulationError, ValueError) as error:
        if len(loads) == 1:
            return [str(error)]
    return [measured([one], [load], rules, threads)[0] for one, load in zip(experiments, loads)]
