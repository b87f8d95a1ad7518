"""Switch cores of any graph, which route by tables alone."""

import json

import pytest

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import emit
from dsnswitch.hdl.core.forwarding import Forwarding
from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.graph import Graph

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


def test_emitted(tmp_path):
    """The universal core has the most ports of a switch; that of one switch has its own. Their addresses are numbers."""
    path = tmp_path / "net.edges"
    path.write_text("\n".join(map(" ".join, LINKS)))
    values = {
        "block": "switch-core",
        "topology": f"graph:{path}",
        "lookup": "table",
        "flit": 64,
        "packet": 4,
        "layers": 2,
    }
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
        (CHAIN_OF_65, {"lookup": "algorithm"}, "Routing base needs a network with an algorithm"),
        (CHAIN_OF_65, {"lookup": "forwarding"}, "Routing base needs a network with an algorithm"),
        ("0 1\n", {"routing": "minimal"}, "Routing of graph:.* must be base, not minimal"),
        ("0 1\n2 3\n", {}, "is not connected, it has 2 parts"),
        ("router 0 node 0 router 1\nrouter 1 node 1\n", {"lookup": "table"}, "must list no hosts"),
    ],
)
def test_refused(tmp_path, text, more, message):
    path = tmp_path / "net"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        build({"block": "switch-core", "topology": f"graph:{path}", "flit": 64, "packet": 4} | more)
