"""Statistics of all pairs of switches with hosts: routed and shortest paths of a network. Used by ``dsnswitch check``."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from dsnswitch.net import limits
from dsnswitch.net.messages import unwatched
from dsnswitch.net.routing.wiring import hops


@dataclass(frozen=True)
class Statistics:
    """Results of ``dsnswitch check``. Averages are over all ordered pairs of different switches that have hosts."""

    nodes: int
    links: int
    average_degree: float
    maximum_degree: int
    path_bound: int
    routing_diameter: int
    average_path: float
    diameter: int
    aspl: float
    average_stretch: float
    maximum_stretch: float
    worst_pair: tuple

    @property
    def within_bound(self) -> bool:
        """Whether every route is within the bound that the paper of the topology states."""
        return self.routing_diameter <= self.path_bound


def route_lengths(relation, bar=unwatched) -> np.ndarray:
    """Hops of every route from a representative: an array ``[representative, destination number]``, -1 for pairs without a route.

    Every route is followed for one hop only: the rest of it is the route of another canonical pair.
    """
    network = relation.network
    sources = network.representatives()
    limits.at_most(limits.MOST_ROUTES, len(sources) * network.nodes, f"Routes of {network.spelling} to follow")
    row = {switch: index for index, switch in enumerate(sources)}
    found = np.full((len(sources), network.nodes), -1, dtype=np.int16)
    starts, ends = _with_hosts(network)
    pairs = product((sources[index] for index in starts), map(network.switch, ends.tolist()))
    for source, destination in bar(pairs, "routes", len(starts) * len(ends)):
        pending, here = [], network.canonical(source, destination)
        while (length := found[place := (row[here[0]], network.number(here[1]))]) < 0:
            choices = relation.hops(here[0], None, here[1])
            if not choices:
                found[place] = 0
                continue
            pending.append(place)
            if len(pending) > relation.bound:
                raise ValueError(f"{network.spell_switch(source)} to {network.spell_switch(destination)} takes too many hops")
            there, _ = network.neighbour(here[0], choices[0][0])
            here = network.canonical(there, here[1])
        for place in reversed(pending):
            length += 1
            found[place] = length
    return found


def shortest_lengths(network) -> np.ndarray:
    """Hops of every shortest path from a representative, in the shape of :func:`route_lengths`."""
    number, representatives = network.number, network.representatives()
    found = [(number(at), number(end[0])) for at in network.switches() for _, end in network.links_of(at)]
    source, target = np.array(found, np.int64).reshape(-1, 2).T
    return hops(network.nodes, source, target, list(map(number, representatives))).T


def _with_hosts(network):
    """Rows of the representatives that have hosts, and numbers of the switches that have: the pairs of all results."""
    rows = [index for index, switch in enumerate(network.representatives()) if network.hosts_of(switch)]
    ends = np.fromiter(map(network.number, network.terminals()), np.int64)
    limits.pairs(len(ends), network)
    return rows, ends


def statistics(relation, bar=unwatched) -> Statistics:
    """Measure every pair."""
    network = relation.network
    if relation.has_blocks:
        return _by_blocks(relation, bar)
    starts, ends = _with_hosts(network)
    routes, shortest = (lengths[np.ix_(starts, ends)] for lengths in (route_lengths(relation, bar), shortest_lengths(network)))
    sources = network.representatives()
    pairs = routes.size - len(starts)
    stretch = routes[shortest > 0] / shortest[shortest > 0]
    row, number = (int(part) for part in np.unravel_index(routes.argmax(), routes.shape))
    degrees = [len(network.links_of(source)) for source in sources]
    return Statistics(
        nodes=network.nodes,
        links=network.link_count,
        average_degree=sum(degrees) / len(sources),
        maximum_degree=max(degrees),
        path_bound=relation.paper_bound,
        routing_diameter=int(routes.max()),
        average_path=float(routes.sum(dtype=np.int64) / pairs),
        diameter=int(shortest.max()),
        aspl=float(shortest.sum(dtype=np.int64) / pairs),
        average_stretch=float(stretch.mean()),
        maximum_stretch=float(stretch.max()),
        worst_pair=(sources[starts[row]], network.switch(int(ends[number]))),
    )


def _by_blocks(relation, bar):
    """The statistics of a :class:`LargeRelation`."""
    network, hosts = relation.network, relation.wiring.hosts > 0
    starts = np.flatnonzero(hosts)
    routed = shortest = stretch = 0
    longest, pair, far, most = -1, None, 0, 1.0
    for block in relation.blocks(bar):
        cost, least = block.cost[starts].astype(np.int64), block.shortest[starts].astype(np.int64)
        routed, shortest, far = routed + cost.sum(), shortest + least.sum(), max(far, int(least.max()))
        ratio = cost[least > 0] / least[least > 0]
        stretch, most = stretch + ratio.sum(), max(most, ratio.max())
        if cost.max() > longest:
            longest = int(cost.max())
            row, column = np.unravel_index(cost.argmax(), cost.shape)
            pair = starts[row], block.ends[column]
    pairs = len(starts) * (len(starts) - 1)
    degrees = (relation.port >= 0).sum(axis=1)
    return Statistics(
        nodes=network.nodes,
        links=network.link_count,
        average_degree=float(degrees.mean()),
        maximum_degree=int(degrees.max()),
        path_bound=relation.paper_bound,
        routing_diameter=longest,
        average_path=float(routed / pairs),
        diameter=far,
        aspl=float(shortest / pairs),
        average_stretch=float(stretch / pairs),
        maximum_stretch=float(most),
        worst_pair=tuple(network.switch(int(relation.wiring.number[at])) for at in pair),
    )


def _loads_by_blocks(relation, bar):
    """The loads of a :class:`LargeRelation`."""
    network, hosts = relation.network, relation.wiring.hosts > 0
    total, routed = 0, 0
    for block in relation.blocks(bar):
        total, routed = total + relation.load(block), routed + block.cost[hosts].sum(dtype=np.int64)
    count = int(hosts.sum())
    rows = []
    for kind in dict.fromkeys(port.kind for port in network.ports):
        some = [port.index for port in network.ports if port.kind == kind]
        values = total[np.isin(relation.port, some)] / (count - 1)
        about = {"kind": kind, "level": None, "direction": None, "channels": len(values)}
        rows.append(about | {"mean": float(values.mean()), "maximum": float(values.max())})
    return Loads(rows, 1 / max(row["maximum"] for row in rows), float(routed / (count * (count - 1))))


@dataclass(frozen=True)
class Loads:
    """Loads of a routing under uniform traffic.

    ``rows`` has one dictionary for each kind, level and direction of links: ``kind``, ``level`` and ``direction`` (None for local
    links), ``channels`` in the network, ``mean`` and ``maximum`` load in flits per cycle. ``bound`` is an upper bound of the
    throughput, in flits per cycle and switch with hosts, or per host if the network states the hosts of each switch;
    ``average_path`` is the mean number of hops over all pairs of different switches with hosts.
    """

    rows: list
    bound: float
    average_path: float


def loads(relation, bar=unwatched) -> Loads:
    """Load of each kind of link. The port that the relation chooses must not depend on the arrival channel."""
    network = relation.network
    if relation.has_blocks:
        return _loads_by_blocks(relation, bar)
    sources = network.representatives()
    lengths = route_lengths(relation, bar)
    starts, ends = _with_hosts(network)
    # Without numbers of hosts, every switch with hosts counts once.
    hosts = np.fromiter((network.host_ports(switch, 1) for switch in network.switches()), np.int64)
    pairs = np.outer([network.host_ports(source, 1) for source in sources], hosts)
    routes = _routes(relation, sources, pairs, lengths, bar)
    rows = _rows(network, sources, {link: count / (hosts.sum() - 1) for link, count in routes.items()})
    pairs = lengths[np.ix_(starts, ends)]
    return Loads(
        rows=rows,
        bound=1 / max((row["maximum"] for row in rows), default=1.0),
        average_path=float(pairs.sum(dtype=np.int64) / (pairs.size - len(starts))),
    )


def _routes(relation, sources, pairs, lengths, bar):
    """Number of routes over each channel that leaves a representative, ``{(row, port): number}``.

    ``pairs`` is the number of pairs of hosts by representative and destination. Pairs of switches are canonical, and are
    processed from the longest to the shortest: each adds its routes to the pair of its next hop.
    """
    network = relation.network
    row = {switch: index for index, switch in enumerate(sources)}
    waiting, found = pairs.copy(), {}
    order = np.argsort(-lengths, axis=None, kind="stable")[: np.count_nonzero(lengths > 0)]
    for place in bar(order, "loads", len(order)):
        index, number = divmod(int(place), network.nodes)
        source, destination = sources[index], network.switch(number)
        port, _ = relation.hops(source, None, destination)[0]
        count = waiting[index, number]
        found[index, port] = found.get((index, port), 0) + count
        there, target = network.canonical(network.neighbour(source, port)[0], destination)
        waiting[row[there], network.number(target)] += count
    return found


def _rows(network, sources, load):
    """One row for all channels with the same kind, level and direction."""
    groups = {}
    for index, source in enumerate(sources):
        for port, _ in network.links_of(source):
            key = port.kind, network.level(source, port.index), port.direction
            groups.setdefault(key, []).append(float(load.get((index, port.index), 0.0)))
    copies = network.nodes // len(sources)
    return [
        {
            "kind": kind,
            "level": level,
            "direction": direction,
            "channels": len(values) * copies,
            "mean": sum(values) / len(values),
            "maximum": max(values),
        }
        for (kind, level, direction), values in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or 0))
    ]
