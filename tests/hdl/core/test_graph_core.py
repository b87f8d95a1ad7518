"""Switch cores of any graph: by loaded tables, by rules, by a ROM; hosts of the file are host ports."""

import json
from collections import Counter
from itertools import permutations, product
from random import Random

import pytest

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import emit
from dsnswitch.hdl.core.forwarding import Forwarding
from dsnswitch.hdl.routing.graph import GraphRoute
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.certificate import certificate
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.topology.graph import Graph
from dsnswitch.sim.golden.core.core import hops_of_entry

CHAIN_OF_65 = "".join(f"{at} {at + 1}\n" for at in range(64))

LINKS = [("b", "a"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "a"), ("a", "c")]


def test_a_graph_needs_no_route_logic(simulate):
    """The table decides among the ports that are not dead; an address of a switch that does not exist is invalid."""
    dut = Forwarding(Graph("g", LINKS), layers=2, kind="ternary", entries=4)

    async def bench(ctx):
        async def write(place, key, action):
            values = {"place": place, "valid": 1, "value": key, "length": 3, "action": action}
            for name, value in values.items():
                ctx.set(getattr(dut, f"write_{name}"), value)
            ctx.set(dut.write, 1)
            await ctx.tick()
            ctx.set(dut.write, 0)

        def answer(own, key, dead=0):
            ctx.set(dut.own.switch, own)
            ctx.set(dut.dst.switch, key)
            ctx.set(dut.layer, 1)
            ctx.set(dut.dead, dead)
            found = [name for name in ("arrived", "invalid", "no_route") if ctx.get(getattr(dut, name))]
            port = ctx.get(dut.out_port)
            return found + [index for index in range(3) if port >> index & 1]

        await write(0, 2, 1)
        await write(1, 4, 3)
        await write(2, 6, 1)
        assert answer(0, 2) == [1]
        assert ctx.get(dut.out_class) == 1
        assert answer(0, 2, dead=2) == ["no_route"]
        assert answer(4, 4) == ["arrived"]
        assert answer(0, 3) == ["no_route"]
        assert answer(0, 6) == answer(5, 2) == ["invalid"]

    simulate(dut, bench, clocked=True)


def test_both_hops_of_an_entry(simulate):
    """Port and class of both, for every class and port of arrival, with random dead ports and ranks, against the golden model."""
    dut = Forwarding(Graph("g", LINKS), layers=1, turns=3, adaptive=True, kind="ternary", entries=5)
    chance, seen = Random(1), Counter()

    async def bench(ctx):
        entries = [(chance.randrange(4), chance.randrange(4)) for _ in range(4)]
        for key, (first, second) in enumerate(entries):
            values = {"place": key, "valid": 1, "value": key, "length": 3, "action": first | second << 2}
            for name, value in values.items():
                ctx.set(getattr(dut, f"write_{name}"), value)
            ctx.set(dut.write, 1)
            await ctx.tick()
        ctx.set(dut.write, 0)
        for key, came, number, _ in product(range(5), range(-1, 3), range(3), range(12)):
            dead, up = chance.getrandbits(3) & chance.getrandbits(3), chance.getrandbits(3)
            arrival = (came, number) if came >= 0 else None
            for name, value in {"dead": dead, "up": up, "in_port": 1 << came if arrival else 0}.items():
                ctx.set(getattr(dut, name), value)
            ctx.set(dut.in_class, number if arrival else 0)
            ctx.set(dut.dst.switch, key)
            entry = entries[key] if key < len(entries) else None
            for hop, port, virtual_class in zip(
                hops_of_entry(3, entry, arrival, 3, dead, up), (dut.out_port, dut.other_port), (dut.out_class, dut.other_class)
            ):
                found = ctx.get(port)
                assert found == (0 if hop is None else 1 << hop[0]), (entry, arrival, dead, up)
                assert hop is None or ctx.get(virtual_class) == 1 << hop[1]
                seen[hop is None, hop and hop[1]] += 1

    simulate(dut, bench, clocked=True)
    assert len(seen) == 4


