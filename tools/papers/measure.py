"""Figures of a network on a floor, and of the experiments that need no floor."""

from itertools import pairwise

import numpy as np

from dsnswitch.net.analysis.latency import NS_PER_METRE, lowest, routed, shortest
from dsnswitch.net.analysis.structure import halved, halved_hosts
from dsnswitch.net.messages import unwatched
from dsnswitch.net.plan.cabling import figures, plan
from dsnswitch.net.plan.cost import MODELS, model
from dsnswitch.net.plan.floor import Room
from dsnswitch.net.plan.plan import expand
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.routing.wiring import hops
from dsnswitch.net.topology.registry import parse_network
from tools.papers.blocked import blocked
from tools.papers.link_loads import link_loads

#: Delays of a switch in ns at which latencies are recorded: D Figs 3.1 and 4.7, and the switches of D chapter 5.
DELAYS = (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 160)

#: The delay of D 3.4.2 and Fig. 4.6.
PAPER = 40

#: Switches up to which every source counts, and sources of larger networks. Routes have half as many.
ALL, SOME = 2048, 128

#: Destinations of routes, and pairs of larger networks.
ROUTED, ROUTED_PAIRS = 256, 1 << 19

#: Shares of spare ports of D Fig. 3.13(b), and ports for hosts with which they are computed.
SPARES, HOST_PORTS = (0, 0.25, 0.5, 1.0), (0, 1, 2, 4, 8, 16)

#: Numbers of added switches of D Fig. 3.13(a), F Fig. 4.
ADDED = range(0, 1025, 64)

#: Levels of the DSN-F of F III-D: up to 384 switches.
LEVELS = (3, 4, 5)

#: Shares of failed links of D Fig. 4.10, and pairs of switches.
FAILED, PAIRS = (0, 0.025, 0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2), 4000

#: Seeds of D Fig. 4.10.
SEEDS = range(5)

#: Destinations of one search for distances, which limits the memory.
_AT_ONCE = 1024


def distances(network):
    """``(diameter, mean shortest path)`` over all pairs of different switches."""
    a, b = np.array([(network.number(link.source), network.number(link.target)) for link in network.links()]).T
    source, target = np.r_[a, b], np.r_[b, a]
    ends = np.unique([network.number(at) for at in network.representatives()])
    most = total = 0
    for some in np.array_split(ends, -(-len(ends) // _AT_ONCE)):
        found = hops(network.nodes, source, target, some)
        most, total = max(most, int(found.max())), total + int(found.sum(dtype=np.int64))
    return most, total / (len(ends) * (network.nodes - 1))


def of_case(case, bar=unwatched):
    """The record of a :class:`~tools.papers.cases.Case`: figures of the plan, paths, prices, latencies."""
    network = parse_network(case.network)
    found = plan(network, case.mapping, case.capacity, Room(cabling=case.cabling))
    keys = ("switches", "cabinets", "cables", "inside", "between", "total", "average", "longest")
    record = {key: value for key, value in figures(found).items() if key in keys}
    record["diameter"], record["aspl"] = distances(network)
    record["degree"], record["most_degree"] = 2 * len(found.lengths) / network.nodes, int(found.degrees.max())
    record["cost"] = {name: found.prices(model(name))["total"] for name in MODELS}
    if network.spelling.startswith("dsn-f:"):
        record["spare"] = {
            hosts: [found.prices(model("slim-fly"), hosts, spare)["total"] / network.nodes for spare in SPARES]
            for hosts in HOST_PORTS
        }
    sources = None if network.nodes <= ALL else SOME
    if "latency" in case.wants:
        fewest, low = shortest(found, sources, bar), lowest(found, PAPER, most=sources, bar=bar)
        record["fewest"], record["lowest"] = _of_paths(fewest), [float(low.mean()), float(low.max())]
    if "routes" in case.wants:
        record["routes"] = _of_paths(routed(found, relation_of(network), routed_to(network.nodes), bar))
    if "cut" in case.wants:
        record["cut"] = halved(network)
    if "hosts" in case.wants:
        record["hosts"] = sum(map(network.hosts_of, network.switches()))
        record["per_host"] = 2 * halved_hosts(network) / record["hosts"]
    return rounded(record)


def routed_to(switches):
    """Destinations of the routes of a network of as many switches."""
    return min(ROUTED, max(1, ROUTED_PAIRS // switches))


def _of_paths(paths):
    """Means of hops and metres, from which the mean latency follows for any switch, and the greatest latency by delay."""
    most = [float(paths.latencies(delay, NS_PER_METRE).max()) for delay in DELAYS]
    return {"hops": float(paths.hops.mean()), "metres": float(paths.metres.mean()), "most": most}


def growth():
    """``{added: [diameter, mean shortest path, layers]}`` of a DSN-F of 1,024 switches and more (D Fig. 3.13a, F Fig. 4)."""
    networks = {added: parse_network(f"dsn-f:{1024 + added}") for added in ADDED}
    return {str(added): [*distances(one), one.layers] for added, one in networks.items()}


def added():
    """``{p: [most, new, rises, rewired]}`` of F III-D: a switch is added to every DSN-F of p levels but the largest.

    ``most`` is the greatest rise of the diameter, ``rises`` how often it rises, ``new`` how often at a new layer, and
    ``rewired`` the greatest number of rewired cables.
    """
    found = {}
    for levels in LEVELS:
        first, end = levels << levels, levels + 1 << levels + 1
        networks = [parse_network(f"dsn-f:{n}") for n in range(first, end)]
        diameters = [distances(one)[0] for one in networks]
        rises = [(new - old, b.layers > a.layers) for (old, new), (a, b) in zip(pairwise(diameters), pairwise(networks))]
        more = [begins for rise, begins in rises if rise > 0]
        rewired = max(expand(a, b).rewired for a, b in pairwise(networks))
        found[str(levels)] = [max(rise for rise, _ in rises), sum(more), len(more), rewired]
    return found


def links():
    """``{sizes: {alternatives: {link: pairs}}}`` of D Figs 4.8 and 4.9: 256 to 8,192 switches."""
    texts = ("4x8", "8x8", "8x16", "16x16", "16x32", "32x32")
    return {
        text: [link_loads(parse_network(f"grid:{text}:k4x2"), alternatives) for alternatives in (False, True)] for text in texts
    }


def failures(bar=unwatched):
    """``{rate: {curve: [mean hops, share of the pairs]}}`` of D Fig. 4.10: 1,024 switches, means over :data:`SEEDS`."""
    network = parse_network("grid:8x16:k4x2")
    every = [blocked(network, FAILED, PAIRS, seed, bar) for seed in SEEDS]
    return {
        f"{rate:g}": {
            name: [float(np.mean([getattr(rows[place], key) for rows in every])) for key in (name, f"{name}_share")]
            for name in ("first", "shorter", "minimal")
        }
        for place, rate in enumerate(FAILED)
    }


def rounded(value):
    """The value with six significant digits of every number: enough for the pages, and short in the file."""
    if isinstance(value, dict):
        return {str(key): rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
