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


def _blocks(relation, bar):
    """Hops of all routes and shortest paths: ``(sources, ends, routes, shortest)`` by blocks of destinations.

    Sources (R,) are the representatives with hosts, and ends (B,) switches with hosts, by number; the hops are arrays (R, B).
    """
    network = relation.network
    if not relation.by_turns:
        starts, ends = _with_hosts(network)
        sources = np.array([network.number(source) for source in network.representatives()])
        yield (
            sources[starts],
            ends,
            *(lengths[np.ix_(starts, ends)] for lengths in (route_lengths(relation, bar), shortest_lengths(network))),
        )
        return
    wiring = relation.wiring
    starts = np.flatnonzero(wiring.hosts)
    limits.pairs(len(starts), network)
    for home, lengths in relation.lengths(bar):
        yield wiring.number[starts], wiring.number[home], lengths.T[starts], wiring.distance[np.ix_(starts, home)]


def statistics(relation, bar=unwatched) -> Statistics:
    """Measure every pair."""
    network = relation.network
    pairs = routed = shortest = stretch = 0
    longest, worst, far, most = -1, (0, 0), 0, 1.0
    for sources, ends, routes, least in _blocks(relation, bar):
        ratio = routes[least > 0] / least[least > 0]
        pairs, stretch, most = pairs + ratio.size, stretch + ratio.sum(), max(most, ratio.max())
        routed, shortest = routed + routes.sum(dtype=float), shortest + least.sum(dtype=np.int64)
        far = max(far, int(least.max()))
        if routes.max() > longest:
            longest = int(routes.max())
            row, column = np.unravel_index(routes.argmax(), routes.shape)
            worst = int(sources[row]), int(ends[column])
    if relation.by_turns and relation.longest:
        longest, *places = relation.longest
        worst = tuple(relation.wiring.number[places].tolist())
    degrees = [len(network.links_of(source)) for source in network.representatives()]
    return Statistics(
        nodes=network.nodes,
        links=network.link_count,
        average_degree=sum(degrees) / len(degrees),
        maximum_degree=max(degrees),
        path_bound=relation.paper_bound,
        routing_diameter=longest,
        average_path=float(routed / pairs),
        diameter=far,
        aspl=float(shortest / pairs),
        average_stretch=float(stretch / pairs),
        maximum_stretch=float(most),
        worst_pair=(network.switch(worst[0]), network.switch(worst[1])),
    )


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
    if relation.by_turns:
        return _loads_by_turns(relation, bar)
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


def _loads_by_turns(relation, bar):
    """The loads of a :class:`~dsnswitch.net.tables.relation.GraphRelation`, which knows them."""
    network, wiring = relation.network, relation.wiring
    limits.pairs(np.count_nonzero(wiring.hosts), network)
    values = (relation.loads() / (wiring.hosts.sum() - 1)).tolist()
    ends = zip(wiring.number[wiring.source[:-1]].tolist(), wiring.port[:-1].tolist())
    rows = _rows(network, list(network.switches()), dict(zip(ends, values)))
    hops = pairs = 0
    for _, _, routes, _ in _blocks(relation, bar):
        hops, pairs = hops + routes.sum(dtype=float), pairs + np.count_nonzero(routes)
    return Loads(rows, 1 / max((row["maximum"] for row in rows), default=1.0), float(hops / pairs))


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
