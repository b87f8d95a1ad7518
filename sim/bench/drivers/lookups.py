"""A block with a table that is asked in every cycle, and written meanwhile."""

from collections import deque

from dsnswitch.sim.bench.drivers.given import MANIFEST, RANDOM, WIDTHS
from dsnswitch.sim.bench.drivers.lockstep import tick

#: What a write consists of, for a direct and for a ternary table.
FIELDS = ("word", "valid", "action") if "write_word" in WIDTHS else ("place", "valid", "value", "length", "action")


class Lookups:
    """Asks the block under test. The values of ``outputs`` answer a question ``latency_cycles`` later.

    Fields of the write port that do not count are random: all without a write, those after ``valid`` if it frees an entry.
    """

    def __init__(self, dut, outputs):
        self.dut, self._outputs, self._under_way = dut, outputs, deque()
        self.latency, self.answered = MANIFEST["latency_cycles"], 0

    async def cycle(self, question, inputs, write=None):
        """One cycle with ``inputs`` ``{name: value}`` and perhaps a write, values of :data:`FIELDS`.

        Returns the question that is answered, and the values of the outputs before the clock edge; or None.
        """
        counts = 0 if write is None else len(FIELDS) if write[1] else 2
        values = {f"write_{name}": value for name, value in zip(FIELDS[:counts], write or ())}
        for name in FIELDS[counts:]:
            values[f"write_{name}"] = RANDOM.getrandbits(WIDTHS.get(f"write_{name}", 1))
        for name, value in {"write": int(write is not None), **inputs, **values}.items():
            if name in WIDTHS:
                getattr(self.dut, name).value = value
        self._under_way.append(question)
        return await tick(self.dut, self._answer)

    def _answer(self):
        if len(self._under_way) <= self.latency:
            return None
        self.answered += 1
        found = tuple(int(getattr(self.dut, name).value) if name in WIDTHS else 0 for name in self._outputs)
        return self._under_way.popleft(), found
