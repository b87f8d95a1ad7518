"""A universal switch core for simulations: read from Verilog, mapped, compiled and loaded."""

import ctypes
import json
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from dsnswitch.net.files.parameters import SIZES
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.registry import TWO_STAGE, UGAL
from dsnswitch.net.tables.compile import Tables
from dsnswitch.net.topology.network import Network
from dsnswitch.net.topology.registry import network_of_manifest
from dsnswitch.sim.network.compile.compiler import checked_form
from dsnswitch.sim.network.compile.generate import compiled
from dsnswitch.sim.network.engine.runtime import functions

__all__ = ["Core"]

#: Outputs of a port of the core.
OUTPUTS = ("rx_credit", "tx_valid", "tx_flit")


class Core:
    """A universal switch core, ready to run: read from Verilog, mapped, compiled and loaded. Results are cached by content.

    Parameters
    ----------
    manifest : path
        Manifest of a universal ``switch-core``, as ``dsnswitch verilog --block switch-core`` writes it, next to its Verilog.
    isa : str or None
        ``avx512``, ``generic`` (any vectors that the compiler can use, without AVX-512), or None for this machine's best.
    watch : callable
        Called with a text at the beginning of each stage that takes time: ``mapping``, ``compiling``.
    network : Network or None
        One size of a core whose sizes are inputs; None for the network of the manifest, which is then the largest one.

    Raises
    ------
    UsageError
        If the manifest is not that of a universal switch core, if pyosys or a C++ compiler is missing, or if the machine
        lacks the instructions of ``isa``.

    Attributes
    ----------
    manifest : dict
    network : Network
        The network of the manifest, or the size that was chosen.
    hosts : int
        Places of hosts: the host ports of a core times the switches.
    present : array of bool
        By place: whether a host is there.
    isa : str
        The form that was chosen.
    luts, flip_flops, ram_bits : int
        Size of the netlist.
    port_cycles : int
        Cycles of a port and the line together, without the delay of a link; the strict link may take up to 2 more.
    credit_cycles : int
        Cycles that credits need at most to return when all packets have arrived, without the delay of a link.
    verilog : Path
    """

    #: The block that it simulates, and whether its links must come up first.
    block, has_links = "switch-core", False

    def __init__(self, manifest, isa=None, watch=lambda stage: None, network=None):
        path = Path(manifest)
        try:
            self.manifest = about = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"Manifest {path} cannot be read: {error}") from None
        if not isinstance(about, dict) or about.get("block") != self.block or about.get("node") is not None:
            raise UsageError(f"A simulation needs the manifest of a universal {self.block}, not {path}")
        if "state" not in about:
            raise UsageError(f"Manifest {path} does not state the registers of the core: emit it again")
        self.check(about)
        self._fabric = fabric = about.get("fabric")
        self.port_cycles = fabric["tx_latency_cycles"] + fabric["rx_latency_cycles"] if fabric else 0
        self.credit_cycles = 64 + 2 * self.port_cycles if fabric else 16
        self.isa = checked_form(isa)
        self.largest = network_of_manifest(about)
        inputs = [port for port in about["ports"] if port["direction"] == "input"]
        static = {port["name"] for port in inputs if port["static"]}
        self.verilog = path.with_name(about["files"]["verilog"])
        tied = self.tied(about)
        library, self.layout = compiled(self.verilog, about["top"], static, tied, self.isa, watch)
        self._library = ctypes.CDLL(str(library))
        self.runtime = functions(self.isa, watch)
        self.static = static
        self.links = [port for port in about["core_ports"] if port["kind"] != "host"]
        self.host_ports = [port for port in about["core_ports"] if port["kind"] == "host"]
        self._choose(network or self.largest)
        self.luts, self.ram_bits, self.flip_flops = self.layout.luts, self.layout.ram_bits, self.layout.flops

    def of(self, network: Network) -> Self:
        """The same core for networks of another size. Its sizes must be inputs."""
        found = copy(self)
        found.__dict__.pop("cables", None)
        found._choose(network)
        return found

    def _choose(self, network):
        """Take a network: the largest one, or one of its other sizes."""
        largest, is_sized = self.largest, any(name.startswith("size_") for name in self.layout.inputs)

        def kind(one):
            return {key: value for key, value in one.parameters.items() if not is_sized or key not in SIZES}

        fits = all(field.size <= most.size for field, most in zip(network.fields, largest.fields))
        if kind(network) != kind(largest) or not fits:
            raise UsageError(f"This core serves {'sizes of ' * is_sized}{largest.spelling}, not {network.spelling}")
        self.network = network
        most = len(self.host_ports)
        self.hosts = network.nodes * most
        counts = [network.host_ports(switch, most) for switch in map(network.switch, range(network.nodes))]
        self.present = (np.arange(most) < np.array(counts)[:, None]).ravel()
        numbers = {port["name"]: number for number, port in enumerate(self.links)}
        #: Number of the core's port by the index of the network's: a network may have fewer ports than the largest one.
        self.link_of = [numbers[port.name.replace(" ", "_")] for port in network.ports]

    def check(self, about: dict[str, Any]) -> None:
        """Raise :class:`UsageError` if a switch with this manifest cannot be simulated."""

    def tied(self, about: dict[str, Any]) -> set[str]:
        """Input ports that are always 0."""
        stalls = {f"{port['name']}_stall" for port in about["core_ports"]}
        return stalls | {about["clock"]["port"], about["reset"]["port"]}

    def straps(self, switch: tuple[int, ...]) -> dict[str, int]:
        """``{port: value}`` of the constant inputs of a switch."""
        values = {f"own_{field.name}": value for field, value in zip(self.network.fields, switch)}
        values |= {f"size_{field.name}": field.size for field in self.network.fields}
        # Without a line every flit counts.
        values |= {f"{port['name']}_confirmed": 1 for port in self.links}
        values |= self.service()
        return {name: value for name, value in values.items() if name in self.layout.inputs}

    def service(self, weights: str | None = None, priorities: str | None = None) -> dict[str, int]:
        """``{port: value}`` of the inputs with weights and levels, spelt as the options; by default those of the core."""
        about, found = self.manifest["parameters"], {}
        given = {"weights": weights or about.get("weights"), "levels": priorities or about.get("priorities")}
        values = {kind: [int(word) for word in spelt.split("/")] for kind, spelt in given.items() if spelt}
        for port in self.manifest["ports"]:
            if port["role"] == "virtual-network-service":
                fields = [(*field["name"].split("."), field["bits"][0]) for field in port["fields"]]
                found[port["name"]] = sum(values[kind][int(n)] << low for kind, n, low in fields if kind in values)
        return found

    def wires(self, port: dict[str, Any]) -> tuple[list[int], list[int]]:
        """``(rows of outputs, rows of inputs)`` of a port to another switch: output k drives input k at the other end."""
        parts = (("tx_valid", "rx_valid"), ("rx_credit", "tx_credit"), ("tx_flit", "rx_flit"))
        return self.registers(*([row for pair in parts for row in self._port_rows(f"{port['name']}_{pair[k]}")] for k in (0, 1)))

    def registers(self, outputs: list[int], inputs: list[int]) -> tuple[list[int], list[int]]:
        """The wires of a port, if all outputs are registers.

        Raises
        ------
        UsageError
            If one is not.
        """
        if set(outputs) & set(self.layout.shown):
            raise UsageError("All outputs of a simulated switch to others must be registers")
        return outputs, inputs

    @property
    def step(self) -> ctypes.c_void_p:
        """Address of the function of one cycle."""
        return ctypes.cast(self._library.core_step, ctypes.c_void_p)

    def settle(self, rows: int) -> None:
        """Evaluate the logic that depends on straps alone. ``rows`` is the address of a word's rows."""
        self._library.core_settle(ctypes.c_void_p(rows))

    def check_hops(self, tables: Tables) -> None:
        """Raise a :class:`UsageError` if compiled tables have a route of more switches than a header can count."""
        first, last = next(field["bits"] for field in self.manifest["header"] if field["name"] == "hops")
        most = (1 << last - first + 1) - 2
        longest = 0 if tables.routing == "given" else int(np.flatnonzero(tables.walked.hops).max(initial=0))
        longest *= 1 + (self.manifest["parameters"].get("routing") in TWO_STAGE)
        if longest > most:
            raise UsageError(f"Tables have routes of {longest} links, but a header of this core counts at most {most}")

    def advance(self, rows: int, parity: int) -> None:
        """Evaluate one cycle of a word. ``rows`` is the address of its rows, ``parity`` the set of flip-flops with its state."""
        self._library.core_step(ctypes.c_void_p(rows), ctypes.c_int(parity))

    def rows(self, part: str) -> np.ndarray:
        """Rows of ``<port>_<part>`` of all ports, ``[port][bit]``; links before hosts, -1 where a port has fewer bits."""
        found = [self._port_rows(f"{port['name']}_{part}") for port in (*self.links, *self.host_ports)]
        width = max(map(len, found))
        return np.array([row + [-1] * (width - len(row)) for row in found], dtype=np.int32)

    def _port_rows(self, name):
        """Rows of a port, none if there is no such port."""
        return self.layout.inputs.get(name) or self.layout.outputs.get(name, [])

    def leaves(self, port: dict[str, Any]) -> list[int]:
        """Rows of the registers that say that a flit leaves by a port to another switch, by channel."""
        return self._port_rows(f"{port['name']}_tx_valid")

    def channels(self, port: dict[str, Any]) -> int:
        """Channels of a port whose flits and credits are at the ports of the top."""
        return port["channels"] if self._port_rows(f"{port['name']}_rx_valid") else 0

    def most(self, port: dict[str, Any]) -> int:
        """Most flits in the buffer of a channel of a port."""
        shares = port.get("virtual_networks", [port])
        return max(share.get("channel_flits", self.manifest["parameters"]["depth"]) for share in shares)

    def host_credits(self, port: dict[str, Any]) -> int:
        """Credits with which the host of a port begins, per channel: those that do not depend on its other channels."""
        has_pool = port.get("pool") or "virtual_networks" in port
        return self.manifest["parameters"]["depth"] if has_pool else self.most(port)

    @property
    def host_channels(self) -> list[int]:
        """Channels of each virtual network at a host."""
        port = self.host_ports[0]
        return [share["channels"] for share in port.get("virtual_networks", [port])]

    @cached_property
    def credits(self) -> list[tuple[int, str, int, bool]]:
        """``[(row, port, channel, value)]`` of the flip-flops that count an output's credits, with their values after a reset."""
        start = set(self.layout.start)
        return [
            (row, state["port"], channel, row in start)
            for state in self.manifest["state"]
            for channel, names in enumerate(state["channels"])
            for row in self.register(names["credits"])
        ]

    def register(self, name: str) -> list[int]:
        """Rows of a register that the manifest names; none of its bits that are constant.

        Raises
        ------
        UsageError
            If the Verilog has no such register.
        """
        if name not in self.layout.registers:
            raise UsageError(f"{self.verilog} has no register {name}, which its manifest states")
        return [row for row in self.layout.registers[name] if row >= 0]

    @cached_property
    def events(self) -> list[tuple[str, int, int]]:
        """``[(name, bit, row)]`` of the outputs that report events."""
        ports = {f"{port['name']}_{part}" for port in self.manifest["core_ports"] for part in OUTPUTS}
        names = [name for name in self.layout.outputs if name not in ports]
        return [(name, bit, row) for name in names for bit, row in enumerate(self.layout.outputs[name])]

    def event_text(self, number: int) -> str:
        """What an event means."""
        name, bit, _ = self.events[number]
        return f"the switch reports {name} at port {self.manifest['core_ports'][bit]['name']}"

    @property
    def latency(self) -> int:
        """Cycles from a head at an input to the same head at an output, at zero load."""
        return self.manifest["latency_cycles"] - self.port_cycles

    @property
    def source_cycles(self) -> int:
        """Cycles more for a head from a host: where it chooses by the load of outputs, its routing takes a cycle."""
        parameters = self.manifest["parameters"]
        if parameters.get("routing") == UGAL:
            return 1
        return int(parameters.get("digits", False) and not parameters.get("register", False))

    def channel_limit(self, delay: int | dict) -> float:
        """Flits per cycle that a channel of the longest link carries at most: those of its buffer until a credit is back.

        ``delay`` is that of a :class:`~dsnswitch.sim.network.engine.points.Point`.
        """
        longest = max(delay.values(), default=0) if isinstance(delay, dict) else delay
        return self.manifest["parameters"]["depth"] / (2 * longest + self.credit_loop)

    @property
    def credit_loop(self) -> int:
        """Least cycles from a flit on a link without delay until its credit may be spent again."""
        return self._fabric["full_rate_depth"] if self._fabric else self.latency

    @cached_property
    def cables(self) -> tuple[np.ndarray, np.ndarray]:
        """``(from switch, from port)`` of every input port of every switch, ``[switch][port]``; -1 without a link."""
        network, count = self.network, len(self.links)
        switches, ports = np.full((network.nodes, count), -1, np.int32), np.full((network.nodes, count), -1, np.int32)
        for switch in network.switches():
            number = network.number(switch)
            for index, port in enumerate(self.link_of):
                end = network.neighbour(switch, index)
                if end is not None:
                    switches[number, port], ports[number, port] = network.number(end[0]), self.link_of[end[1]]
        return switches, ports
