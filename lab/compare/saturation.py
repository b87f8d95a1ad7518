"""The load at which a compared network saturates, from the simulator: uniform traffic through its own core."""

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.net.messages import UsageError
from dsnswitch.net.simulate.core import Core
from dsnswitch.net.simulate.experiment import DEFAULTS, Speed, experiment, simulated
from dsnswitch.net.simulate.measure import Rules
from dsnswitch.net.simulate.points import SimulationError

#: Most switches of a simulated network.
MOST_SWITCHES = 1024

#: Cycles of the measurement at each load.
CYCLES = 2000


def saturation(network, hosts, watch=lambda text: None):
    """Greatest stable load in flits per host and cycle, with ``hosts`` hosts per switch and base routing, or up*/down* tables.

    Raises :class:`UsageError` if the network is too large, or cannot be simulated.
    """
    if network.nodes > MOST_SWITCHES:
        raise UsageError(f"a simulation takes {MOST_SWITCHES} switches at most")
    values = DEFAULTS | network.parameters | {"hosts": hosts}
    tables = None
    if not network.routings:
        values |= {"lookup": "table", "kind": "direct"}
        tables = "updown"
    one = experiment(values, tables=tables)
    core = Core(core_manifest(one.core, watch), None, watch=watch, network=one.network)
    rules = Rules(cycles=CYCLES)
    speed = Speed.of(one, rules, True, 1, lambda done, end, text: None)
    try:
        return simulated(one, core, rules, "dsnswitch", speed, True)["saturation"]["stable"]
    except (SimulationError, ValueError) as error:
        raise UsageError(str(error)) from None
