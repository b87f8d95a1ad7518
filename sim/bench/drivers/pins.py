"""Access to the ports of a top by name, which costs less than by attribute in every cycle."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

from dsnswitch.sim.bench.drivers.lockstep import lockstep


class Pins:
    """The ports of ``dut`` whose names begin with ``prefix``. A value that an input has is not written again."""

    def __init__(self, dut, prefix=""):
        self._dut, self._prefix, self._handles, self._driven = dut, prefix, {}, {}

    def get(self, name):
        """The value of a port."""
        return int(self._handle(name).value)

    def put(self, name, value):
        """Drive an input, which nothing else drives."""
        if self._driven.get(name) != value:
            self._driven[name] = value
            self._handle(name).value = value

    def _handle(self, name):
        if name not in self._handles:
            self._handles[name] = getattr(self._dut, self._prefix + name)
        return self._handles[name]


def numbers(bits):
    """Integers of rows of bits; bit i is in column i."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(bits, axis=1, bitorder="little")]


# Check of a link's receiver: its counters can be cleared.

#: Cycles in which a receiver without words at its input becomes empty.
EMPTY = 150


async def clear(dut, manifest):
    """Check that ``rx_clear`` sets every counter to 0, at least one of which is not 0 before."""
    counters = [getattr(dut, port["name"]) for port in manifest["ports"] if port["role"] == "counter"]
    assert any(int(counter.value) for counter in counters)
    dut.rx_i_valid.value, dut.rx_o_ready.value, dut.rx_clear.value = 0, 1, 1
    await lockstep(dut, [], iter([False] * EMPTY + [True]).__next__)
    dut.rx_clear.value = 0
    await lockstep(dut, [], iter([False, False, True]).__next__)
    found = {counter._name: int(counter.value) for counter in counters}
    assert not any(found.values()), found


def load():
    """Parameters of this run, as a dictionary."""
    return json.loads(os.environ["DSNSWITCH_BENCH"])


def load_manifest():
    """Manifest of the top under test, from the path in the parameter ``manifest``."""
    return json.loads(Path(load()["manifest"]).read_text(encoding="utf-8"))


def code_of(manifest):
    """The SECDED code that a manifest states, as the golden model takes it."""
    code = manifest["code"]
    return SimpleNamespace(n=code["n"], k=code["k"], r=code["n"] - code["k"], columns=code["columns"])


async def run_through(dut, manifest, inputs, drive, sample):
    """Call ``drive(dut, input)`` for each of ``inputs``; return ``sample(dut)`` for each, after the latency of the manifest.

    Without a clock each input settles for a nanosecond. With a clock there is a reset, then inputs change at the falling
    edge.
    """
    latency = manifest["latency_cycles"]
    outputs = []
    if manifest["clock"] is None:
        for value in inputs:
            drive(dut, value)
            await Timer(1, unit="ns")
            outputs.append(sample(dut))
        return outputs
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start(start_high=False))
    dut.rst.value = 1
    for _ in range(2):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    for cycle, value in enumerate([*inputs, *[inputs[-1]] * (latency - 1)], start=1):
        drive(dut, value)
        await FallingEdge(dut.clk)
        if cycle >= latency:
            outputs.append(sample(dut))
    return outputs
