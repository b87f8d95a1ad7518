"""Drivers of a switch core: a sender and a receiver per port, and the clock that steps them together with the golden model."""

import random
from collections import Counter, deque

from cocotb.triggers import Timer

from dsnswitch.sim.bench.drivers.lockstep import reset
from dsnswitch.sim.golden.core.core import Flit

__all__ = ["CoreDriver", "Receiver", "Sender"]


class Sender:
    """Sends the packets of one port's channels, each with its credits.

    Parameters
    ----------
    channels, depth : int
        Number of channels, and number of credits per channel.
    rng : Random
    stall : float
        Share of cycles in which the port sends nothing.
    mixed : bool
        Flits of several channels alternate at random. Otherwise a packet is sent without gaps as soon as there are credits
        for all of its flits, as from a core's output.
    """

    def __init__(self, channels, depth, rng, stall=0.0, mixed=False):
        self.queues = [deque() for _ in range(channels)]
        self.credits = [depth] * channels
        self._depth, self._rng, self._stall, self._mixed = depth, rng, stall, mixed
        self._current, self._next = None, 0
        #: The link cannot take flits now.
        self.paused = False

    def waiting(self):
        """Number of flits that have not been sent."""
        return sum(len(packet) for queue in self.queues for packet in queue)

    def send(self):
        """``(channel, flit)`` that leaves in this cycle, or None."""
        if self.paused or (self._stall and self._rng.random() < self._stall):
            return None
        channel = self._choose()
        if channel is None:
            return None
        packet = self.queues[channel][0]
        flit = packet.popleft()
        self.credits[channel] -= 1
        if not packet:
            self.queues[channel].popleft()
            self._current = None
            self._next = channel + 1
        else:
            self._current = channel
        return channel, flit

    def _choose(self):
        count = len(self.queues)
        if self._mixed:
            able = [v for v in range(count) if self.queues[v] and self.credits[v]]
            return self._rng.choice(able) if able else None
        if self._current is not None:
            return self._current if self.credits[self._current] else None
        for v in ((self._next + step) % count for step in range(count)):
            if self.queues[v] and self.credits[v] >= min(len(self.queues[v][0]), self._depth):
                return v
        return None


class Receiver:
    """Accepts the flits of one port and returns their credits, at least ``delay`` cycles later.

    ``stall`` is the share of cycles in which a channel returns no credit. A channel in ``blocked`` never returns one.
    """

    def __init__(self, channels, depth, rng, stall=0.0, delay=0):
        self.full = [deque() for _ in range(channels)]
        self.blocked = set()
        self.flits = 0
        self._depth, self._rng, self._stall, self._delay = depth, rng, stall, delay

    def take(self, cycle, channel):
        """Accept a flit."""
        self.full[channel].append(cycle + self._delay)
        self.flits += 1
        assert len(self.full[channel]) <= self._depth, f"cycle {cycle}: channel {channel} overflows its receiver"

    def credits(self, cycle):
        """Mask of the channels that return a credit in this cycle."""
        mask = 0
        for v, waiting in enumerate(self.full):
            if waiting and waiting[0] <= cycle and v not in self.blocked and not self._stalls():
                waiting.popleft()
                mask |= 1 << v
        return mask

    def _stalls(self):
        return self._stall and self._rng.random() < self._stall


