"""Feeds a block one input a cycle and gathers what comes out after its latency."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

__all__ = ["run_through"]


async def run_through(dut, manifest, inputs, drive, sample):
    """``sample(dut)`` for each of ``inputs``, as far behind ``drive(dut, input)`` as the manifest says.

    Without a clock an input settles for a nanosecond. With one, inputs change at the falling edge, after a reset.
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
