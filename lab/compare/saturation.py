"""The load at which a compared network saturates, from the simulator: uniform traffic through its own core."""

from typing import Any

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.gen.config import build
from dsnswitch.net.files.parameters import core_of
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.points import SimulationError
from dsnswitch.sim.network.experiment.experiment import Speed, experiment, simulated
from dsnswitch.sim.network.experiment.measure import Rules

#: Most switches of a simulated network.
MOST_SWITCHES = 1024

#: Cycles of the measurement at each load.
CYCLES = 2000


def prepared(network, hosts) -> Any:
    """The experiment that finds the saturation of a network with ``hosts`` hosts per switch: base routing, or tables.

    Raises :class:`UsageError` if the network is too large, or cannot be simulated; nothing has been simulated yet.
    """
    if network.nodes > MOST_SWITCHES:
        raise UsageError(f"a simulation takes {MOST_SWITCHES} switches at most")
    values = network.parameters | {"hosts": hosts}
    if not network.routings:
        values |= {"lookup": "table", "kind": "direct"}
    one = experiment(core_of(values))
    build({"block": "switch-core", **one.core})
    return one


def saturation(one, watch=lambda text: None):
    """Greatest stable load, in flits per host and cycle, of an experiment of :func:`prepared`."""
    core = Core(core_manifest(one.core, watch), None, watch=watch, network=one.network)
    rules = Rules(cycles=CYCLES)
    speed = Speed.of(one, rules, True, 1, lambda done, end, text: None)
    try:
        return simulated(one, core, rules, "dsnswitch", speed, True)["saturation"]["stable"]
    except (SimulationError, ValueError) as error:
        raise UsageError(str(error)) from None
