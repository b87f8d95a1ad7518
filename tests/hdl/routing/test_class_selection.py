"""The class of the next local link, by the classes of the relation, for every state of a packet."""

from itertools import product

import pytest

from dsnswitch.hdl.routing.classes import ClassSelection, arrival_bits
from dsnswitch.net.routing.dsn.classes import Purpose
from dsnswitch.net.routing.dsn.relation import DsnRelation
from dsnswitch.net.topology.registry import parse_network


@pytest.mark.parametrize("spelling", ["grid:3x3:ring-3", "grid:5x3:coc-3x2", "ring:13:ring-4", "grid:4x4:k4x2:double"])
def test_every_state(simulate, spelling):
    """The phase is the first dimension in which S-routing is not done, or the last part of the route."""
    relation = DsnRelation(parse_network(spelling))
    assert relation.classes["local"] > 1
    unit = ClassSelection(relation)
    dimensions, ports = unit.dimensions, relation.network.ports
    arrivals = (
        [(None, 0), *product(ports, range(relation.classes["local"]))] if arrival_bits(relation)["in_port"] else [(None, 0)]
    )

    def between(phase, name, backward, port, came):
        """Whether the packet has taken a shortcut in this phase."""
        if name is None or port is None:
            return False
        return port.kind == name or (port.kind == "local" and came in relation.between_classes[phase, backward])

    async def bench(ctx):
        compared = 0
        for done, wraps, backward in product(product((0, 1), repeat=len(dimensions)), (0, 1), (0, 1)):
            for name, is_done in zip(dimensions, done):
                phase = getattr(unit, name)
                ctx.set(phase.done, is_done)
                for member, value in (("wraps", wraps), ("backward", backward)):
                    if len(getattr(phase, member)):
                        ctx.set(getattr(phase, member), value)
            if len(unit.final_wraps):
                ctx.set(unit.final_wraps, wraps)
            name = next((name for name, is_done in zip(dimensions, done) if not is_done), None)
            number = len(relation.network.sizes) if name is None else relation.network.dimensions.index(name)
            for port, came in arrivals:
                if arrival_bits(relation)["in_port"]:
                    ctx.set(unit.in_port, 0 if port is None else 1 << port.index)
                    ctx.set(unit.in_class, came if port is not None and port.kind == "local" else 0)
                await ctx.delay(1e-9)
                way = bool(backward) if name and "backward" in relation.features else False
                purpose = Purpose(
                    number, between(number, name, way, port, came), bool(wraps) and "wraps" in relation.features, way
                )
                wanted = relation.class_of(purpose)
                if wanted is not None:
                    compared += 1
                    assert ctx.get(unit.out_class) == wanted, (purpose, port, came)
        assert compared

    simulate(unit, bench)
