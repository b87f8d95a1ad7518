"""The state of all switches of an engine: a bit of every net for each copy of the core, in words of 512 copies."""

from typing import Any, Self

import numpy as np

from dsnswitch.sim.network.compile.generate import COPIES, ROW

__all__ = ["Copies"]


class Copies:
    """Copies of a core: the switches of several networks, with the state after a reset.

    ``bases`` has the first copy of each network, that is of each of ``points``; the others follow by the numbers of their
    switches. ``rows`` has for each of ``words`` words its nets, an array of bytes ``[row][copy // 8]``.
    """

    def __init__(self, core, points):
        self._core, self._points = core, points
        self._place()
        self._make_rows()

    def _place(self):
        """First copies of the networks: they share words as far as each fits into the rest of one."""
        nodes, free, self.bases = self._core.network.nodes, 0, []
        for _ in self._points:
            if free % COPIES and free % COPIES + nodes > COPIES:
                free += -free % COPIES
            self.bases.append(free)
            free += nodes
        self.words = -(-free // COPIES)

    def _make_rows(self):
        layout = self._core.layout
        # One array for all words: it is large enough for huge pages, and a core touches most of its rows in every cycle.
        raw = np.zeros((self.words * layout.rows + 1) * ROW, np.uint8)
        start = -raw.ctypes.data % ROW
        rows = raw[start : start + self.words * layout.rows * ROW].reshape(self.words, layout.rows, ROW)
        rows[:, [layout.one, *layout.start]] = 255
        self.rows = list(rows)

    def take(self, other: Self, moved: np.ndarray) -> None:
        """Take the state of switches of other copies; ``moved`` is ``[(number before, number after)]``."""
        bits = [np.unpackbits(one, axis=1, bitorder="little") for one in self.rows]
        for old, new in zip(other.bases, self.bases):
            for one, here in moved + np.array([old, new]):
                source = other.rows[one // COPIES][:, one % COPIES // 8] >> one % 8 & 1
                bits[here // COPIES][:, here % COPIES] = source
        for row, one in zip(self.rows, bits):
            row[:] = np.packbits(one, axis=1, bitorder="little")

    def strap(self) -> None:
        """Give the constant inputs their values: the address, the sizes of the network, and what points say."""
        core = self._core
        switches = list(core.network.switches())
        numbers = np.array([core.network.number(switch) for switch in switches])
        straps = [core.straps(switch) for switch in switches]
        for number, point in enumerate(self._points):
            values = {name: [one.get(name, 0) for one in straps] for name in set().union(*straps)}
            if callable(point.inputs):
                found = [point.inputs(switch) for switch in switches]
                values |= {name: [one[name] for one in found] for name in (found[0] if found else {})}
            else:
                values |= {name: [value] * len(switches) for name, value in point.inputs.items()}
            for name, column in values.items():
                self.write(self.bases[number] + numbers, name, column)
        self.settle()

    def write(self, copies: Any, name: str, values: Any) -> None:
        """Give an input of some copies values."""
        if name not in self._core.layout.inputs:
            raise ValueError(f"Input must be one of {', '.join(self._core.layout.inputs)}, not {name!r}")
        copies, rows = np.asarray(copies), self._core.layout.inputs[name]
        values = np.array(values, object if len(rows) > 62 else np.int64)
        levels, words = (values >> np.arange(len(rows))[:, None] & 1).astype(bool), copies // COPIES
        for word in set(words.tolist()):
            here = words == word
            bits = np.unpackbits(self.rows[word][rows], axis=1, bitorder="little")
            bits[:, copies[here] % COPIES] = levels[:, here]
            self.rows[word][rows] = np.packbits(bits, axis=1, bitorder="little")

    def settle(self) -> None:
        """Evaluate what depends on constant inputs alone, which have changed."""
        for rows in self.rows:
            self._core.settle(rows.ctypes.data)

    def flip_flop(self, point: int, row: int, cycle: int) -> np.ndarray:
        """The value of a flip-flop of a network's cores in a cycle, an array of bool by the number of the switch."""
        first = self.bases[point]
        row += cycle % 2 * self._core.layout.flops
        bits = np.concatenate([np.unpackbits(rows[row], bitorder="little") for rows in self.rows])
        return bits[first : first + self._core.network.nodes].astype(bool)
