"""A decoder that feeds itself random words: how many it corrects.

Parameters: ``codewords``, ``beats`` of one, ``least`` and ``most`` of them corrected. The clock runs in the simulator, and
Python looks at the counters at the end, so that millions of words take minutes.
"""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Timer

from .drivers.parameters import load

PARAMETERS, PERIOD = load(), 10


@cocotb.test()
async def decodes_as_often_as_theory_says(dut):
    dut.rst.value = 1
    Clock(dut.clk, PERIOD, unit="ns", impl="gpi").start()
    await Timer(2 * PERIOD, "ns")
    dut.rst.value = 0
    # The last codeword has to come out, too.
    await Timer((PARAMETERS["codewords"] + 12) * PARAMETERS["beats"] * PERIOD, "ns")
    codewords, corrected, uncorrectable, symbols = (
        int(getattr(dut, name).value) for name in ("codewords", "corrected", "uncorrectable", "symbol_errors")
    )
    dut._log.info(f"{codewords} words, {corrected} corrected, {symbols} symbols, {uncorrectable} uncorrectable")
    assert codewords >= PARAMETERS["codewords"]
    assert PARAMETERS["least"] <= corrected <= PARAMETERS["most"]
    # What is neither was a codeword as it came; none of a large code ever is.
    assert codewords - corrected - uncorrectable <= PARAMETERS["clean"]
