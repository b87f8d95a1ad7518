"""The floor of a machine room, and the mapping of switches to its cabinets (D 2.2.1, 3.4.2; F IV-C; R III-D).

Cabinets stand in rows. A *mapping* gives each switch a cabinet, and each cabinet a spot: its column and its row.
"""

import math
from dataclasses import dataclass

import numpy as np

from dsnswitch.net.messages import UsageError

#: Ways to measure the distance between two spots: along rows and columns, or straight.
CABLINGS = ("manhattan", "diagonal")

#: Mappings by name; :func:`~dsnswitch.net.plan.placement.arrange` describes them.
MAPPINGS = ("sequential", "serpentine", "supernode", "folded", "optimised")

#: Switches of a cabinet of a network without cabinets of its own (F IV-C, R III-D).
CAPACITY = 16


@dataclass(frozen=True)
class Room:
    """What the papers assume about a machine room; lengths are in metres.

    A cabinet takes ``width`` along a row and ``depth`` from row to row, the aisle included. A cable inside a cabinet has the
    length ``inside``. A cable between two cabinets is as long as the distance of their spots and ``end`` more at each end.
    """

    width: float = 0.6
    depth: float = 2.1
    cabling: str = CABLINGS[0]
    inside: float = 2.0
    end: float = 2.0

    def lengths(self, a, b):
        """Lengths of cables between the spots ``a`` and ``b``, arrays (N, 2) of columns and rows."""
        step = np.abs(a - b) * (self.width, self.depth)
        distance = step.sum(axis=-1) if self.cabling == CABLINGS[0] else np.hypot(*step.T)
        return np.where((a == b).all(axis=-1), self.inside, distance + 2 * self.end)


def grid_of(count):
    """``(columns, rows)`` of ``count`` cabinets: ceil(sqrt(count)) rows, and as few columns as they need."""
    rows = math.isqrt(count - 1) + 1
    return -(-count // rows), rows


def in_rows(count, turning=False):
    """Spots of ``count`` cabinets, row by row; with ``turning``, every second row runs backwards."""
    columns, _ = grid_of(count)
    row, column = np.divmod(np.arange(count), columns)
    return np.column_stack([np.where(turning & (row % 2 == 1), columns - 1 - column, column), row])


def folded(position, size):
    """Where a folded row of ``size`` has its element ``position``: neighbours are two apart, also the last and the first."""
    return np.where(2 * position < size, 2 * position, 2 * (size - 1 - position) + 1)


@dataclass(frozen=True)
class Mapping:
    """Cabinet of each switch (S,), by the number of the switch, and spot of each cabinet (C, 2)."""

    cabinet: np.ndarray
    spots: np.ndarray

    @property
    def grid(self):
        """``(columns, rows)`` of the floor."""
        return tuple(int(most) + 1 for most in self.spots.max(axis=0))


def in_order(network, capacity, turning=False):
    """The mappings ``sequential`` and ``serpentine``."""
    cabinet = np.arange(network.nodes) // capacity_of(network, capacity)
    return Mapping(cabinet, in_rows(int(cabinet[-1]) + 1, turning))


def capacity_of(network, capacity=None):
    """Switches of a cabinet if the user says nothing: as many as the topology's own cabinets have, else :data:`CAPACITY`."""
    own = None if capacity else cabinets_of(network)
    return capacity or (CAPACITY if own is None else int(np.bincount(own.cabinet).max()))


def cabinets_of(network, capacity=None):
    """The mapping ``supernode``; None if the topology has no cabinets of its own."""
    wanted = {network.number(switch): network.cabinet_of(switch) for switch in network.switches()}
    if None in wanted.values():
        return None
    places = sorted(set(wanted.values()), key=lambda place: place[::-1])
    index = {place: number for number, place in enumerate(places)}
    cabinet = np.array([index[wanted[number]] for number in range(network.nodes)])
    most = int(np.bincount(cabinet).max())
    if capacity is not None and most > capacity:
        raise UsageError(f"Cabinets of {network.spelling} must have room for {most} switches, not {capacity}")
    spots = in_rows(len(places), True) if len(places[0]) == 1 else np.array(places)
    return Mapping(cabinet, spots)
