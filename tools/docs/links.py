"""Tables of the cycles of links, from the kinds of lines of the fabric port."""

from dsnswitch.hdl.port.shape import KINDS
from tools.docs.markdown import table

#: Cycles of a switch core at zero load.
CORE = 2


def latency(_store):
    """Cycles from port to port of a switch whose light links speculate."""
    columns = {
        "line to line": lambda into, out: into + CORE + out,
        "line to host": lambda into, out: into + CORE,
        "host to line": lambda into, out: CORE + out,
        "host to host": lambda into, out: CORE,
    }
    ways = {name: (kind.rx_latency - (name == "light"), kind.tx_latency) for name, kind in KINDS.items()}
    body = [[f"`{name}`", *(str(cycles(*way)) for cycles in columns.values())] for name, way in ways.items()]
    return table(["`--link`", *columns], body)


def timing(_store):
    """Latencies and times of each kind of line."""
    columns = {
        "flit to line": lambda kind: kind.tx_latency,
        "line to flit": lambda kind: kind.rx_latency,
        "both ends": lambda kind: kind.ends,
        "`--round-trip`": lambda kind: f"{kind.round_trip} ({kind.round_trips[0]} to {kind.round_trips[-1]})",
        "replay buffer, flits": lambda kind: kind.replay(kind.round_trip),
        "`wait`, blocks": lambda kind: kind.wait,
        "`patience`, blocks": lambda kind: f"{kind.patience:,}",
    }
    body = [[f"`{name}`", *(str(value(kind)) for value in columns.values())] for name, kind in KINDS.items()]
    return table(["`--link`", *columns], body)


#: Generated parts of docs/switch.md and of docs/fabric-port.md.
SWITCH = {"switch-latency": latency}
FABRIC_PORT = {"link-timing": timing}
