"""Writes the tables of the networks of an engine: all at once before the first cycle, and one write per cycle under traffic."""

from typing import Any

import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.tables.compile import Tables
from dsnswitch.sim.network.engine.copies import Copies
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.lookup import kind_of_table, ports_up, refuse_other_ranks, writes

__all__ = ["TableWriter"]


class TableWriter:
    """The write ports of the tables of all switches of an engine. Each switch takes one write per cycle.

    Points write at the same time, and a later change of a point follows the earlier one.
    """

    def __init__(self, core: Core, copies: Copies, points: int):
        self._core, self._copies = core, copies
        self._tables: list[Any] = [None] * points
        # Masks of the ports that lead up, by switch, of points with turn classes.
        self._up: list[list[int] | None] = [None] * points
        # Writes of each cycle to come, (copies, values); and for each point the cycles until its last write.
        self._steps: list[list] = []
        self._left = [0] * points
        # Whether the write ports still have the last write.
        self._open = False

    @property
    def busy(self) -> bool:
        """Whether :meth:`step` must be called before the next cycle."""
        return bool(self._steps) or self._open

    def load(self, given: dict[int, Tables]) -> None:
        """Write ``{point: tables}`` into empty tables, while the switches pass no packets; and the ports that lead up."""
        self.rewrite(given)
        count = len(self._steps)
        # An even number of steps, as there are two sets of flip-flops.
        for number in range(count + count % 2):
            self.step()
            for rows in self._copies.rows:
                self._core.advance(rows.ctypes.data, number % 2)
        self.step()
        nodes = np.arange(self._core.network.nodes)
        for number, made in given.items():
            if kind_of_table(self._core.manifest["parameters"]) == "direct":
                self._copies.write(self._copies.bases[number] + nodes, "loaded", np.ones(len(nodes), int))
            if "up" in self._core.layout.inputs:
                self._up[number] = ports_up(made)
                self._copies.write(self._copies.bases[number] + nodes, "up", self._up[number])
                self._copies.settle()

    def rewrite(self, given: dict[int, Tables]) -> int:
        """Plan the writes of ``{point: tables}`` from the next cycle on; returns the cycles until the last of them."""
        planned, last = self._planned(given), 0
        for number, (steps, state) in planned.items():
            first, self._tables[number] = self._left[number], state
            self._left[number] = first + len(steps)
            self._steps += [[] for _ in range(self._left[number] - len(self._steps))]
            for cycle, (numbers, values) in enumerate(steps, first):
                self._steps[cycle].append((self._copies.bases[number] + numbers, values))
            last = max(last, self._left[number])
        return last

    def step(self) -> None:
        """Set the write ports for the next cycle: those of the switches that write in it, and no others."""
        row = self._core.layout.inputs["write"][0]
        for rows in self._copies.rows:
            rows[row] = 0
        self._open = bool(self._steps)
        for copies, values in self._steps.pop(0) if self._steps else ():
            for name, value in values.items():
                self._copies.write(copies, f"write_{name}", value)
            self._copies.write(copies, "write", np.ones(len(copies), int))
        self._left = [max(0, left - 1) for left in self._left]

    def _planned(self, given) -> dict[int, tuple[list, Any]]:
        """For each point the writes of each cycle, and what its tables hold after them."""
        parameters, network = self._core.manifest["parameters"], self._core.network
        if not kind_of_table(parameters):
            raise UsageError("A core with lookup by algorithm has no tables")
        found, known = {}, {}
        for number, made in given.items():
            self._core.check_hops(made)
            state, up = self._tables[number], self._up[number]
            if up is not None:
                refuse_other_ranks(network, made, up)
            # Points with the same tables share the plan.
            key = (id(made), id(state))
            if key not in known:
                known[key] = writes(network, parameters, made, state)
            found[number] = known[key]
        return found
