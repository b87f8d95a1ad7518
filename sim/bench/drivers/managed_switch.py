"""Driver of a switch whose registers are accessed over APB, by the requester of cocotbext-apb."""

import logging
from collections import Counter

import cocotb
from cocotbext.apb import ApbBus, ApbHost

from dsnswitch.sim.bench.drivers.lockstep import tick
from dsnswitch.sim.bench.drivers.switch_driver import DeviceDriver

#: Counters of a core's events.
EVENTS = ("bad_header", "invalid", "no_route", "expired", "u_turn", "bad_length", "stray")


class ManagedSwitch(DeviceDriver):
    """A :class:`DeviceDriver` that reads status and writes tables by registers.

    ``registers`` has ``path``, ``address`` and ``fields`` of each register, of the compiled SystemRDL.

    Attributes
    ----------
    - noise: Every line into the switch has random bits, so that no link finds block lock.
    - loads: The start writes the tables.
    - counts: ``{(port, counter): count}`` of what passed between ports and core, by the rules of the register map.
    - fills: ``{(number of the port, channel): flits}``: the most credits that a sender has spent at one time.
    """

    def __init__(self, dut, manifest, model, registers, seed=1, **behaviour):
        super().__init__(dut, manifest, model, (), seed, **behaviour)
        self._host = ApbHost(ApbBus.from_prefix(dut, "apb"), dut.clk)
        self._host.log.setLevel(logging.WARNING)
        self.registers = {entry["path"]: entry for entry in registers}
        self._flips = {name: getattr(dut, f"{name}_rx_line_flip") for name in self._far}
        self.noise, self.loads, self.counts, self.fills = False, True, Counter(), Counter()
        for way, passes in (("in", model.arrive), ("out", model.leave)):
            setattr(model, passes.__name__, self._counting(way, passes))

    def _counting(self, way, passes):
        def counted(cycle, number, channel, flit):
            name = self._names[number]
            self.counts[name, f"flits_{way}"] += 1
            self.counts[name, f"packets_{way}"] += flit.head
            self.counts[name, f"bad_{way}"] += flit.tail & flit.bad
            passes(cycle, number, channel, flit)

        return counted

    async def begin(self, traffic):
        """As :meth:`DeviceDriver.begin`; then all counters are 0."""
        await super().begin(traffic)
        await self.clear()

    async def clear(self):
        """Set all counters to 0."""
        await self.write("device.control", await self.read("device.control") | 1)
        await self.run(4)

    async def events(self):
        """``{(event, number of the port): count}`` of the core's events, by registers."""
        return Counter(
            {(name, number): await self.read(f"{port}.{name}") for name in EVENTS for number, port in enumerate(self._names)}
        )

    async def wrong_checks(self, number):
        """As :meth:`DeviceDriver.wrong_checks`, by registers."""
        return await self.read(f"{self._names[number]}.bad_check")

    async def counters(self, name):
        """As :meth:`DeviceDriver.counters`, by registers."""
        there = self._far[name].counters()
        return {counter: await self.read(f"{name}.{counter}") + count for counter, count in there.items()}

    async def step(self):
        """One cycle."""
        if self.noise:
            # No flit passes.
            for flip in self._flips.values():
                flip.value = self.rng.getrandbits(270)
            await tick(self.dut)
            self.cycle += 1
            return
        await super().step()
        for source, held in self.model.held.items():
            self.fills[source] = max(self.fills[source], held)

    async def codeword(self, name, wrong):
        """One codeword with the bits ``wrong`` inverted on the line to a port."""
        self._flips[name].value = wrong
        await self.step()
        self._flips[name].value = 0

    async def transfer(self, address, value=None, error=False):
        """A read, or a write of ``value``; it must end with an error or without one. Returns what was read."""
        if value is None:
            task = cocotb.start_soon(self._host.read(address, error_expected=error))
        else:
            task = cocotb.start_soon(self._host.write(address, value, error_expected=error))
        while not task.done():
            await self.step()
        return int.from_bytes(task.result(), "little") if value is None else None

    async def read(self, path):
        """The word of a register."""
        return await self.transfer(self.registers[path]["address"])

    async def write(self, path, value):
        """Write a word to a register."""
        await self.transfer(self.registers[path]["address"], value)

    async def field(self, path, name):
        """A field of a register."""
        [found] = [one for one in self.registers[path]["fields"] if one["name"] == name]
        return await self.read(path) >> found["low"] & (1 << found["width"]) - 1

    async def write_entry(self, values):
        """Write an entry of the tables; names are those of a table's write port."""
        for name, value in values.items():
            await self.write(f"device.table_{name.removeprefix('write_')}", value)
        await self.write("device.table_write", 1)

    async def _load(self, traffic):
        """Write the tables as they would be by the write port of the core."""
        if not self.loads:
            return
        fields = {one["name"]: 1 << one["low"] for one in self.registers["device.control"]["fields"]}
        loaded = fields.get("table_loaded", 0)
        for values in traffic.writes():
            await self.write_entry(values)
        await self.write("device.control", loaded)
