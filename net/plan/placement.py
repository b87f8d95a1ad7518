"""The mappings by name; the optimised one has clusters of switches by METIS, and spots of cabinets by scipy (D 2.2.2, R IV)."""

import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.plan.floor import Mapping, Room, cabinets_of, capacity_of, folded, grid_of, in_order, in_rows

#: Most cabinets whose spots are optimised: 2,048 take minutes, and four matrices of their squares.
MOST_PLACED = 2048

#: Most cabinets that are also exchanged in pairs after the relaxed assignment.
MOST_EXCHANGED = 49


def arrange(network, name, capacity=None, room=None, seed=0):
    """The :class:`Mapping` with one of the names :data:`MAPPINGS`.

    sequential
        Switches in the order of their numbers fill cabinets of ``capacity`` switches, and cabinets fill rows.
    serpentine
        The same, with every second row backwards, so that neighbours stay neighbours at the end of a row.
    supernode
        As the topology's paper does: :meth:`Network.cabinet_of`.
    folded
        ``supernode``, or ``serpentine`` if the topology has no cabinets of its own, with each row, and each column, folded.
    optimised
        Cabinets of ``supernode``, ``sequential`` or METIS, at spots of a quadratic assignment; the shortest.
    """
    if name in ("sequential", "serpentine"):
        return in_order(network, capacity, name == "serpentine")
    if name == "optimised":
        return optimised(network, capacity, room or Room(), seed)
    own = cabinets_of(network, capacity)
    if own is None and name == "supernode":
        raise UsageError(f"Mapping {name} needs a network with cabinets of its own, not {network.spelling}")
    if own is None:
        sequence = in_order(network, capacity, True)
        order = folded(np.arange(len(sequence.spots)), len(sequence.spots))
        return Mapping(sequence.cabinet, sequence.spots[order])
    return Mapping(own.cabinet, folded(own.spots, np.array(own.grid))) if name == "folded" else own


def optimised(network, capacity, room, seed):
    """The shortest of the placed clusterings; see :func:`arrange`."""
    own, size = cabinets_of(network), capacity_of(network, capacity)
    if own is not None and np.bincount(own.cabinet).max() > size:
        own = None
    ends = ends_of(network)
    clusterings = [own or in_order(network, size), clustered(network.nodes, ends, size, seed)]
    if len(clusterings[0].spots) > MOST_PLACED:
        raise UsageError(f"Mapping optimised takes at most {MOST_PLACED} cabinets, not {len(clusterings[0].spots)}")
    placed = [found for one in clusterings if one for found in (one, place(one, ends, room, seed))]
    return min(placed, key=lambda one: total(one, ends, room))


def ends_of(network):
    """Numbers of the switches at both ends of each cable, an array (C, 2)."""
    rows = [(network.number(link.source), network.number(link.target)) for link in network.links()]
    return np.array(rows, np.int64).reshape(-1, 2)


def total(mapping, ends, room):
    """Metres of all cables."""
    return float(room.lengths(*(mapping.spots[mapping.cabinet[side]] for side in ends.T)).sum())


def clustered(switches, ends, size, seed):
    """Cabinets of at most ``size`` switches with few cables between them, by METIS; None if METIS overfills one."""
    import pymetis

    parts = -(-switches // size)
    if parts == 1:
        return None
    order = np.argsort(np.r_[ends[:, 0], ends[:, 1]], kind="stable")
    source, target = np.r_[ends[:, 0], ends[:, 1]][order], np.r_[ends[:, 1], ends[:, 0]][order]
    first = np.searchsorted(source, np.arange(switches + 1))
    options = pymetis.Options(seed=seed, ufactor=1)
    _, found = pymetis.part_graph(parts, pymetis.CSRAdjacency(first, target), options=options)
    cabinet = np.unique(found, return_inverse=True)[1]
    return None if np.bincount(cabinet).max() > size else Mapping(cabinet, in_rows(int(cabinet.max()) + 1))


def place(mapping, ends, room, seed):
    """The mapping with its cabinets at other spots of the same floor, or of the floor of :func:`grid_of` if it is smaller.

    The fast approximate assignment of scipy starts where the cabinets are; exchanges of two cabinets follow on small floors.
    """
    from scipy.optimize import quadratic_assignment

    count = len(mapping.spots)
    columns, rows = mapping.grid if np.prod(mapping.grid) <= np.prod(grid_of(count)) else grid_of(count)
    spots = np.array([(column, row) for row in range(rows) for column in range(columns)])
    flow = np.zeros((len(spots), len(spots)))
    a, b = mapping.cabinet[ends].T
    np.add.at(flow, (a[a != b], b[a != b]), 1)
    flow += flow.T
    distance = room.lengths(spots[:, None], spots[None]) - 2 * room.end
    np.fill_diagonal(distance, 0)
    known = {tuple(spot): at for at, spot in enumerate(spots.tolist())}
    start = [known.get(tuple(spot)) for spot in mapping.spots.tolist()]
    start = start if None not in start else list(range(count))
    start += sorted(set(range(len(spots))) - set(start))
    # The options have no other random choice than this start, so that the result is reproducible.
    options = {"P0": _soft(start), "maxiter": 60, "rng": np.random.default_rng(seed)}
    found = quadratic_assignment(flow, distance, method="faq", options=options).col_ind
    if len(spots) <= MOST_EXCHANGED:
        guess = np.column_stack([np.arange(len(spots)), found])
        options = {"partial_guess": guess, "rng": np.random.default_rng(seed)}
        found = quadratic_assignment(flow, distance, method="2opt", options=options).col_ind
    return Mapping(mapping.cabinet, spots[found[:count]])


def _soft(start):
    """A doubly stochastic matrix between the permutation ``start`` and the one in which every spot is equally likely."""
    size = len(start)
    found = np.full((size, size), 0.5 / size)
    found[np.arange(size), start] += 0.5
    return found
