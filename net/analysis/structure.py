"""Figures of the graph of a network, whatever its routing: spectral gap, number of shortest paths, cuts by METIS."""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from dsnswitch.net.routing.wiring import hops

#: Switches up to which eigenvalues are exact, and pairs up to which every shortest path is counted; larger networks have a
#: sample of destinations.
MOST_EXACT, MOST_COUNTED, SAMPLE = 1 << 10, 1 << 22, 64

#: Vectors and steps of the iteration for larger networks.
VECTORS, STEPS = 12, 400

#: Parts of the cuts, and seeds of METIS, of which the smallest cut counts.
PARTS, SEEDS = range(2, 17), range(4)

#: Seeds of METIS for two halves of the switches.
HALVES = range(10)


@dataclass(frozen=True)
class Structure:
    """Figures of a graph.

    ``spectral_gap`` is 1 minus the second largest eigenvalue of the adjacency matrix, normalised by the degrees.
    ``average_paths`` and ``most_paths`` are numbers of shortest paths of a pair of different switches with hosts; in a large
    network, of pairs with some of the destinations. ``cuts`` are the fewest links between P parts with equally many hosts, for
    P = 2 to 16, that METIS finds, as long as a part has two switches with hosts; None if it is not installed.
    """

    spectral_gap: float
    average_paths: float
    most_paths: int
    cuts: tuple | None

    @property
    def bisection(self) -> int | None:
        """Links between two halves of the hosts; None without METIS."""
        return self.cuts[0] if self.cuts else None


def structure(network) -> Structure:
    """The :class:`Structure` of a network."""
    near = neighbours(network)
    average, most = path_numbers(network, near)
    return Structure(spectral_gap(near), average, most, cuts(network, near))


def neighbours(network) -> np.ndarray:
    """Numbers of the neighbours of every switch, an array (S, most) that is padded with S."""
    rows = [[] for _ in range(network.nodes)]
    for switch in network.switches():
        rows[network.number(switch)] = [network.number(end[0]) for _, end in network.links_of(switch)]
    most = max(map(len, rows))
    return np.array([row + [network.nodes] * (most - len(row)) for row in rows]).reshape(network.nodes, most)


def spectral_gap(near) -> float:
    """The spectral gap of a graph whose neighbours are given, see :class:`Structure`."""
    size = len(near)
    scale = 1 / np.sqrt((near < size).sum(axis=1))

    def times(vectors):
        padded = np.vstack([scale[:, None] * vectors, np.zeros((1, vectors.shape[1]))])
        return scale[:, None] * sum(padded[column] for column in near.T)

    if size <= MOST_EXACT:
        return float(1 - np.linalg.eigvalsh(times(np.eye(size)))[-2])
    # Subspace iteration with (A + 1) / 2, whose eigenvalues are positive. The first eigenvector is known.
    first = (1 / scale)[:, None] / np.linalg.norm(1 / scale)
    vectors = np.random.default_rng(1).standard_normal((size, VECTORS))
    for _ in range(STEPS):
        vectors -= first * (first.T @ vectors)
        vectors, _ = np.linalg.qr((times(vectors) + vectors) / 2)
    return float(1 - np.linalg.eigvalsh(vectors.T @ times(vectors))[-1])


def path_numbers(network, near) -> tuple[float, int]:
    """Mean and greatest number of shortest paths of a pair, see :class:`Structure`."""
    size = len(near)
    hosts = np.zeros(size, bool)
    hosts[[network.number(switch) for switch in network.terminals()]] = True
    ends = np.flatnonzero(hosts)
    if size * len(ends) > MOST_COUNTED:
        ends = ends[np.linspace(0, len(ends) - 1, SAMPLE).astype(int)]
    source, place = np.nonzero(near < size)
    distance = hops(size, source, near[source, place], ends)
    # The row after the last is that of no switch.
    distance = np.vstack([distance, np.full((1, len(ends)), -9)])
    count = np.zeros(distance.shape)
    count[ends, np.arange(len(ends))] = 1
    for level in range(1, distance.max() + 1):
        row, column = np.nonzero(distance == level)
        for others in near.T:
            there = others[row]
            count[row, column] += np.where(distance[there, column] == level - 1, count[there, column], 0)
    found = count[:-1][hosts][distance[:-1][hosts] > 0]
    return float(found.mean()), int(found.max())


def cuts(network, near) -> tuple[int, ...] | None:
    """Links between P parts, for each of :data:`PARTS`, that METIS finds; None if it is not installed."""
    if find_spec("pymetis") is None:
        return None
    weights = host_weights(network)
    # METIS prints complaints about parts that may become empty.
    most = np.count_nonzero(weights) // 2
    return tuple(_least(near, parts, SEEDS, weights) for parts in PARTS if parts <= most)


def host_weights(network) -> Any:
    """The number of hosts of each switch, by number."""
    return [network.hosts_of(network.switch(number)) for number in range(network.nodes)]


def halved_hosts(network) -> int:
    """Fewest links between two halves of the hosts that METIS finds: the bisection of ``check``, without the other cuts."""
    return _least(neighbours(network), 2, SEEDS, host_weights(network))


def halved(network) -> int:
    """Fewest links between two halves of all switches, with or without hosts, that METIS finds (D Fig. 3.6)."""
    return _least(neighbours(network), 2, HALVES)


def _least(near, parts, seeds, weights=None):
    """Fewest links between parts of equal weight that METIS finds with some seeds. Without ``weights`` all switches are equal."""
    import pymetis

    adjacency = [row[row < len(near)].tolist() for row in near]
    options = (pymetis.Options(seed=seed) for seed in seeds)
    return min(pymetis.part_graph(parts, adjacency, vweights=weights, options=one)[0] for one in options)
