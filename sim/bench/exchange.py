"""Sends items through a block's streams and gathers what comes out, with random stalls on both sides."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

__all__ = ["exchange", "start"]


async def start(dut):
    """Clock of 10 ns, and a reset of two cycles. Ends at a falling edge."""
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start(start_high=False))
    dut.rst.value = 1
    for _ in range(2):
        await FallingEdge(dut.clk)
    dut.rst.value = 0


async def exchange(dut, items, count, i="i", o="o", stall=0.0, seed=1, watch=None):
    """``[(payload, cycle)]`` of ``count`` transfers out of stream ``o`` while ``items`` go into ``i``, in order.

    Parameters
    ----------
    items : sequence of int
        Payloads; ``cycle`` of an output counts from the cycle of the first transfer in, or from the start without one.
    stall : float
        Probability with which an item is not offered, and with which an output is not taken, in a cycle.
    watch : callable
        Called in every cycle, before the clock edge.

    It fails if nothing moves for 1000 cycles, if a payload that waits changes, or if an item is left over.
    """
    rng, waiting, out = random.Random(seed), list(reversed(items)), []
    valid, ready, payload = (getattr(dut, f"{i}__{name}") for name in ("valid", "ready", "payload"))
    out_valid, out_ready, out_payload = (getattr(dut, f"{o}__{name}") for name in ("valid", "ready", "payload"))
    offered, held, cycle, first, quiet = False, None, 0, None, 0
    while len(out) < count or waiting:
        # An item that is offered stays so until it is taken.
        offered = bool(waiting) and (offered or rng.random() >= stall)
        valid.value = offered
        if offered:
            payload.value = waiting[-1]
        takes = rng.random() >= stall
        out_ready.value = takes
        await Timer(1, unit="ns")
        if watch:
            watch()
        quiet += 1
        if out_valid.value:
            found = int(out_payload.value)
            assert held in (None, found), "a payload changed while it waited"
            held = None if takes else found
            if takes:
                out.append((found, cycle))
                quiet = 0
        else:
            assert held is None, "a payload that waited is gone"
        if offered and ready.value:
            waiting.pop()
            offered, quiet = False, 0
            first = cycle if first is None else first
        assert quiet < 1000, f"nothing moves; {len(out)} of {count} came out, {len(waiting)} wait"
        await FallingEdge(dut.clk)
        cycle += 1
    valid.value, out_ready.value = 0, 0
    return [(found, at - (first or 0)) for found, at in out]
