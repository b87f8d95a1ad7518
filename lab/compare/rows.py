"""The networks that hold a number of hosts with switches of a radix, and their figures: ``dsnswitch compare``."""

from dataclasses import dataclass

import numpy as np

from dsnswitch.net.analysis.latency import lowest, shortest
from dsnswitch.net.analysis.structure import halved
from dsnswitch.net.messages import UsageError, nearest, shortened, unwatched
from dsnswitch.net.plan.cabling import Plan, plan
from dsnswitch.net.topology.registry import TOPOLOGIES, parse_network, topology_of

#: Most switches of a compared network; larger ones are left out, with a line that says so.
MOST = 1 << 14

#: Sources of the paths whose latency is computed.
SOURCES = 256

#: Columns: name, heading, unit, and whether less is better.
COLUMNS = {
    "switches": ("switches", "", True),
    "per_switch": ("hosts per switch", "", False),
    "ports": ("ports", "", True),
    "cables": ("cables", "", True),
    "diameter": ("diameter", "hops", True),
    "hops": ("mean path", "hops", True),
    "latency": ("mean latency", "ns", True),
    "worst": ("greatest latency", "ns", True),
    # Half of the hosts can send to the other half at their full rate if each has half a cable of the cut.
    "bisection": ("bisection per host", "cables", False),
    "cable": ("mean cable", "m", True),
    "length": ("all cables", "m", True),
    "cost": ("cost per host", "", True),
    "power": ("power per host", "W", True),
    "saturation": ("saturation", "flits per cycle and host", False),
}


#: What a reader needs to know of the bisection.
FULL = "bisection per host: 0.5 is full bisection, as of a fat tree"


@dataclass(frozen=True)
class Row:
    """A network, its plan, and its figures by the names of :data:`COLUMNS`; a figure that is not known is None."""

    topology: str
    network: str
    plan: Plan
    figures: dict


def candidates(hosts, radix, names=()):
    """``[(topology, text)]`` of the networks that hold ``hosts`` with switches of at most ``radix`` ports."""
    rules = {name: topology_of(name).fitting for name in TOPOLOGIES}
    for name in names:
        if not rules.get(name):
            more = nearest(name, filter(rules.get, rules), "dsnswitch compare without --topology takes all")
            raise UsageError(f"There is no topology {shortened(name, 40)!r} to compare{more}")
    found = [(name, text) for name, rule in rules.items() if rule and (not names or name in names) for text in rule(hosts, radix)]
    return list(dict.fromkeys(found))


def hosts_at(network, hosts):
    """Hosts of each switch, an array (S,), if the network holds ``hosts`` in all.

    A topology with one host per switch that has any means the same number everywhere; the others state their numbers.
    """
    at = np.array([network.hosts_of(network.switch(number)) for number in range(network.nodes)])
    return at * -(-hosts // int(at.sum())) if at.max() == 1 else at


def compare(hosts, radix, names, mapping, capacity, room, model, delays, bar=unwatched):
    """A :class:`Row` for each network that fits, and a line about each that is left out.

    ``delays`` are that of a switch in ns, and that of a cable in ns per metre.
    """
    rows, left = [], []
    for topology, text in bar(candidates(hosts, radix, names), "networks"):
        try:
            network = parse_network(text)
        except ValueError as error:
            left.append(f"{text}: {error}")
            continue
        if network.nodes > MOST:
            left.append(f"{text}: it has {network.nodes:,} switches, more than {MOST:,}")
            continue
        at = hosts_at(network, hosts)
        own = network.cabinet_of(next(iter(network.switches()))) is not None
        chosen = mapping or ("supernode" if own else "sequential")
        if chosen == "supernode" and not own:
            chosen = "sequential"
        found = plan(network, chosen, None if chosen == "supernode" else capacity, room)
        ports = found.degrees + at
        if ports.max() > radix or at.sum() < hosts:
            left.append(f"{text}: its switches need {int(ports.max())} ports for {int(at.sum())} hosts")
            continue
        rows.append(Row(topology, network.spelling, found, _figures(found, at, model, *delays)))
    return rows, left


def _figures(found, at, model, switch_ns, ns_per_metre):
    """Figures of one network; each mean is over pairs of different switches with hosts."""
    network, ports, hosts = found.network, found.degrees + at, int(at.sum())
    if len(list(network.terminals())) > 1:
        paths, low = shortest(found, SOURCES), lowest(found, switch_ns, ns_per_metre, SOURCES)
        far = {"diameter": int(paths.hops.max()), "hops": float(paths.hops.mean())}
        far |= {"latency": float(low.mean()), "worst": float(low.max())}
    else:
        far = dict.fromkeys(("diameter", "hops", "latency", "worst"), 0)
    kinds, prices = model.chosen(found.lengths)
    work = np.where(found.inside, model.inside, model.between)
    cost = float(model.switch(ports).sum() + prices.sum() + work.sum())
    watts = np.array([one.watts for one in model.cables])
    power = model.watts_per_port * float(ports.sum()) + float(watts[kinds].sum())
    return {
        "switches": network.nodes,
        "per_switch": int(at.max()),
        "ports": int(ports.max()),
        "cables": len(found.lengths),
        **far,
        "bisection": halved(network) / hosts,
        "cable": found.average,
        "length": float(found.lengths.sum()),
        "cost": cost / hosts,
        "power": power / hosts,
        "saturation": None,
    }


def kept(rows, conditions):
    """The rows whose figures keep all conditions, and a line about the others of each condition. Unknown figures keep none."""
    left = []
    for one in conditions:
        some = [row for row in rows if one.holds(row.figures[one.name])]
        if dropped := len(rows) - len(some):
            left.append(f"{dropped} network{'s' * (dropped > 1)} without {one.text}")
        rows = some
    return rows, left


def ordered(rows, column):
    """The rows with the best figure of a column first, and those without one last."""
    less = COLUMNS[column][2]

    def place(row):
        value = row.figures[column]
        return value is None, 0 if value is None else value if less else -value, row.network

    return sorted(rows, key=place)
