"""The process that simulates the switches of a network. ``program.cpp`` describes its commands."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsnswitch.net.topology.network import Network
from dsnswitch.sim.golden.core.core import HeaderFormat
from dsnswitch.sim.golden.fec.crc32c import PacketCheck
from dsnswitch.sim.run import model

#: C++ before the program: the ports of a switch by their names.
PORTS = """#include "Vtop.h"
#include <map>
#include <string>
#include <vector>
struct Port { unsigned char* data; size_t size; };
static std::map<std::string, Port> ports(Vtop& top) { return {
"""


class Simulation:
    """Instances of the top of a manifest, with cables and hosts. Ports are given by their names.

    ``folder`` is a cache of simulation models, which are compiled with the options ``optimise``.
    """

    def __init__(self, manifest: dict[str, Any], verilog: Path, instances: int, folder: Path, optimise: str = "-O0"):
        names = [port["name"] for port in manifest["ports"]]
        ports = "".join(f'{{"{name}", {{(unsigned char*)&top.{name}, sizeof top.{name}}}}},\n' for name in names)
        program = Path(__file__).with_name("program.cpp").read_text(encoding="utf-8")
        built = model(verilog, manifest["top"], folder, optimise=optimise, program=f"{PORTS}{ports}}}; }}\n{program}")
        words = [built, str(instances)]
        self._process: Any = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def tell(self, *words: object) -> None:
        """Give a command that has no answer."""
        self._process.stdin.write(" ".join(map(str, words)) + "\n")

    def get(self, instance: int, port: str) -> int:
        """The value of a port."""
        self.tell("get", instance, port)
        return int(self._answer(), 16)

    def processor_time(self) -> float:
        """Seconds of processor time that the process has taken."""
        self.tell("time", 0)
        return float(self._answer())

    def run(self, cycles: int) -> tuple[list[tuple], int]:
        """Run; returns the events and the number of the cycle.

        An event is ``("s", host, cycle)`` for a sent flit and ``("r", host, cycle, channel, word)`` for a received one.
        """
        self.tell("run", cycles)
        events: list[tuple] = []
        while (words := self._answer().split())[0] != ".":
            events.append((words[0], *map(int, words[1:4]), *(int(word, 16) for word in words[4:])))
        return events, int(words[1])

    def _answer(self) -> str:
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("The simulation has ended before its answer")
        return line


@dataclass(frozen=True)
class Contents:
    """What the flits of a packet say: its ends ``(switch, number of the host)``, payload and marks.

    ``unreached`` is, of a notice, the destination that could not be reached.
    """

    source: tuple
    destination: tuple
    payload: bytes
    hops: int
    bad: bool
    undeliverable: bool
    unreached: tuple | None


class PacketFormat:
    """Makes flits of packets, and reads them. A flit is a number: data, then the marks head, tail and bad.

    The payload fills whole bytes: first those of the head flit after its header, then those of the other flits, without the bits
    that the switch overwrites with the end-to-end check.
    """

    def __init__(self, manifest: dict[str, Any], network: Network):
        parameters = manifest["parameters"]
        self._header = HeaderFormat.of(manifest)
        self._names = [field.name for field in network.fields]
        self._notice = {field["name"]: field["bits"] for field in manifest.get("notice", ())}
        self._flit, self._start = parameters["flit"], self._header.fields["check"][1] + 1
        head = min(self._flit, manifest["fabric"]["head_bits"]) if "fabric" in manifest else self._flit
        self._first, self._each = (head - self._start) // 8, self._flit // 8
        self._check, self._longest = PacketCheck.of(manifest), parameters["packet"]

    def spaces(self, flits: int) -> list[int]:
        """Bytes of payload in each flit of a packet."""
        spaces = [self._first, *[self._each] * (flits - 1)]
        place = self._check.place(flits) if self._check else None
        if place is not None:
            spaces[-1] = (place - (self._start if flits == 1 else 0)) // 8
        return spaces

    def flits(self, source: tuple, destination: tuple, payload: bytes) -> list[int]:
        """Flits of a packet between two hosts ``(switch, number)``; a :class:`ValueError` if the payload is too long."""
        most = sum(self.spaces(self._longest))
        if len(payload) > most:
            raise ValueError(f"Payload must have at most {most} bytes, not {len(payload)}")
        flits = next(flits for flits in range(1, self._longest + 1) if sum(self.spaces(flits)) >= len(payload))
        words, rest = [], payload
        for space in self.spaces(flits):
            words.append(int.from_bytes(rest[:space], "little"))
            rest = rest[space:]
        values = self._address("source", source) | self._address("destination", destination) | {"length": flits}
        values = {name: value for name, value in values.items() if name in self._header.fields}
        words[0] = self._header.pack(values) | words[0] << self._start
        words[0] |= 1 << self._flit
        words[-1] |= 2 << self._flit
        return words

    def _address(self, end: str, host: tuple) -> dict[str, int]:
        switch, number = host
        return {f"{end}.{name}": value for name, value in zip(self._names, switch)} | {f"{end}.host": number}

    def is_tail(self, flit: int) -> bool:
        """Whether a flit is the last of its packet."""
        return bool(flit >> self._flit + 1 & 1)

    def read(self, flits: list[int]) -> Contents:
        """The contents of the flits of a packet."""
        data = [flit & (1 << self._flit) - 1 for flit in flits]
        values = self._header.read(data[0])
        parts = zip([data[0] >> self._start, *data[1:]], self.spaces(len(data)))
        payload = b"".join((word & (1 << 8 * space) - 1).to_bytes(space, "little") for word, space in parts)
        notice = {name: data[0] >> low & (1 << high - low + 1) - 1 for name, (low, high) in self._notice.items()}
        return Contents(
            self._host(values, "source"),
            self._host(values, "destination"),
            payload,
            values["hops"],
            bool(flits[-1] >> self._flit + 2 & 1),
            bool(values.get("flags.undeliverable")),
            self._host(notice, "destination") if values.get("flags.notice") else None,
        )

    def _host(self, values, end: str) -> tuple:
        """``(switch, number of the host)`` of an address."""
        return tuple(values.get(f"{end}.{name}", 0) for name in self._names), values.get(f"{end}.host", 0)
