"""The routing of the packets of one port, on Amaranth's simulator."""

from dsnswitch.hdl.switch import CoreShape
from dsnswitch.hdl.switch.route_unit import RouteUnit
from dsnswitch.hdl.topology import parse_network


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
