"""Driver of a switch with a fabric port at the other end of every line: hosts, other ends, and a reader of each line."""

from collections import Counter

from dsnswitch.sim.bench.drivers.core_driver import CoreDriver
from dsnswitch.sim.bench.drivers.port_link import FabricStatus
from dsnswitch.sim.golden.core.core import Flit
from dsnswitch.sim.golden.fec.crc32c import PacketCheck
from dsnswitch.sim.golden.line.blocks import LineReader
from dsnswitch.sim.topology import address_of

#: Bits of a codeword without its check bits.
BLOCK = 260


class DeviceDriver(CoreDriver):
    """Drives hosts and other ends as :class:`CoreDriver` drives the ports of a core, and reads every line.

    Attributes
    ----------
    - lines: Names of the ports with a line.
    - bad_checks: By port number: packets to a host whose end-to-end check is wrong.
    - entered, left: By port number: cycles in which flits were at the port's input and output. For a port with a line, they
      are at the line.
    """

    def __init__(self, dut, manifest, model, events, seed=1, **behaviour):
        super().__init__(dut, manifest, model, events, seed, **behaviour)
        self._manifest = manifest
        self._names = [port["name"] for port in manifest["switch_ports"]]
        self.lines = ports = [port["name"] for port in manifest["switch_ports"] if port["link"] == "fabric"]
        shown = {port["name"] for port in manifest["ports"]}
        # Without registers.
        self._near = {name: FabricStatus(dut, f"{name}_", manifest, f"{name}_") for name in ports if f"{name}_status" in shown}
        self._far = {name: FabricStatus(dut, f"{name}_far_", manifest["far"], "") for name in ports}
        self._hosts = [number for number, port in enumerate(manifest["switch_ports"]) if port["link"] == "flits"]
        self._check, self.bad_checks = PacketCheck.of(manifest), Counter()
        self._wrong = dut.bad_check if "bad_check" in shown else None
        self._line_stalls = {self._names.index(name): getattr(dut, f"{name}_rx_stall") for name in ports}
        self._readers = {
            (self._names.index(name), way): (getattr(dut, f"{name}_{way}_line"), LineReader(manifest))
            for name in ports
            for way in ("rx", "tx")
        }
        self.entered, self.left = ([[] for _ in self._names] for _ in range(2))
        #: By port number and direction: ``(channel, flit)`` seen by the reader of the line, and those of the line's end.
        self._seen = {key: [] for key in self._readers}
        self._had = {key: [] for key in self._readers}

    async def begin(self, traffic):
        """Reset, with addresses and port numbers; then cycles until every link is up at both ends."""
        self.idle(traffic)
        await self.start(traffic)
        await self.links_up()

    def idle(self, traffic):
        """Drive every input that is neither a flit nor a credit."""
        dut, network = self.dut, traffic.network
        idle = (
            name for name in self._inputs if name in ("clear", "patience") or name.endswith("_stall") or name.startswith("apb_")
        )
        inputs = dict.fromkeys(idle, 0)
        for entry in self._manifest["core_ports"]:
            name = entry["name"]
            if name not in self._far:
                continue
            there, number = network.neighbour(traffic.own, entry["index"])
            ends = {"own": (there, number), "peer": (traffic.own, entry["index"])}
            for side, (switch, port) in ends.items():
                inputs |= {f"{name}_far_{side}_address": address_of(network, switch), f"{name}_far_{side}_port": port}
            straps = {f"{name}_peer_address": address_of(network, there), f"{name}_peer_port": number}
            inputs |= {strap: value for strap, value in straps.items() if strap in self._inputs}
            inputs |= dict.fromkeys((f"{name}_rx_line_flip", f"{name}_tx_line_flip"), 0)
            far = {port["name"] for port in self._manifest["far"]["ports"]}
            inputs |= {f"{name}_far_{pin}": 0 for pin in ("clear", "down", "core_empty") if pin in far}
        for name, value in inputs.items():
            getattr(dut, name).value = value

    async def links_up(self):
        """Cycles until every link is up at both ends."""
        dut = self.dut
        for _ in range(800):
            if all(status.state == "up" for status in (*self._near.values(), *self._far.values())):
                for name in self._far:
                    assert int(getattr(dut, f"{name}_locked").value) == 1, f"{name} is up without block lock"
                    assert int(getattr(dut, f"{name}_slip").value) == 0, f"{name} is up and asks for another boundary"
                return
            await self.step()
        states = [{name: status.state for name, status in side.items()} for side in (self._near, self._far)]
        raise AssertionError(f"links are not up: {states}")

    async def step(self):
        """Run one cycle. The state of lines and hosts is recorded first."""
        for number, stall in self._line_stalls.items():
            self.senders[number].paused = bool(int(stall.value))
        for number, (rx_valid, rx_flit, _, tx_valid, tx_flit, _) in enumerate(self._ports):
            # The inputs have the values that were driven in the previous cycle.
            pins = {"rx": (rx_valid, rx_flit, self.cycle - 1), "tx": (tx_valid, tx_flit, self.cycle)}
            for way, (valid, flit, cycle) in pins.items():
                if channels := int(valid.value):
                    found = channels.bit_length() - 1, Flit.of(int(flit.value), self._flit)
                    self._note(number, way, cycle, found)
        for number in self._hosts:
            self.bad_checks[number] += self._bad_check(number)
        for key, (line, reader) in self._readers.items():
            block = reader.read(int(line.value) & (1 << BLOCK) - 1)
            if block is not None and block.flit:
                self._seen[key].append((block.channel, tuple(block.flit)))
                self._times(*key).append(self.cycle)
        await super().step()

    def driven(self, number, flit):
        """A host leaves the bits of the check to the switch. A line brings packets with a wrong check, which the model knows as
        bad, without a mark."""
        if not self._check or not flit.tail:
            return flit
        if number not in self._hosts:
            return flit._replace(bad=0)
        place = self._check.place(2 - flit.head)
        return flit if place is None else flit._replace(data=flit.data ^ self.rng.getrandbits(32) << place)

    def _note(self, number, way, cycle, found):
        if (number, way) in self._had:
            self._had[number, way].append((found[0], tuple(found[1])))
        else:
            self._times(number, way).append(cycle)

    def _times(self, number, way):
        return (self.entered if way == "rx" else self.left)[number]

    def check_lines(self, outputs):
        """Check that every line carried the flits of its end, and that lines to the switch and of ``outputs`` carried some."""
        for key, had in self._had.items():
            assert self._seen[key] == had, f"line {key}: {len(self._seen[key])} flits, {len(had)} at its end"
            assert had or (key[1] == "tx" and key[0] not in outputs), f"line {key} had no flit"

    async def events(self):
        """``{(event, number of the port): count}`` of the core's events."""
        return self.seen

    def _bad_check(self, number):
        """Whether a host port reports a wrong check."""
        return int(self._wrong.value) >> number - self._hosts[0] & 1 if self._wrong is not None else 0

    async def wrong_checks(self, number):
        """Packets with a wrong check that a host port has counted."""
        return self.bad_checks[number]

    async def counters(self, name):
        """Sums of the counters of the port and of the port at the other end of its line."""
        here, there = self._near[name].counters(), self._far[name].counters()
        return {counter: here[counter] + there[counter] for counter in here}
