"""A core that loses credits: the line's port notices it, at a switch or at the other end of its line.

Parameters: as in :mod:`registers_bench`.
"""

from collections import deque

import cocotb

from dsnswitch.sim.bench.registers_bench import HOSTS, LINES, MANIFEST, PARAMETERS, PORTS, begin


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


@cocotb.test()
async def far_credits_are_lost(dut):
    """The core at the other end of a line loses a credit: the link starts again once, and all credits return."""
    traffic, switch = await begin(dut)
    for line in LINES:
        number, name = PORTS.index(line), line["name"]
        far, receiver, empty = switch._far[name], switch.receivers[number], getattr(dut, f"{name}_far_core_empty")

        async def is_empty(empty=empty, channels=line["channels"]):
            """The core says long enough that its buffers are empty."""
            empty.value = (1 << channels) - 1
            await switch.run(200)
            empty.value = 0

        for loses in (True, False):
            for host in HOSTS:
                for _ in range(PARAMETERS["packets"]):
                    switch.senders[host].queues[0].append(deque(traffic.packet(host, number, traffic.longest)))
            receiver.blocked = set(range(line["channels"])) if loses else set()
            await switch.run(60)
            held = [flits for flits in receiver.full if flits]
            assert bool(held) == loses
            for flits in held:
                flits.popleft()
            receiver.blocked = set()
            await switch.drain()
            assert far.counters()["lost_credits"] == 1 - loses
            await is_empty()
            await switch.links_up()
            assert {far.counters()[counter] for counter in ("lost_credits", "restarts")} == {1}
