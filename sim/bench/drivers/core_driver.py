"""Driver of a switch core: the clock that steps senders and receivers together with the golden model."""

import random
from collections import Counter, deque

from dsnswitch.sim.bench.drivers.flit_ends import Receiver, Sender
from dsnswitch.sim.bench.drivers.lockstep import reset, tick
from dsnswitch.sim.golden.core.core import Flit


def shared_by(network, depth):
    """``(channels, most flits of one, flits of all)`` of a virtual network at a port, by the manifest."""
    count, most = network["channels"], network.get("channel_flits", depth)
    return count, most, network["pool"] + count * depth if network.get("pool") else count * most


class CoreDriver:
    """Drives all ports of a core. All outputs of the core are registers, so they are read before the inputs are driven.

    At a port that speculates, each flit is confirmed. In a share ``guesses`` of the other cycles it shows a flit that is not:
    one that was sent before, often with wrong bits. In a share ``stall`` of the cycles a link pauses, every second time for one
    cycle, else for up to PAUSE; no flit may leave STOPS cycles after one of them.
    """

    PAUSE, STOPS = 12, 3

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
            most = port.get("channel_flits", depth)
            whole = port.get("flits", port["channels"] * depth)
            shares = [shared_by(network, depth) for network in port.get("virtual_networks", ())]
            self.receivers.append(Receiver(port["channels"], most, self.rng, whole=whole, shares=shares, **receiving))
        self._flit = len(self._ports[0][1]) - 3
        confirmed = (f"{port['name']}_confirmed" for port in manifest["core_ports"])
        self._confirmed = [getattr(dut, name) if name in self._inputs else None for name in confirmed]
        self._guesses, self._known = behaviour.get("guesses", 0), deque(maxlen=50)
        #: By port number: the pin that pauses its link, and its values in the last cycles.
        self._stalls = {
            number: (getattr(dut, f"{port['name']}_stall"), deque([0] * self.STOPS, self.STOPS))
            for number, port in enumerate(manifest["core_ports"])
            if f"{port['name']}_stall" in self._inputs
        }
        share = behaviour.get("stall", 0)
        #: Pauses per cycle without one; their mean length is that of :meth:`_paused`.
        self._pauses, self._left = share / (1 - share) / (0.5 + (1 + self.PAUSE) / 4), Counter()
        #: Numbers of ports whose link pauses all the time.
        self.held = set()
        self.cycle = 0
        #: Called with ``(cycle, output, channel, flit)`` for each flit that leaves.
        self.watch = None
        self._driven = {}

    async def start(self, traffic):
        """Reset, with every input driven and the switch's address on the straps. Then write the table, if there is one."""
        for pins in self._ports:
            pins[0].value = pins[1].value = pins[5].value = 0
        for stall, _ in self._stalls.values():
            stall.value = 0
        for confirmed in self._confirmed:
            if confirmed is not None:
                confirmed.value = 0
        tables = traffic.lookup != "algorithm"
        names = [port for port in self._inputs if port.startswith("write") or port in ("mode", "dead", "loaded")]
        for name, value in {**dict.fromkeys(names, 0), **traffic.straps}.items():
            getattr(self.dut, name).value = value
        await reset(self.dut)
        if tables:
            await self._load(traffic)

    async def _load(self, traffic):
        """Write the table, and declare a direct table loaded."""
        # Words of a direct table that are not written are absent.
        words = range(1 << self._inputs["write_word"]) if "loaded" in self._inputs else ()
        empty = ({"write_word": word, "write_valid": 0} for word in words)
        self.dut.write.value = 1
        for values in (*empty, *traffic.writes()):
            for name, value in values.items():
                getattr(self.dut, name).value = value
            await tick(self.dut)
        self.dut.write.value = 0
        self.dut.dead.value = sum(1 << port for port in traffic.dead)
        if "loaded" in self._inputs:
            self.dut.loaded.value = 1
        await tick(self.dut)
        await tick(self.dut)

    def _put(self, handle, value):
        if self._driven.get(handle) != value:
            self._driven[handle] = value
            handle.value = value

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
                paused = number in self._stalls and self._stalls[number][1][0]
                assert not paused, f"cycle {cycle}: a flit leaves by output {number} in a pause"
                channel, flit = valid.bit_length() - 1, Flit.of(int(tx_flit.value), self._flit)
                model.leave(cycle, number, channel, flit)
                self.receivers[number].take(cycle, channel)
                if self.watch:
                    self.watch(cycle, number, channel, flit)
        for number, (rx_valid, rx_flit, _, _, _, tx_credit) in enumerate(self._ports):
            sent = self.senders[number].send()
            if sent:
                channel, flit = sent
                self._put(rx_flit, self.driven(number, flit).word(self._flit))
                model.arrive(cycle, number, channel, flit)
            valid = 1 << sent[0] if sent else 0
            confirmed = self._confirmed[number]
            if confirmed is not None:
                self._put(confirmed, int(bool(sent)))
                if sent:
                    self._known.append(flit.word(self._flit))
                elif self._known and self.rng.random() < self._guesses:
                    valid = 1 << self.rng.randrange(len(rx_valid))
                    noise = 1 << self.rng.randrange(2 * len(rx_flit))
                    self._put(rx_flit, self.rng.choice(self._known) ^ noise & (1 << len(rx_flit)) - 1)
            self._put(rx_valid, valid)
            self._put(tx_credit, self.receivers[number].credits(cycle))
        for number, (stall, past) in self._stalls.items():
            past.append(self._paused(number))
            self._put(stall, past[-1])
        await tick(self.dut)
        self.cycle += 1

    def _paused(self, number):
        """Whether the link of a port pauses in this cycle."""
        left = self._left[number]
        if not left and self._pauses and self.rng.random() < self._pauses:
            left = self.rng.choice((1, self.rng.randint(1, self.PAUSE)))
        self._left[number] = max(left - 1, 0)
        return int(left > 0 or number in self.held)

    def driven(self, number, flit):
        """What is at the pins of a port for a flit of which the model knows."""
        return flit

    def queue(self, number, packet, channel=0):
        """Let a port send a packet."""
        self.senders[number].queues[channel].append(deque(packet))

    def fill(self, packets, make):
        """Let each input channel send ``packets`` packets ``make(number of the port, channel)``."""
        for number, sender in enumerate(self.senders):
            for channel, _ in enumerate(sender.queues):
                for _ in range(packets):
                    self.queue(number, make(number, channel), channel)

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
