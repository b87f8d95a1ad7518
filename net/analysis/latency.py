"""Latency at zero load on a floor: hops times the delay of a switch, metres times that of a cable (D Eq. 1.1, 3.4.2, 4.3)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dsnswitch.net import limits
from dsnswitch.net.messages import unwatched

#: Delay of a cable in ns per metre (D 3.4.2), and delays of a switch in ns of the papers (D 3.4.2, 5.3.1).
NS_PER_METRE = 5.0
SWITCH_NS = (40.0, 60.0, 100.0, 160.0)

#: More than the metres of any path: a hop counts as many in a search for shortest paths.
_FAR = float(1 << 22)

#: Sources that are searched at once, which limits the memory.
_AT_ONCE = 256


@dataclass(frozen=True)
class Paths:
    """Paths of pairs of different switches with hosts: ``hops`` and ``metres`` of each, arrays (P,)."""

    hops: np.ndarray
    metres: np.ndarray

    def latencies(self, switch_ns: float, ns_per_metre: float = NS_PER_METRE) -> np.ndarray:
        """Latency of each path in ns, an array (P,)."""
        return self.hops * switch_ns + self.metres * ns_per_metre


def sampled(network, most=None, seed=0) -> Any:
    """Numbers of the switches with hosts, ``most`` of them at random if there are more."""
    found = np.fromiter(map(network.number, network.terminals()), np.int64)
    if most is None or len(found) <= most:
        return found
    return np.sort(np.random.default_rng(seed).choice(found, most, replace=False))


def shortest(plan, most=None, bar=unwatched) -> Paths:
    """:class:`Paths` with the fewest hops, and among those with the shortest cables, from ``most`` sources at random or all."""
    parts = [np.divmod(part, _FAR) for part in _searched(plan, _FAR, 1.0, most, bar)]
    hops, metres = (np.concatenate(column) for column in zip(*parts))
    return Paths(hops.astype(np.int64), metres.round(6))


def lowest(plan, switch_ns, ns_per_metre=NS_PER_METRE, most=None, bar=unwatched) -> np.ndarray:
    """Latencies in ns of the paths with the lowest latency (D 3.4.2), an array (P,), from ``most`` sources at random or all."""
    return np.concatenate(list(_searched(plan, switch_ns, ns_per_metre, most, bar)))


def _searched(plan, per_hop, per_metre, most, bar):
    """Least weights of all pairs, an array for each part of the sources; raises :class:`ValueError` if a pair has no path."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    network = plan.network
    targets, sources = sampled(network), sampled(network, most)
    limits.at_most(limits.MOST_FLOOR_PATHS, len(sources) * network.nodes, f"Paths of {network.spelling}")
    a, b = plan.ends.T
    weight = per_hop + per_metre * plan.lengths
    # Parallel cables are equally long, and a matrix would add them.
    pairs, first = np.unique(np.r_[a, b] * network.nodes + np.r_[b, a], return_index=True)
    graph = csr_array((np.r_[weight, weight][first], np.divmod(pairs, network.nodes)), shape=(network.nodes,) * 2)
    for some in bar(np.array_split(sources, -(-len(sources) // _AT_ONCE)), "paths"):
        found = dijkstra(graph, indices=some)[:, targets]
        found = found[some[:, None] != targets]
        if not np.isfinite(found).all():
            raise ValueError(f"Every switch must have a path to every other one; {network.spelling} has parts")
        yield found


def routed(plan, relation, most=None, bar=unwatched) -> Paths:
    """:class:`Paths` of the preferred routes of a relation to ``most`` destinations at random, or to all.

    The port that the relation chooses must not depend on the arrival channel: the routes to a destination are then a tree.
    """
    network = plan.network
    targets, sources = sampled(network, most), sampled(network)
    limits.at_most(limits.MOST_FLOOR_ROUTES, len(targets) * network.nodes, f"Routes of {network.spelling} on a floor")
    length = {}
    for link, metres in zip(plan.links, plan.lengths.tolist()):
        length[link.source, link.port] = length[link.target, link.target_port] = metres
    switches = [network.switch(number) for number in range(network.nodes)]
    steps = {
        (switch, port.index): (network.number(end[0]), length[switch, port.index])
        for switch in switches
        for port, end in network.links_of(switch)
    }
    hops, metres = [], []
    for target in bar(targets.tolist(), "routes"):
        onward, far = np.arange(network.nodes), np.zeros(network.nodes)
        for number, switch in enumerate(switches):
            if number != target:
                onward[number], far[number] = steps[switch, relation.hops(switch, None, switches[target])[0][0]]
        count, total = _followed(onward, far, target, relation)
        some = sources[sources != target]
        hops.append(count[some])
        metres.append(total[some])
    return Paths(np.concatenate(hops), np.concatenate(metres))


def _followed(onward, far, target, relation):
    """Hops and metres from every switch to ``target``, which its own pointer leads to; pointers are doubled until all arrive."""
    count, total = (onward != np.arange(len(onward))).astype(np.int64), far.copy()
    for _ in range(max(1, relation.bound).bit_length() + 1):
        if (onward == target).all():
            return count, total
        count, total, onward = count + count[onward], total + total[onward], onward[onward]
    raise ValueError(f"A route to {relation.network.spell_switch(relation.network.switch(target))} does not end")
