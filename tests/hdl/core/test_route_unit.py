"""Arrival and routing of the packets of one port, on Amaranth's simulator."""

import pytest

from dsnswitch.hdl.core.arrival import EVENTS, Arrival
from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.route_unit import RouteUnit
from dsnswitch.hdl.core.shape import CoreShape, TableOptions
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.core.core import HeaderFormat

from ..switch.notifier_bench import bits_of


def test_hosts_that_exist(simulate):
    """Three hosts, in a field of two bits: a packet to this switch goes to its host, or is invalid."""
    shape = CoreShape(parse_network("torus:4x3"), (1, 2), flit=64, packet=4, hosts=3)
    unit = RouteUnit(shape, shape.ports[0])

    async def bench(ctx):
        for host in range(4):
            header = {"destination": {"dim0": 1, "dim1": 2, "host": host}}
            ctx.set(unit.asked, header)
            ctx.set(unit.header, header)
            await ctx.delay(1e-9)
            chosen = [port.name for bit, port in zip(f"{ctx.get(unit.tag.route):b}"[::-1], shape.ports) if bit == "1"]
            assert (chosen, ctx.get(unit.invalid)) == (([f"host_{host}"], 0) if host < 3 else ([], 1))

    simulate(unit, bench)


def outputs(simulate, shape, number, by_table=0, dead=0):
    """``[output of each switch of the network]`` for packets that arrive at port ``number``; an output may be ``u_turn``.

    With a table, every entry leads back to this port.
    """
    unit, found = RouteUnit(shape, shape.ports[number]), []
    dimensions = [field.name for field in shape.network.fields if field.width]

    async def bench(ctx):
        for key in range(len(list(shape.network.switches())) if hasattr(unit, "write") else 0):
            entry = {"write": 1, "write_word": key, "write_valid": 1, "write_action": number, "loaded": 1}
            for name, value in entry.items():
                ctx.set(getattr(unit, name), value)
            await ctx.tick()
        ctx.set(unit.dead, dead)
        ctx.set(unit.channel, 1)
        if not shape.ports[number].is_host:
            ctx.set(unit.in_port, 1 << shape.ports[number].index)
        for there in shape.network.switches():
            header = {"destination": dict(zip(dimensions, there)), "flags": {"by_table": by_table}}
            ctx.set(unit.asked, header)
            ctx.set(unit.header, header)
            await (ctx.tick().repeat(unit.latency) if unit.latency else ctx.delay(1e-9))
            route = ctx.get(unit.tag.route)
            [name] = [port.name for bit, port in enumerate(shape.ports) if route >> bit & 1] or ["none"]
            found.append("u_turn" if ctx.get(unit.u_turn) else name)

    simulate(unit, bench, clocked=hasattr(unit, "write"))
    return found


def test_a_packet_does_not_turn_back(simulate):
    """A port of the network does not lead back to itself; a host may send to itself."""
    shape = CoreShape(parse_network("torus:5"), (0,), flit=64, packet=4)
    forward, backward = "dim0_forward", "dim0_backward"
    assert outputs(simulate, shape, 0) == ["host_0", "u_turn", "u_turn", backward, backward]
    assert outputs(simulate, shape, 1) == ["host_0", forward, forward, "u_turn", "u_turn"]
    assert outputs(simulate, shape, 2) == ["host_0", forward, forward, backward, backward]


def test_a_packet_turns_back_where_it_begins_to_follow_tables(simulate):
    """At a dead port, the table may send it back. A packet that followed tables before would circle."""
    shape = CoreShape(parse_network("torus:3"), (0,), flit=64, packet=4, lookup="forwarding", table=TableOptions("direct"))
    assert outputs(simulate, shape, 1) == ["host_0", "dim0_forward", "u_turn"]
    assert outputs(simulate, shape, 1, dead=1) == ["host_0", "dim0_backward", "u_turn"]
    assert outputs(simulate, shape, 1, by_table=1) == ["u_turn"] * 3


@pytest.mark.parametrize("lookup", ["table", "forwarding"])
def test_tables_do_not_lead_back(simulate, lookup):
    """Whatever the tables hold."""
    shape = CoreShape(parse_network("torus:3"), (0,), flit=64, packet=4, lookup=lookup, table=TableOptions("direct"))
    for number in (0, 1):
        assert outputs(simulate, shape, number, by_table=1) == ["u_turn"] * 3
    assert outputs(simulate, shape, 2, by_table=1) == ["host_0"] * 3


def test_only_local_detours_turn_back(simulate):
    """If all other ports are dead, a packet returns on a local link. It does not return on a shortcut."""
    shape = CoreShape(parse_network("ring:8:ring-3"), (0, 0), flit=64, packet=4, routing="detour")
    for number, port in enumerate(shape.ports):
        others = (1 << len(shape.network.ports)) - 1 & ~(1 << number)
        found = outputs(simulate, shape, number, dead=others if port.kind == "local" else 0)
        turns = {"u_turn", port.name} & set(found)
        assert turns == {port.name if port.kind in ("local", "host") else "u_turn"}, port


@pytest.mark.parametrize(
    ("lookup", "there", "event"), [("algorithm", 1, "u_turn"), ("algorithm", 6, "invalid"), ("table", 1, "no_route")]
)
def test_a_refused_packet_is_counted_once(simulate, lookup, there, event):
    """A packet that is also too old is counted as such alone, and one with a wrong header as this; the table is not loaded."""
    shape = CoreShape(parse_network("torus:5"), (0,), flit=64, packet=4, lookup=lookup, table=TableOptions("direct"))
    unit, header = Arrival(shape, shape.ports[0]), Header(shape)
    form = HeaderFormat(bits_of(header.layout), header.code.columns, shape.packet)
    found, oldest = [], (1 << header.layout["hops"].width) - 1

    async def bench(ctx):
        ctx.set(unit.valid, 1)
        ctx.set(unit.in_port, 1)
        for hops, wrong in ((0, 0), (oldest, 0), (oldest, 1)):
            word = form.pack({"destination.dim0": there, "length": 1, "hops": hops}) ^ wrong
            ctx.set(unit.flit, {"data": word, "head": 1, "tail": 1})
            await (ctx.tick().repeat(unit.latency) if unit.latency else ctx.delay(1e-9))
            found.append([name for name in EVENTS if ctx.get(getattr(unit, name))])

    simulate(unit, bench, clocked=True)
    assert found == [[event], ["expired"], ["bad_header"]]
