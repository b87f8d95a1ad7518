"""A switch with registers whose core loses credits: the line's port notices it. Parameters: as in :mod:`.registers_bench`."""

from collections import deque

import cocotb

from .registers_bench import HOSTS, MANIFEST, PARAMETERS, PORTS, begin


@cocotb.test()
async def credits_are_lost(dut):
    """A core that loses one credit of each channel of its lines: the links start again, and every sender has its credits."""
    traffic, switch = await begin(dut)
    for number, port in enumerate(PORTS):
        if number in HOSTS:
            continue
        for queue in switch.senders[number].queues:
            for _ in range(PARAMETERS["packets"]):
                queue.append(deque(traffic.packet(number, HOSTS[0], traffic.longest)))
        await switch.drain()
        await switch.links_up()
        assert await switch.read(f"{port['name']}.lost_credits") == 1
        assert await switch.read(f"{port['name']}.restarts") == 1
        assert not await switch.field(f"{port['name']}.link", "differs_address")
    assert all(credits == MANIFEST["parameters"]["depth"] for s in switch.senders for credits in s.credits)
