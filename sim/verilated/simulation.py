"""The process that simulates the switches of a network. ``program.cpp`` describes its commands."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from dsnswitch.sim.golden.core.core import HeaderFormat
from dsnswitch.sim.golden.fec.crc32c import PacketCheck
from dsnswitch.sim.run import model


class Simulation:
    """Instances of one top, with cables and hosts. Ports are given by their names.

    Parameters
    ----------
    manifest : dict
        Manifest of the top.
    verilog : path
    instances : int
    folder : path
        Cache of simulation models.
    """

    def __init__(self, manifest, verilog, instances, folder):
        self._numbers = {port["name"]: number for number, port in enumerate(manifest["ports"])}
        program = Path(__file__).with_name("program.cpp").read_text(encoding="utf-8")
        built = model(verilog, manifest["top"], folder, program=f"{self._ports()}\n{program}")
        words = [built, str(instances)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _ports(self):
        """C++ that gives the program every port of a top by its number."""
        cases = "".join(
            f"        case {number}: return {{&top.{name}, sizeof top.{name}}};\n"
            for name, number in self._numbers.items()
        )
        return f"""#include "Vtop.h"

struct Port {{
    void* data;
    size_t size;
}};

static Port port(Vtop& top, size_t number) {{
    switch (number) {{
{cases}    }}
    std::abort();
}}
"""

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def set(self, instance, port, value):
        """Give an input a value."""
        self._tell("set", instance, self._numbers[port], f"{value:x}")

    def get(self, instance, port):
        """The value of a port."""
        self._tell("get", instance, self._numbers[port])
        return int(self._answer(), 16)

    def cable(self, one, output, other, entry):
        """An output of instance ``one`` drives the input ``entry`` of instance ``other``."""
        self._tell("cable", one, self._numbers[output], other, self._numbers[entry])

    def host(self, instance, ports, credits):
        """A host at six ports of an instance: valid, flit and credit of ``rx``, then of ``tx``. Hosts have numbers from 0."""
        self._tell("host", instance, *(self._numbers[port] for port in ports), credits)

    def flit(self, host, word):
        """Queue a flit at a host."""
        self._tell("flit", host, f"{word:x}")

    def run(self, cycles):
        """Run; returns the events, ``("s", host, cycle)`` for a sent flit and ``("r", host, cycle, channel, word)`` for a
        received one, and the number of the cycle.
        """
        self._tell("run", cycles)
        events = []
        while True:
            kind, *words = self._answer().split()
            if kind == ".":
                return events, int(words[0])
            numbers = [int(word) for word in words[:3]]
            events.append((kind, *numbers, *(int(word, 16) for word in words[3:])))

    def _tell(self, *words):
        self._process.stdin.write(" ".join(map(str, words)) + "\n")

    def _answer(self):
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("The simulation has ended before its answer")
        return line


# Packets as flits, by the manifest of a switch: header, payload and marks.

#: Bits of a head flit that a fabric port carries.
HEAD = 184


@dataclass(frozen=True)
class Contents:
    """What the flits of a packet say.

    Attributes
    ----------
    source, destination : tuple
        ``(switch, number of the host)``.
    payload : bytes
    hops : int
    bad, undeliverable : bool
        Marks of the packet.
    unreached : tuple or None
        Of a notice: the destination that could not be reached.
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

    Attributes
    ----------
    most : int
        Bytes of the longest payload.
    """

    def __init__(self, manifest, network):
        parameters = manifest["parameters"]
        self._header = HeaderFormat.of(manifest)
        self._names = [field.name for field in network.fields]
        self._notice = {field["name"]: field["bits"] for field in manifest.get("notice", ())}
        self._flit, self._start = parameters["flit"], self._header.fields["check"][1] + 1
        head = min(self._flit, HEAD) if "switch_ports" in manifest else self._flit
        self._first, self._each = (head - self._start) // 8, self._flit // 8
        self._check, self._longest = PacketCheck.of(manifest), parameters["packet"]
        self.most = sum(self._spaces(self._longest))

    def _spaces(self, flits):
        """Bytes of payload in each flit of a packet."""
        spaces = [self._first, *[self._each] * (flits - 1)]
        place = self._check.place(flits) if self._check else None
        if place is not None:
            spaces[-1] = (place - (self._start if flits == 1 else 0)) // 8
        return spaces

    def flits(self, source, destination, payload):
        """Flits of a packet between two hosts ``(switch, number)``.

        Raises
        ------
        ValueError
            If the payload is too long.
        """
        if len(payload) > self.most:
            raise ValueError(f"Payload must have at most {self.most} bytes, not {len(payload)}")
        flits = next(flits for flits in range(1, self._longest + 1) if sum(self._spaces(flits)) >= len(payload))
        words, rest = [], payload
        for space in self._spaces(flits):
            words.append(int.from_bytes(rest[:space], "little"))
            rest = rest[space:]
        values = self._address("source", source) | self._address("destination", destination) | {"length": len(words)}
        values = {name: value for name, value in values.items() if name in self._header.fields}
        words[0] = self._header.pack(values) | words[0] << self._start
        return [
            word | (int(place == 0) | int(place == len(words) - 1) << 1) << self._flit
            for place, word in enumerate(words)
        ]

    def _address(self, end, host):
        switch, number = host
        return {f"{end}.{name}": value for name, value in zip(self._names, switch)} | {f"{end}.host": number}

    def is_tail(self, flit):
        """Whether a flit is the last of its packet."""
        return bool(flit >> self._flit + 1 & 1)

    def read(self, flits):
        """The :class:`Contents` of the flits of a packet."""
        data = [flit & (1 << self._flit) - 1 for flit in flits]
        values = self._header.read(data[0])
        parts = zip([data[0] >> self._start, *data[1:]], self._spaces(len(data)))
        payload = b"".join((word & (1 << 8 * space) - 1).to_bytes(space, "little") for word, space in parts)
        unreached = None
        if values.get("flags.notice"):
            bits = {name: data[0] >> low & (1 << high - low + 1) - 1 for name, (low, high) in self._notice.items()}
            unreached = self._host(bits, "destination")
        return Contents(
            self._host(values, "source"),
            self._host(values, "destination"),
            payload,
            values["hops"],
            bool(flits[-1] >> self._flit + 2 & 1),
            bool(values.get("flags.undeliverable")),
            unreached,
        )

    def _host(self, values, end):
        """``(switch, number of the host)`` of an address."""
        return tuple(values.get(f"{end}.{name}", 0) for name in self._names), values.get(f"{end}.host", 0)
