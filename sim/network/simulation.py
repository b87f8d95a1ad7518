"""The process that simulates the switches of a network. ``program.cpp`` describes its commands."""

import subprocess
from pathlib import Path

from dsnswitch.sim.model import model

__all__ = ["Simulation"]


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
