"""The cables of a network on the floor: the length of each, the bill of materials, cost and power."""

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dsnswitch.net.plan.floor import Mapping, Room
from dsnswitch.net.plan.placement import arrange
from dsnswitch.net.printing import csv_text
from dsnswitch.net.topology.network import Network

#: Columns of the list of cables. ``simulate --link-delay`` reads ``from``, ``port`` and ``delay``.
COLUMNS = ("from", "port", "to", "to_port", "from_cabinet", "to_cabinet", "metres", "delay")


@dataclass(frozen=True)
class Plan:
    """A network whose switches are in cabinets: a network, a room, the name of a mapping, and the mapping."""

    network: Network
    room: Room
    name: str
    mapping: Mapping

    @cached_property
    def links(self):
        """Every cable, as :class:`~dsnswitch.net.topology.network.Link`, in the order of all arrays."""
        return list(self.network.links())

    @cached_property
    def ends(self):
        """Numbers of the switches at both ends of each cable, an array (C, 2)."""
        number = self.network.number
        rows = [(number(link.source), number(link.target)) for link in self.links]
        return np.array(rows, np.int64).reshape(-1, 2)

    @cached_property
    def lengths(self):
        """Metres of each cable, an array (C,)."""
        return self.room.lengths(*(self.mapping.spots[self.mapping.cabinet[side]] for side in self.ends.T))

    @cached_property
    def inside(self):
        """Whether each cable is inside a cabinet, an array (C,)."""
        a, b = self.mapping.cabinet[self.ends].T
        return a == b

    @property
    def average(self):
        """Mean length of a cable in metres; 0 without cables."""
        return float(self.lengths.mean()) if len(self.lengths) else 0.0

    @cached_property
    def degrees(self):
        """Cables of each switch, an array (S,)."""
        return np.bincount(self.ends.ravel(), minlength=self.network.nodes)

    def ports(self, hosts=0, spare=0.0):
        """Ports of each switch, an array (S,): its cables, ``hosts`` for each of its hosts, and a share of ``spare`` ports.

        ``hosts`` counts where the topology has one host per switch, which stands for the same number everywhere.
        """
        at = np.array([self.network.hosts_of(self.network.switch(number)) for number in range(self.network.nodes)])
        return np.ceil((self.degrees + at * hosts) * (1 + spare) - 1e-9).astype(np.int64)

    def cabinet(self, number):
        """Name of the cabinet of a switch, such as ``C3R2``: column and row, from 0."""
        column, row = self.mapping.spots[self.mapping.cabinet[number]]
        return f"C{column}R{row}"

    def prices(self, model, hosts=0, spare=0.0):
        """``{name: number}``: price of switches and cables, installation, in all; and power in watts."""
        kinds, prices = model.chosen(self.lengths)
        ports = self.ports(hosts, spare)
        watts = np.array([one.watts for one in model.cables])
        work = np.where(self.inside, model.inside, model.between)
        found = {"switches": float(model.switch(ports).sum()), "cables": float(prices.sum()), "installation": float(work.sum())}
        power = model.watts_per_port * float(ports.sum()) + float(watts[kinds].sum())
        return {**found, "total": sum(found.values()), "power": power}

    def bill(self, model, hosts=0, spare=0.0):
        """Bill of materials: rows ``(item, number, price of one, price of all)``. Cables are ordered in whole metres."""
        ordered = np.ceil(self.lengths - 1e-9)
        kinds, prices = model.chosen(ordered)
        rows = [("cabinet", len(self.mapping.spots), None, None)]
        for ports, count in sorted(Counter(self.ports(hosts, spare).tolist()).items()):
            rows.append((f"switch with {ports} ports", count, float(model.switch(ports))))
        cables = Counter(zip(kinds.tolist(), ordered.tolist(), prices.tolist()))
        for (kind, metres, price), count in sorted(cables.items()):
            rows.append((f"{model.cables[kind].kind} cable of {metres:.0f} m", count, price))
        for where, price in (("inside", model.inside), ("between", model.between)):
            count = int((self.inside == (where == "inside")).sum())
            if price and count:
                rows.append((f"installation of a cable {where} cabinets", count, price))
        return [row if len(row) == 4 else (*row, row[1] * row[2]) for row in rows]


def plan(network, name="sequential", capacity=None, room=None, seed=0):
    """The :class:`Plan` with the mapping ``name``; the arguments are those of :func:`~dsnswitch.net.plan.placement.arrange`."""
    room = room or Room()
    return Plan(network, room, name, arrange(network, name, capacity, room, seed))


def cable_list(found):
    """The cables of a plan as CSV with the columns :data:`COLUMNS`."""
    network, spell = found.network, found.network.spell_switch
    rows = [
        (
            *(spell(link.source), network.ports[link.port].name),
            *(spell(link.target), network.ports[link.target_port].name),
            *(found.cabinet(a), found.cabinet(b), f"{metres:.3f}", f"{metres:.3f}m"),
        )
        for link, (a, b), metres in zip(found.links, found.ends.tolist(), found.lengths.tolist())
    ]
    return csv_text([COLUMNS, *rows])


def bill_list(rows):
    """A bill of materials as CSV."""
    return csv_text([("item", "number", "price", "total"), *(map(_cell, row) for row in rows)])


def _cell(value):
    """A number of money in cents; nothing for None."""
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else value


def figures(found):
    """The figures of a plan as a dictionary, for JSON."""
    room, lengths, network = found.room, found.lengths, found.network
    columns, rows = found.mapping.grid
    return {
        "network": network.spelling,
        "switches": network.nodes,
        "mapping": found.name,
        "cabinets": len(found.mapping.spots),
        "per_cabinet": int(np.bincount(found.mapping.cabinet).max()),
        "columns": columns,
        "rows": rows,
        "area": columns * room.width * rows * room.depth,
        "cabling": room.cabling,
        "cables": len(lengths),
        "inside": int(found.inside.sum()),
        "between": int((~found.inside).sum()),
        "total": math.fsum(lengths),
        "average": found.average,
        "longest": float(lengths.max(initial=0)),
    }


def summary(found):
    """Lines about a plan for readers."""
    one = figures(found)
    return [
        f"network    {found.network.title}, {one['switches']} switches",
        f"cabinets   {one['cabinets']} with up to {one['per_cabinet']} switches, mapping {one['mapping']}",
        f"floor      {one['rows']} rows of {one['columns']}, {one['area']:.1f} m2, {one['cabling']} cabling",
        f"cables     {one['cables']}: {one['inside']} inside cabinets, {one['between']} between",
        f"length     {one['total']:.1f} m in all, {one['average']:.3f} m on average, {one['longest']:.1f} m the longest",
    ]