def test_emitted(tmp_path):
    """The universal core has the most ports of a switch; that of one switch has its own. Their addresses are numbers."""
    path = tmp_path / "net.edges"
    path.write_text("\n".join(map(" ".join, LINKS)))
    values = {"block": "switch-core", "topology": f"graph:{path}", "lookup": "table", "flit": 64, "packet": 4, "layers": 2}
    for node, ports in ((None, 3), ("d", 2)):
        block = build(values | ({"node": node} if node else {}))
        manifest = json.loads(emit(block, tmp_path / str(node))[1]["manifest"].read_text())
        assert [port["name"] for port in manifest["core_ports"]] == [*(f"port_{n}" for n in range(ports)), "host_0"]
        assert {port["classes"] for port in manifest["core_ports"][:-1]} == {2}
        assert manifest["address"]["fields"] == [{"name": "switch", "size": 5, "width": 3}]
        assert {output["classes"] for output in manifest["outputs"]} == {2}


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (CHAIN_OF_65, {"lookup": "algorithm"}, "at most 64 switches, not 65; use lookup table, or choose a node"),
        (CHAIN_OF_65, {"lookup": "forwarding"}, "at most 64 switches, not 65; use lookup table, or choose a node"),
        ("0 1\n", {"routing": "minimal"}, "Routing of graph:.* must be base, not minimal"),
        ("0 1\n2 3\n", {}, "is not connected, it has 2 parts"),
    ],
)
def test_refused(tmp_path, text, more, message):
    path = tmp_path / "net"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        build({"block": "switch-core", "topology": f"graph:{path}", "flit": 64, "packet": 4} | more)


def circulant(nodes, hosts):
    """A graph with links to the next and the seventh switch, of which some have hosts: shortest paths need several layers."""
    links = [(str(at), str((at + step) % nodes)) for at in range(nodes) for step in (1, 7)]
    names = [f"h{number}" for number in range(len(hosts))]
    return Graph("c", [*links, *((name, str(at)) for name, at in zip(names, hosts))], names).fabric


def test_the_rom_of_a_switch_is_its_table(simulate):
    """Every input of a switch of a graph that is too large for rules. Packets for switches without hosts are invalid."""
    network = circulant(70, [*range(0, 70, 3), 3, 3])
    assert network.is_large
    made = relation_of(network)
    own = next(switch for switch in network.terminals() if made.ports_up(switch).bit_count() == 2)
    classes, up = made.classes["link"], made.ports_up(own)
    tables = compile_tables(network)
    answers = tables.tables[network.number(own)].answers().tolist()
    assert classes == tables.layers >= 2
    dut = GraphRoute(network, own)

    async def bench(ctx):
        for destination, port, virtual_class in product(range(128), range(-1, 4), range(classes)):
            ctx.set(dut.dst.switch, destination)
            ctx.set(dut.in_port, 1 << port if port >= 0 else 0)
            ctx.set(dut.in_class, virtual_class if port >= 0 else 0)
            answer = answers[destination] if destination < len(answers) else -1
            exists = destination < 70 and network.hosts_of((destination,)) > 0
            here = exists and destination == own[0]
            found = ctx.get(dut.out_port), ctx.get(dut.arrived), ctx.get(dut.invalid)
            out = 1 << answer if exists and not here else 0
            assert found == (out, here, not exists), destination
            if out:
                rises = port >= 0 and up >> port & up >> answer & 1
                expected = virtual_class + rises if port >= 0 else 0
                assert ctx.get(dut.out_class) == expected % (1 << len(dut.out_class))

    simulate(dut, bench)


def test_turn_classes_have_a_certificate():
    """The numbers of the certificate rise along the walk of every pair through the finished tables, each in its classes."""
    network = circulant(24, [0, *range(0, 24, 2), 1])
    made = relation_of(network)
    tables = compile_tables(network)
    numbers = {channel: number for channel, _, number in certificate(made)}
    assert {channel.virtual_class for channel in numbers} == set(range(tables.layers)) >= {0, 1}
    answers = {at: tables.tables[network.number(at)].answers().tolist() for at in network.switches()}
    for source, destination in permutations(network.terminals(), 2):
        here, entry, number, last = source, None, 0, -1
        while here != destination:
            port, up = answers[here][destination[0]], made.ports_up(here)
            number += entry is not None and bool(up >> entry & up >> port & 1)
            assert numbers[here, port, number] > last
            last, (here, entry) = numbers[here, port, number], network.neighbour(here, port)


@pytest.mark.parametrize("node", ["spine1", "leaf3", "leaf2"])
def test_a_core_has_the_hosts_of_its_switch(root, node):
    """A switch without hosts has only ports to other switches."""
    values = {"block": "switch-core", "topology": f"graph:{root}/tests/graphs/leafspine_hosts.graphml", "node": node}
    block = build(values | {"flit": 64, "packet": 4})
    links, hosts = {"spine1": (3, 0), "leaf3": (2, 3), "leaf2": (2, 1)}[node]
    ports = [port["name"] for port in block.facts["core_ports"]]
    assert ports == [*(f"port_{n}" for n in range(links)), *(f"host_{n}" for n in range(hosts))]
    assert block.parameters["hosts"] == 3


def test_a_core_keeps_its_bounds(root):
    """Hosts are those of the file. Logic for all switches of a large graph at once is refused before anything is compiled."""
    values = {"block": "switch-core", "topology": f"graph:{root}/tests/graphs/leafspine_hosts.graphml", "hosts": 2}
    with pytest.raises(UsageError, match="are those of its file, 3 at most, not 2"):
        build(values)
