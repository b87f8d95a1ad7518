"""Check of a link's receiver: its counters can be cleared."""

from dsnswitch.sim.bench.drivers.lockstep import lockstep

__all__ = ["clear"]

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
