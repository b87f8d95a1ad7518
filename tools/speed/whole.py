"""Latency of whole switches beside that of cores whose links have the cycles of the ports, under the same traffic."""

from dataclasses import asdict, dataclass

from dsnswitch.gen.cli.cores import core_manifest
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point
from dsnswitch.sim.network.engine.switch import Switch

#: Cycles of warm-up and of the measurement.
WARM_UP, CYCLES = 3000, 12_000


@dataclass(frozen=True)
class Comparison:
    """A network whose loads are compared.

    Attributes
    ----------
    topology, link : str
    depth : int
        Flits of a channel's buffer.
    loads : tuple of float
        Flits per host and cycle.
    """

    topology: str
    link: str
    depth: int
    loads: tuple


COMPARISONS = (
    *(Comparison("grid:2x2:k4x2", "light", depth, (0.02, 0.05, 0.08, 0.12)) for depth in (8, 24)),
    Comparison("torus:4", "strict", 24, (0.02, 0.05, 0.1)),
)

_NUMBER = {"type": "number"}

#: JSON schema of a row. ``core`` and ``switch``: accepted flits per host and cycle, and mean latency in the network, tail.
ROW = {
    "topology": {"type": "string"},
    "link": {"type": "string"},
    "depth": {"type": "integer"},
    "switches": {"type": "integer"},
    "port_cycles": {"type": "integer"},
    "load": _NUMBER,
    **{name: {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2} for name in ("core", "switch")},
}


def switch_of(comparison, flit, packet):
    """Configuration of the whole switch of a :class:`Comparison`."""
    values = {"topology": comparison.topology, "flit": flit, "packet": packet, "depth": comparison.depth}
    return values | {"block": "switch", "apb": False, "end_to_end": "none", "link": comparison.link}


def compared(comparison, flit, packet, watch=lambda stage: None):
    """Rows of a :class:`Comparison`, one for each load."""
    watch(f"{comparison.topology}, {comparison.link} links, buffers of {comparison.depth}")
    values = {"topology": comparison.topology, "flit": flit, "packet": packet, "depth": comparison.depth}
    core = Core(core_manifest(values, watch), watch=watch)
    whole = Switch(core_manifest(switch_of(comparison, flit, packet), watch), watch=watch)
    found = {}
    for name, block, delay in (("core", core, whole.port_cycles), ("switch", whole, 0)):
        engine = Engine(block, [Point(load=load, delay=delay) for load in comparison.loads])
        engine.run(WARM_UP)
        engine.start_measuring()
        engine.run(CYCLES)
        results = [engine.statistics(number) for number in range(len(comparison.loads))]
        found[name] = [[round(one.accepted, 4), round(one.mean(), 3)] for one in results]
    common = {key: value for key, value in asdict(comparison).items() if key != "loads"}
    common |= {"switches": core.network.nodes, "port_cycles": whole.port_cycles}
    return [
        {**common, "load": load, "core": one, "switch": other}
        for load, one, other in zip(comparison.loads, found["core"], found["switch"])
    ]
