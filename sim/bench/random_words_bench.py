"""Bench of a decoder with a built-in source of random words: the number of words that it corrects.

Parameters: ``codewords``, ``beats`` per codeword, bounds ``least`` and ``most`` of the number of corrected codewords,
``clean``. The simulator makes the clock, and Python reads only the final counters, so that millions of words take minutes.
"""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Timer

from dsnswitch.sim.bench.drivers.given import PARAMETERS

PERIOD = 10


@cocotb.test()
async def decodes_as_often_as_theory_says(dut):
    dut.rst.value = 1
    Clock(dut.clk, PERIOD, unit="ns", impl="gpi").start()
    await Timer(2 * PERIOD, "ns")
    dut.rst.value = 0
    # Time for the last codeword to leave the decoder.
    await Timer((PARAMETERS["codewords"] + 12) * PARAMETERS["beats"] * PERIOD, "ns")
    codewords, corrected, uncorrectable, symbols = (
        int(getattr(dut, name).value) for name in ("codewords", "corrected", "uncorrectable", "symbol_errors")
    )
    dut._log.info(f"{codewords} words, {corrected} corrected, {symbols} symbols, {uncorrectable} uncorrectable")
    assert codewords >= PARAMETERS["codewords"]
    assert PARAMETERS["least"] <= corrected <= PARAMETERS["most"]
    # The other words were codewords as received. With a large code this does not happen in practice.
    assert codewords - corrected - uncorrectable <= PARAMETERS["clean"]
