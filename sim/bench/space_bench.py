"""Hosts of one switch on AXI4-Stream with several virtual networks, where a host has no space for some of them.

A switch begins no packet for which the host has no space, and one that waits stops no other virtual network. Parameters: as of
``host_bench``.
"""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from dsnswitch.sim.bench.drivers.axi_hosts import HOSTS, LONGEST, MOST, Hosts, address_of, once, words_of
from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS

NETWORKS = MANIFEST["parameters"]["virtual_networks"]
[AT] = {
    field["bits"][0]
    for port in MANIFEST["ports"]
    if port["name"] == "host_0_tx_tuser"
    for field in port["fields"]
    if field["name"] == "virtual_network"
}


def network_of(user):
    """The virtual network in a word of TUSER, or in those of a packet."""
    words = {word >> AT & (1 << (NETWORKS - 1).bit_length()) - 1 for word in (user if isinstance(user, list) else [user])}
    assert len(words) == 1
    return words.pop()


class Networks(Hosts):
    """Hosts with a space for each virtual network, which the bench sets, and their packets by flow."""

    def __init__(self, dut):
        super().__init__(dut)
        self.flows, self.spaces = {}, [(1 << NETWORKS) - 1] * HOSTS

    async def begin(self, stall=0):
        self.set_spaces()
        await super().begin(stall)
        for number in range(HOSTS):
            cocotb.start_soon(self._begins(number))

    def set_spaces(self):
        """Drive the spaces of all hosts."""
        for number, bits in enumerate(self.spaces):
            getattr(self.dut, f"host_{number}_tx_space").value = bits

    async def _begins(self, number):
        """No packet begins for which the host had no space in the cycle before."""
        bus, space = self.sinks[number].bus, getattr(self.dut, f"host_{number}_tx_space")
        first, waits = True, False
        while True:
            await RisingEdge(self.dut.clk)
            had = int(space.value)
            await FallingEdge(self.dut.clk)
            if bus.tvalid.value:
                if first and not waits:
                    assert had >> network_of(int(bus.tuser.value)) & 1, "a packet for which there was no space"
                waits = not bus.tready.value
                first = first if waits else bool(bus.tlast.value)

    def packet(self, source, network, sink):
        """A packet that is expected to arrive."""
        frame = self.frame(sink, self.rng.choice((1, 1, 2, LONGEST)))
        frame.tuser = [user | network << AT for user in frame.tuser]
        more = {"virtual_network": network}.items()
        self.flows.setdefault((source, sink, network), []).append(words_of(source, sink, frame.tdata, more))
        return frame

    def take(self, sink):
        """Compare all packets that have arrived at a host with the next ones of their flows."""
        while not self.sinks[sink].empty():
            frame = self.sinks[sink].recv_nowait()
            source = next(source for source in range(HOSTS) if address_of(source) == once(frame.tid))
            assert list(frame.tdata) == self.flows[source, sink, network_of(frame.tuser)].pop(0)

    async def run(self, cycles, spaces=None):
        """Run, with new ``spaces(host)`` in each cycle."""
        for _ in range(cycles):
            if spaces:
                self.spaces = [spaces(number) for number in range(HOSTS)]
                self.set_spaces()
            await FallingEdge(self.dut.clk)
        for sink in range(HOSTS):
            self.take(sink)

    def left(self):
        """``{(sink, virtual network): packets that have not arrived}``"""
        return {(sink, network) for (_, sink, network), frames in self.flows.items() if frames}


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def random_spaces(dut):
    """Packets between all pairs of hosts, in all virtual networks, with spaces that come and go: in order in each."""
    hosts = Networks(dut)
    await hosts.begin(PARAMETERS.get("stall", 0))
    for source in range(HOSTS):
        for _ in range(PARAMETERS["packets"]):
            frame = hosts.packet(source, hosts.rng.randrange(NETWORKS), hosts.rng.randrange(HOSTS))
            hosts.sources[source].send_nowait(frame)
    rounds = 0
    while hosts.left():
        await hosts.run(50, lambda _: hosts.rng.randrange(1 << NETWORKS))
        rounds += 1
        assert rounds < 20 * PARAMETERS["packets"]
    assert not sum(hosts.events.values()), hosts.events


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def no_space_for_the_first(dut):
    """Host 0 takes nothing of virtual network 0."""
    await without_space(dut, 0)


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def no_space_for_the_last(dut):
    """Host 0 takes nothing of the last virtual network."""
    await without_space(dut, NETWORKS - 1)


async def without_space(dut, blocked):
    """All packets of other virtual networks arrive, and none waits that begins with space; then come those that were left."""
    hosts, stalls, cycles = Networks(dut), [0] * HOSTS, 40 * NETWORKS * PARAMETERS["packets"]
    hosts.spaces[0] &= ~(1 << blocked)
    await hosts.begin()

    async def send(source):
        queues = [
            [hosts.packet(source, network, hosts.rng.randrange(HOSTS)) for _ in range(PARAMETERS["packets"])]
            for network in range(NETWORKS)
        ]
        bus, space = hosts.sources[source].bus, getattr(dut, f"host_{source}_rx_space")
        while any(queues):
            await FallingEdge(dut.clk)
            stalls[source] += bool(bus.tvalid.value and not bus.tready.value)
            able = [queue for network, queue in enumerate(queues) if queue and int(space.value) >> network & 1]
            if able and hosts.sources[source].idle():
                hosts.sources[source].send_nowait(hosts.rng.choice(able).pop(0))

    senders = [cocotb.start_soon(send(source)) for source in range(HOSTS)]
    await hosts.run(cycles)
    assert {network for _, network in hosts.left()} == {blocked}
    hosts.spaces[0] |= 1 << blocked
    hosts.set_spaces()
    await hosts.run(cycles)
    assert all(sender.done() for sender in senders)
    assert not hosts.left()
    assert not any(stalls)
