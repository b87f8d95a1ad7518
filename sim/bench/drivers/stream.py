"""Driver of blocks without a handshake: one input per cycle, and its output after the block's latency."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

__all__ = ["run_through"]


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
