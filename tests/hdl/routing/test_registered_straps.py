"""Base routing with registered straps: emitted Verilog against the golden model, and SAT proofs against direct straps."""

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.gen.config import build
from dsnswitch.hdl.routing.detour.registered.route import RegisteredDetourRoute
from dsnswitch.hdl.routing.detour.route import DetourRoute
from dsnswitch.hdl.routing.dsn.registered.route import RegisteredRoute, RegisteredSizedRoute
from dsnswitch.hdl.routing.dsn.registered.rows import CoordinateRows
from dsnswitch.hdl.routing.dsn.route import RouteLogic
from dsnswitch.hdl.routing.dsn.sized.route import SizedRoute
from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.dsn import grid
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.run import SimulationError

REGISTERED = {"straps": "registered"}


def test_decisions(lab):
    assert lab.bench("route_bench", {"x": 5, "y": 4, **REGISTERED}) == 3


@pytest.mark.parametrize("register", [False, True])
def test_classes(lab, register):
    values = {"topology": "ring:6:ring-4", "register": register, **REGISTERED}
    assert lab.bench("relation_bench", values, lanes=16) == 2


@pytest.mark.regress
@pytest.mark.parametrize(
    "values", [{"p": 3}, {"x": 12, "y": 10}, {"topology": "ring", "n": 36}, {"p": 2, "register": True}]
)
def test_every_pair(lab, values):
    assert lab.bench("route_bench", {**values, **REGISTERED}, lanes=16) == 3


@pytest.mark.regress
@pytest.mark.parametrize("spelling", ["ring:22:ring-6", "grid:8x8", "grid:6x5:coc-4x4", "ring:11:ring-4:forward"])
def test_every_class(lab, spelling):
    assert lab.bench("relation_bench", {"topology": spelling, **REGISTERED}, label="-all", lanes=16) == 2


@pytest.mark.regress
def test_every_size(lab):
    sizes = [(x, y) for x in range(1, 5) for y in range(1, 5)]
    assert lab.bench("sized_bench", {"max_p": 2, **REGISTERED}, sizes=sizes) == 2


def test_detours(lab):
    assert lab.bench("detour_bench", {"topology": "grid:3x2:k4x2", "routing": "detour", **REGISTERED}, routes=300) == 1


@pytest.mark.regress
@pytest.mark.parametrize("values", [{"p": 3}, {"x": 11, "y": 13}, {"topology": "ring:22:ring-6", "register": True}])
def test_detours_of_large_networks(lab, values):
    assert lab.bench("detour_bench", {**values, "routing": "detour", **REGISTERED}, routes=1_000) == 1


def test_a_wrong_turn_is_noticed(lab, mutate):
    """Rows of a size that is no power of two do not come round."""
    mutate(CoordinateRows, "elaborate", "turned = up | ", "turned = up | 0 & ")
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("route_bench", {"x": 5, "y": 4, **REGISTERED}, label="-turn")


class Miter(wiring.Component):
    """Direct and registered straps. The direct logic sees straps a cycle later, as the registers do."""

    def __init__(self, direct, registered):
        self.direct, self.registered = direct, registered
        inputs = {name: member for name, member in direct.signature.members.items() if member.flow == In}
        super().__init__(inputs | {"differs": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.direct, m.submodules.registered = direct, registered = self.direct, self.registered
        for path, _, source in self.signature.flatten(self):
            if path == ("differs",):
                continue
            value, late, early = source, registered, direct
            if path[0] in ("own", "size", "dead", "in_port"):
                value = Signal(len(source), name=f"{'_'.join(path)}_r", reset_less=True)
                m.d.sync += value.eq(source)
            for name in path:
                late, early = getattr(late, name), getattr(early, name)
            m.d.comb += [late.eq(source), early.eq(value)]
        differ = []
        for name, member in direct.signature.members.items():
            if member.flow == Out:
                differs = getattr(direct, name) != getattr(registered, name)
                if name == "out_class" and not hasattr(direct, "out_detour"):
                    # Of the base routing, the class counts on local ports only.
                    differs &= direct.out_port[: len(direct.network.supernode.port_names)].any()
                differ.append(differs)
        m.d.comb += self.differs.eq(Cat(differ).any())
        return m


def test_registered_is_direct(prove):
    dsn = grid(3, 4)
    proved, log = prove(Miter(RouteLogic(dsn), RegisteredRoute(dsn)), "differs", latency=1)
    assert proved, log


def test_another_network_is_not(prove):
    proved, log = prove(Miter(RouteLogic(grid(4, 4)), RegisteredRoute(grid(3, 4))), "differs", latency=1)
    assert not proved
    assert "model found: FAIL" in log


@pytest.mark.prove
@pytest.mark.parametrize(
    "spelling", ["grid:8x8", "grid:16x16", "grid:12x10", "ring:22:ring-6", "ring:36:ring-6:forward"]
)
def test_registered_is_direct_large(prove, spelling):
    dsn = parse_network(spelling)
    proved, log = prove(Miter(RouteLogic(dsn), RegisteredRoute(dsn)), "differs", latency=1)
    assert proved, log


@pytest.mark.parametrize(
    "spelling",
    ["grid:4x4", *(pytest.param(spelling, marks=pytest.mark.prove) for spelling in ("grid:8x8", "ring:16:ring-4"))],
)
def test_registered_sizes_are_direct(prove, spelling):
    dsn = parse_network(spelling)
    proved, log = prove(Miter(SizedRoute(dsn), RegisteredSizedRoute(dsn)), "differs", latency=1)
    assert proved, log


@pytest.mark.parametrize("spelling", ["ring:3:ring-3", "grid:2x2:ring-3", "grid:3x2:ring-3"])
def test_registered_detours_are_direct(prove, spelling):
    """In one dimension, and in two, where y may come before x."""
    dsn = parse_network(spelling)
    proved, log = prove(Miter(DetourRoute(dsn), RegisteredDetourRoute(dsn)), "differs", latency=1)
    assert proved, log


@pytest.mark.prove
@pytest.mark.parametrize(
    "spelling", ["grid:4x4", "grid:8x8", "grid:3x5", "ring:22:ring-6", "grid:3x2:coc-2x2", "ring:1:ring-3"]
)
def test_registered_detours_are_direct_large(prove, spelling):
    dsn = parse_network(spelling)
    proved, log = prove(Miter(DetourRoute(dsn), RegisteredDetourRoute(dsn)), "differs", latency=1)
    assert proved, log


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"p": 3, "node": "0,0,0"}, "Registered straps are for universal logic, not for node 0,0,0"),
        ({"topology": "torus:4x4"}, "Registered straps are for a grid or ring DSN, not torus:4x4"),
        (
            {"topology": "ring:3:ring-2", "routing": "minimal"},
            "Registered straps are for routing base or detour, not minimal",
        ),
        ({"p": 7}, "Registered straps are for at most 64 supernodes in a dimension, not 128"),
    ],
)
def test_bad_input(values, message):
    with pytest.raises(UsageError) as error:
        build({**values, **REGISTERED})
    assert str(error.value) == message


def test_most_supernodes():
    with pytest.raises(ValueError, match="at most 64 supernodes in a dimension, not 65"):
        RegisteredRoute(grid(65, 2))
