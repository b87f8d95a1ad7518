"""A network of switches as RTL, in which hosts send packets."""

import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsnswitch.net.topology.registry import network_of_manifest
from dsnswitch.sim.topology import address_of
from dsnswitch.sim.verilated.simulation import PacketFormat, Simulation

#: ``(driver, its port, reader's port)`` for a direction of a cable, by the kind of link: ``a`` is the end that sends.
WIRES = {
    "fabric": (("a", "o_payload", "i_payload"), ("a", "o_valid", "i_valid"), ("b", "i_ready", "o_ready")),
    "flits": (("a", "tx_valid", "rx_valid"), ("a", "tx_flit", "rx_flit"), ("b", "rx_credit", "tx_credit")),
}

#: Cycles in which the links of a network must come up, cycles after which a packet is missing, and cycles of one step.
START, PATIENCE, STEP = 2000, 4000, 32


def rows(log: Any) -> list[tuple]:
    """The packets of a log of the engine, sorted: source, destination, cycles of injection, head and tail, hops."""
    columns = ("source", "destination", "injected", "head", "tail", "hops")
    return sorted(zip(*(log[name].astype(int).tolist() for name in columns)))


def cables(manifest: dict[str, Any], network: Any) -> Iterator[tuple]:
    """``(switch, port, switch, port)``: an output and the input that it drives, for every signal of every cable."""
    for switch, name, there, far in links(manifest, network):
        for driver, output, reader in WIRES["fabric" if "fabric" in manifest else "flits"]:
            ends = [(switch, name), (there, far)]
            (one, one_port), (other, other_port) = ends if driver == "a" else reversed(ends)
            yield one, f"{one_port}_{output}", other, f"{other_port}_{reader}"


def links(manifest: dict[str, Any], network: Any) -> Iterator[tuple]:
    """``(switch, port name, switch, port name)`` of both directions of every cable."""
    names = {port["index"]: port["name"] for port in manifest["core_ports"] if port["kind"] != "host"}
    for switch in network.switches():
        for index, name in names.items():
            end = network.neighbour(switch, index)
            if end is not None:
                yield switch, name, end[0], names[end[1]]


def straps(manifest: dict[str, Any], network: Any, switch: tuple) -> dict[str, int]:
    """The constant inputs of a switch: its address, sizes, and what its cables must lead to."""
    found = {f"own_{field.name}": value for field, value in zip(network.fields, switch)}
    found |= {f"size_{field.name}": field.size for field in network.fields}
    for port in manifest["core_ports"]:
        name = port["name"]
        # Without a line every flit counts.
        found[f"{name}_confirmed"] = 1
        end = None if port["kind"] == "host" else network.neighbour(switch, port["index"])
        if end is not None:
            found |= {f"{name}_peer_address": address_of(network, end[0]), f"{name}_peer_port": end[1]}
    return {port["name"]: found[port["name"]] for port in manifest["ports"] if port["name"] in found}


@dataclass
class Packet:
    """A packet that has arrived. Its ends are ``(switch, number of the host)``.

    Attributes
    ----------
    payload : bytes
        As sent, with zeros up to the end of the last flit.
    sent, received, tail : int
        Cycles in which the head entered the network, and in which head and tail left it.
    hops : int
        Switches that it has passed.
    bad : bool
        A link could not correct an error: the payload must not be used.
    reported_by : tuple or None
        The packet could not be delivered, and a notice of this switch has reported it to its source: ``received`` is the cycle
        of the notice, ``hops`` and ``payload`` are those of the notice.
    left_at : tuple or None
        The packet could not be delivered, and has left at host 0 of this switch, marked.
    """

    source: tuple
    destination: tuple
    payload: bytes
    sent: int
    received: int
    tail: int
    hops: int
    bad: bool
    reported_by: tuple | None = None
    left_at: tuple | None = None

    @property
    def latency(self) -> int:
        """Cycles from host to host."""
        return self.received - self.sent


