"""The switch core with detours: packets hop by hop through a network with dead ports, one universal core as every switch.

Parameters: ``manifest`` (path), ``pairs`` (0 for every pair, else a number of random pairs), ``seed``.
"""

from itertools import product

import cocotb

from dsnswitch.net.topology.registry import network_of_manifest
from dsnswitch.sim.bench.drivers.given import EVENTS, MANIFEST, PARAMETERS, RANDOM
from dsnswitch.sim.bench.drivers.lockstep import begin, tick
from dsnswitch.sim.bench.drivers.route_driver import DetourStates
from dsnswitch.sim.golden.core.core import HeaderFormat
from dsnswitch.sim.golden.routing.detour import ARRIVED, UNDELIVERABLE

DSN = network_of_manifest(MANIFEST)
PORTS = MANIFEST["core_ports"]
STATES = DetourStates(DSN, PORTS[0]["classes"])
HEADER = HeaderFormat.of(MANIFEST)
FLIT = MANIFEST["parameters"]["flit"]
HOST = len(DSN.ports)
#: Head and tail of a packet of one flit.
ONLY = 3 << FLIT
LINKS = {link: {(link.source, link.port), (link.target, link.target_port)} for link in DSN.links()}


def address(prefix, switch):
    """Header values of a switch."""
    return {f"{prefix}.{field.name}": value for field, value in zip(DSN.fields, switch) if field.width}


class Core:
    """One core that stands for one switch after another."""

    def __init__(self, dut):
        self._dut = dut
        self._rx, self._tx = (
            [[getattr(dut, f"{port['name']}_{way}_{pin}") for pin in ("valid", "flit")] for port in PORTS] for way in ("rx", "tx")
        )

    async def hop(self, switch, dead, port, channel, word):
        """One packet of one flit through ``switch``: ``(output, channel, word)``."""
        for field, value in zip(DSN.fields, switch):
            if field.width:
                getattr(self._dut, f"own_{field.name}").value = value
        self._dut.dead.value = dead
        valid, flit = self._rx[port]
        valid.value, flit.value = 1 << channel, ONLY | word
        await tick(self._dut)
        valid.value = 0
        for _ in range(3):
            await tick(self._dut)
            for name in EVENTS:
                assert not int(getattr(self._dut, name).value), f"{switch}, port {port}: {name}"
            leaving = [(number, int(tx.value)) for number, (tx, _) in enumerate(self._tx) if int(tx.value)]
            if leaving:
                ((output, valid),) = leaving
                credit = getattr(self._dut, f"{PORTS[output]['name']}_tx_credit")
                found = int(self._tx[output][1].value)
                assert found >> FLIT == 3, f"{switch}: flags {found >> FLIT:b}"
                credit.value = valid
                await tick(self._dut)
                credit.value = 0
                return output, valid.bit_length() - 1, found & (1 << FLIT) - 1
        raise AssertionError(f"{switch}: the packet from port {port} has not left")

    async def travel(self, source, target, failed):
        """Send a packet; it must go the golden way. Returns how it ends and the number of hops."""
        states = STATES.route(source, target, failed)
        end = STATES.answer(states[-1])
        payload = RANDOM.getrandbits(FLIT - HEADER.fields["check"][1] - 1) << HEADER.fields["check"][1] + 1
        values = {**address("destination", target), **address("source", source), "length": 1}
        word, port, channel = payload | HEADER.pack(values), HOST, 0
        for step, state in enumerate(states):
            output, channel, word = await self.hop(state.switch, state.dead, port, channel, word)
            about = f"{source} to {target} past {failed}, at {state}"
            assert HEADER.is_sane(word), f"{about}: wrong check bits"
            found = HEADER.read(word)
            if step + 1 == len(states):
                wanted = values | {"hops": step + 1, "flags.undeliverable": int(end == UNDELIVERABLE)}
                assert output == HOST, f"{about}: output {output}, {end}"
                assert {name: value for name, value in found.items() if value and name != "check"} == {
                    name: value for name, value in wanted.items() if value
                }, f"{about}: {found}"
                assert word >> HEADER.fields["check"][1] + 1 << HEADER.fields["check"][1] + 1 == payload, about
                return end, step
            exit_, virtual_class, bits = STATES.answer(state)
            assert (output, channel, found["flags.detour"]) == (exit_, virtual_class, bits), f"{about}: {output} {found}"
            port = states[step + 1].arrival
        return None


@cocotb.test()
async def past_any_single_link(dut):
    """Every pair is delivered, whichever link of its route is dead."""
    await begin(dut)
    core = Core(dut)
    count = PARAMETERS.get("pairs", 0)
    switches = list(DSN.switches())
    pairs = [RANDOM.sample(switches, 2) for _ in range(count)] if count else product(switches, repeat=2)
    longest = sent = 0
    for source, target in pairs:
        states = STATES.route(source, target, set())
        taken = {(state.switch, STATES.answer(state)[0]) for state in states[:-1]}
        for failed in (set(), *(ends for ends in LINKS.values() if ends & taken)):
            end, hops = await core.travel(source, target, failed)
            assert end == ARRIVED, f"{source} to {target} past {failed}"
            longest, sent = max(longest, hops), sent + 1
    dut._log.info("%d packets, at most %d hops", sent, longest)


@cocotb.test()
async def undeliverable(dut):
    """A packet to a switch that no link reaches comes out at a host, with addresses and payload as they were, and is marked."""
    await begin(dut)
    core = Core(dut)
    switches = list(DSN.switches())
    for _ in range(PARAMETERS.get("pairs", 0) or 40):
        source, target = RANDOM.sample(switches, 2)
        failed = {end for ends in LINKS.values() for end in ends if any(switch == target for switch, _ in ends)}
        end, _ = await core.travel(source, target, failed)
        assert end == UNDELIVERABLE