class CoreDriver:
    """Drives all ports of a core. All outputs of the core are registers, so they are read before the inputs are driven."""

    def __init__(self, dut, manifest, model, events, seed=1, **behaviour):
        self.dut, self.model, self.rng = dut, model, random.Random(seed)
        self._events = {name: getattr(dut, name) for name in events}
        self._inputs = {port["name"]: port["width"] for port in manifest["ports"] if port["direction"] == "input"}
        self.seen = Counter()
        depth = manifest["parameters"]["depth"]
        sending = {key: behaviour[key] for key in ("stall", "mixed") if key in behaviour}
        receiving = {key: behaviour[key] for key in ("stall", "delay") if key in behaviour}
        self.senders, self.receivers, self._ports = [], [], []
        for port in manifest["core_ports"]:
            parts = ("rx_valid", "rx_flit", "rx_credit", "tx_valid", "tx_flit", "tx_credit")
            self._ports.append([getattr(dut, f"{port['name']}_{part}") for part in parts])
            self.senders.append(Sender(port["channels"], depth, self.rng, **sending))
            self.receivers.append(Receiver(port["channels"], depth, self.rng, **receiving))
        self._flit = len(self._ports[0][1]) - 3
        self.cycle = 0
        #: Called with ``(cycle, output, channel, flit)`` for each flit that leaves.
        self.watch = None
        self._driven = {}

    async def start(self, traffic):
        """Reset, with every input driven and the switch's address on the straps. Then write the table, if there is one."""
        for rx_valid, rx_flit, _, _, _, tx_credit in self._ports:
            for handle in (rx_valid, rx_flit, tx_credit):
                handle.value = 0
        tables = traffic.lookup != "algorithm"
        names = [port for port in self._inputs if port.startswith("write") or port in ("mode", "dead", "loaded")]
        for name, value in {**dict.fromkeys(names, 0), **traffic.straps}.items():
            getattr(self.dut, name).value = value
        await reset(self.dut)
        if tables:
            await self._load(traffic)

    async def _load(self, traffic):
        """Write the table, and declare a direct table loaded."""
        if "loaded" in self._inputs:
            # Words that are not written are absent.
            width = self._inputs["write_word"]
            empty = ({"write_word": word, "write_valid": 0} for word in range(1 << width))
        else:
            empty = ()
        self.dut.write.value = 1
        for values in (*empty, *traffic.writes()):
            for name, value in values.items():
                getattr(self.dut, name).value = value
            await self._clock()
        self.dut.write.value = 0
        self.dut.dead.value = sum(1 << port for port in traffic.dead)
        if "loaded" in self._inputs:
            self.dut.loaded.value = 1
        await self._clock()
        await self._clock()

    async def _clock(self):
        for level in (0, 1):
            self.dut.clk.value = level
            await Timer(5, unit="ns")

    def _put(self, handle, value):
        if self._driven.get(handle) != value:
            self._driven[handle] = value
            handle.value = value

    def _flit_of(self, word):
        return Flit(word & (1 << self._flit) - 1, *(word >> self._flit + bit & 1 for bit in range(3)))

    def _word_of(self, flit):
        return flit.data | flit.head << self._flit | flit.tail << self._flit + 1 | flit.bad << self._flit + 2

    async def step(self):
        """Run one cycle of every port."""
        cycle, model = self.cycle, self.model
        for name, handle in self._events.items():
            mask = int(handle.value)
            for port in range(len(self._ports)) if mask else ():
                self.seen[name, port] += mask >> port & 1
        for number, (_, _, rx_credit, tx_valid, tx_flit, _) in enumerate(self._ports):
            if back := int(rx_credit.value):
                for channel, credits in enumerate(self.senders[number].credits):
                    if back >> channel & 1:
                        self.senders[number].credits[channel] = credits + 1
                        model.credit(number, channel)
            if valid := int(tx_valid.value):
                assert valid.bit_count() == 1, f"cycle {cycle}: output {number} has valid {valid:b}"
                channel, flit = valid.bit_length() - 1, self._flit_of(int(tx_flit.value))
                model.leave(cycle, number, channel, flit)
                self.receivers[number].take(cycle, channel)
                if self.watch:
                    self.watch(cycle, number, channel, flit)
        for number, (rx_valid, rx_flit, _, _, _, tx_credit) in enumerate(self._ports):
            sent = self.senders[number].send()
            if sent:
                channel, flit = sent
                self._put(rx_flit, self._word_of(flit))
                model.arrive(cycle, number, channel, flit)
            self._put(rx_valid, 1 << sent[0] if sent else 0)
            self._put(tx_credit, self.receivers[number].credits(cycle))
        await self._clock()
        self.cycle += 1

    async def run(self, cycles, done=lambda: False):
        """Run ``cycles`` cycles, or fewer if ``done()``."""
        for _ in range(cycles):
            if done():
                return
            await self.step()

    async def drain(self, patience=2000):
        """Run until all packets have left. AssertionError if no flit has moved for ``patience`` cycles."""
        moved, last = self.cycle, None
        while not self.model.finished() or any(sender.waiting() for sender in self.senders):
            await self.step()
            state = self.model.arrived, self.model.left, sum(self.model.held.values())
            if state != last:
                moved, last = self.cycle, state
            assert self.cycle - moved < patience, f"nothing has moved since cycle {moved}"
        await self.run(4)