class Network:
    """Every switch of a network as an instance of one universal switch, joined by cables, with a host at each host port.

    The model is compiled from the Verilog unless it is in the cache. Use the network in a ``with`` statement, or call
    :meth:`close`.

    Parameters
    ----------
    manifest : path
        Manifest of a universal ``switch-core``, or of a universal ``switch`` without APB registers whose hosts have flits, as
        ``dsnswitch verilog`` writes it.
    folder : path or None
        Cache of simulation models. Default: ``models`` next to the manifest.
    optimise : str
        Options of the compiler, as for :func:`~dsnswitch.sim.run.model`.

    Attributes
    ----------
    switches, ports : list
        Addresses of the switches, and names of those ports of a switch that lead to others.
    cycle : int
        Clock cycles that have passed.
    """

    def __init__(self, manifest: str | Path, folder: str | Path | None = None, optimise: str = "-O0"):
        path = Path(manifest)
        self._about = about = json.loads(path.read_text(encoding="utf-8"))
        if about["block"] not in ("switch", "switch-core") or about["node"] is not None:
            raise ValueError(f"A network needs a universal switch or switch core, not {about['top']}")
        if about["parameters"].get("host_interface", "flit") != "flit":
            raise ValueError(f"Hosts of a network need flits, not {about['parameters']['host_interface']}")
        if about["parameters"].get("apb", False):
            raise ValueError("A network reads the state of links from ports: emit the switch with --no-apb")
        self._network = network_of_manifest(about)
        self._format = PacketFormat(about, self._network)
        self._numbers = {port["name"]: port["index"] for port in about["core_ports"] if port["kind"] != "host"}
        self._host_ports = [port for port in about["core_ports"] if port["kind"] == "host"]
        self.ports, self.switches, self.cycle = list(self._numbers), list(self._network.switches()), 0
        verilog, models = path.with_name(about["files"]["verilog"]), Path(folder or path.with_name("models"))
        self._simulation = Simulation(about, verilog, len(self.switches), models, optimise)
        #: By host: destinations and head marks of flits that wait, and flits of the packets that arrive, by channel.
        self._waiting: dict[tuple, deque] = {}
        self._arriving: dict[tuple, list] = {}
        #: By source and destination: cycles in which heads entered the network.
        self._under_way: dict[tuple, deque] = {}
        #: By number of the switch: its dead ports.
        self._dead: dict[int, int] = Counter()
        self._join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def processor_time(self) -> float:
        """Seconds of processor time that the simulation has taken."""
        return self._simulation.processor_time()

    def close(self) -> None:
        """End the simulation."""
        self._simulation.close()

    def send(self, source: tuple, destination: tuple, payload: bytes = b"", cycle: int = 0) -> None:
        """Queue a packet, which may leave from ``cycle`` on. Its ends are ``(switch, number of the host)``, or a switch.

        Raises
        ------
        ValueError
            If the payload is longer than that of the longest packet, or there is no such host.
        """
        source, destination = self._host(source), self._host(destination)
        for place, flit in enumerate(self._format.flits(source, destination, payload)):
            self._simulation.tell("flit", self._hosts[source], cycle, f"{flit:x}")
            self._waiting[source].append((destination, place == 0))

    def replay(self, trace: Iterable[tuple]) -> list[tuple]:
        """Send packets as :attr:`Point.trace` has them, and run until all have arrived. From now on, cycles count from 0.

        Returns :func:`rows` of the packets.
        """
        start, each = self.cycle + 1, len(self._host_ports)
        names = {self._network.number(switch) * each + number: (switch, number) for switch, number in self._waiting}
        numbers = {name: number for number, name in names.items()}
        for cycle, source, destination, flits in sorted(trace, key=lambda row: row[0]):
            payload = bytes(1 + sum(self._format.spaces(flits - 1)) if flits > 1 else 0)
            self.send(names[source], names[destination], payload, start + cycle)
        return sorted(
            (numbers[p.source], numbers[p.destination], p.sent - start, p.received - start, p.tail - start, p.hops)
            for p in self.run()
        )

    def fail(self, switch: tuple, port: str, both: bool = True) -> None:
        """Report the link of a port dead to its switch, and to the one at its other end as well with ``both``.

        Raises
        ------
        ValueError
            If the network has no detours, or there is no such port.
        """
        if self._about["parameters"].get("routing") != "detour":
            raise ValueError("Links fail in a network with detours: emit the switch with --routing detour")
        if port not in self.ports:
            raise ValueError(f"Port must be one of {', '.join(self.ports)}, not {port!r}")
        ends = [(switch, port)]
        if both:
            ends += [end[2:] for end in links(self._about, self._network) if end[:2] == ends[0]]
        for one, name in ends:
            place = self.switches.index(one)
            self._dead[place] |= 1 << self._numbers[name]
            self._simulation.tell("set", place, "dead", f"{self._dead[place]:x}")

    def notices(self) -> Counter:
        """``{counter: count}`` of the notices of all switches."""
        counts: Counter = Counter()
        for place, _ in enumerate(self.switches):
            counts.update(self._fields(place, "notice_counts"))
        return counts

    def run(self) -> list[Packet]:
        """Run until every packet has arrived, or a notice about it; a notice that is lost is counted by :meth:`notices`.

        Returns the packets in the order of their tails.

        Raises
        ------
        TimeoutError
            If packets are missing.
        """
        found, since = [], self.cycle
        while any(self._waiting.values()) or self._missing():
            arrived = self._step(STEP)
            found += arrived
            since = self.cycle if arrived else since
            if self.cycle - since > PATIENCE:
                raise TimeoutError(f"{self._missing()} packets are on their way, and none has arrived for {PATIENCE} cycles")
        return found

    def _missing(self) -> int:
        """Packets on their way; without those whose notice is lost, if nothing else is on its way."""
        missing = sum(map(len, self._under_way.values()))
        return missing - self.notices()["lost_notices"] if missing and "notice" in self._about else missing

    def _host(self, end: tuple) -> tuple:
        host = end if isinstance(end[0], tuple) else (end, 0)
        if host not in self._waiting:
            raise ValueError(f"Host must be a switch of the network, or a switch and a number, not {end!r}")
        return host

    def _join(self) -> None:
        """Cables, hosts, straps, reset; cycles until every link is up."""
        tell, about, network = self._simulation.tell, self._about, self._network
        index = {switch: place for place, switch in enumerate(self.switches)}
        for one, output, other, entry in cables(about, network):
            tell("cable", index[one], output, index[other], entry)
        for switch in self.switches:
            for port in self._host_ports[: network.host_ports(switch, len(self._host_ports))]:
                self._waiting[switch, port["index"]] = deque()
                tell("host", index[switch], port["name"], about["parameters"]["depth"])
            for name, value in straps(about, network, switch).items():
                tell("set", index[switch], name, f"{value:x}")
        self._hosts = {host: number for number, host in enumerate(self._waiting)}
        for level in (1, 0):
            for place in index.values():
                tell("set", place, "rst", level)
            self._step(2)
        if "fabric" in about:
            up = about["fabric"]["states"].index("up")
            ends = {(index[switch], f"{name}_status") for switch, name, _, _ in links(about, network)}
            while not all(self._fields(*end)["state"] == up for end in ends):
                if self.cycle > START:
                    raise TimeoutError(f"Links are not up after {self.cycle} cycles")
                self._step(STEP)

    def _fields(self, place: int, name: str) -> dict[str, int]:
        """The fields of an output of a switch."""
        port, word = (next(port for port in self._about["ports"] if port["name"] == name), self._simulation.get(place, name))
        spans = {field["name"]: field["bits"] for field in port["fields"]}
        return {field: word >> low & (1 << high - low + 1) - 1 for field, (low, high) in spans.items()}

    def _step(self, cycles: int) -> list[Packet]:
        """Run for some cycles; returns the packets that have arrived."""
        events, self.cycle = self._simulation.run(cycles)
        found, names = [], list(self._waiting)
        for kind, number, cycle, *more in events:
            host = names[number]
            if kind == "r":
                found += self._take(host, cycle, *more)
                continue
            destination, is_head = self._waiting[host].popleft()
            if is_head:
                self._under_way.setdefault((host, destination), deque()).append(cycle)
        return found

    def _take(self, host: tuple, cycle: int, channel: int, flit: int) -> list[Packet]:
        """A flit at a host; a list of the packet that it completes."""
        arriving = self._arriving.setdefault((host, channel), [])
        arriving.append((cycle, flit))
        if not self._format.is_tail(flit):
            return []
        del self._arriving[host, channel]
        packet = self._format.read([flit for _, flit in arriving])
        source, destination, more = packet.source, host, {}
        if packet.unreached is not None:
            source, destination, more = host, packet.unreached, {"reported_by": source[0]}
        elif packet.undeliverable:
            destination, more = packet.destination, {"left_at": host[0]}
        under_way = self._under_way.get((source, destination))
        if not under_way:
            raise RuntimeError(f"A packet from {source} to {destination} has arrived that no host has sent")
        times = under_way.popleft(), arriving[0][0], cycle
        return [Packet(source, destination, packet.payload, *times, packet.hops, packet.bad, **more)]
