"""A simulation as a user asks for it: checked before its core is made, then run, with the result as a dictionary.

The commands ``simulate`` and ``sweep`` share this module.
"""

import dataclasses
import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dsnswitch.net import limits
from dsnswitch.net.files.options import MOST_LOADS, NETWORK, SIMULATION, TURNS, Links, Traffic
from dsnswitch.net.files.parameters import SIZES, fabric
from dsnswitch.net.messages import UsageError, refusing, shortened, unwatched
from dsnswitch.net.options import refuse_unneeded
from dsnswitch.net.reading import read_text
from dsnswitch.net.routing.registry import TWO_STAGE, keeps_marked
from dsnswitch.net.topology.network import Network
from dsnswitch.sim.network.compile.generate import COPIES
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Burst, Point
from dsnswitch.sim.network.engine.traffic import mean_length
from dsnswitch.sim.network.experiment import results
from dsnswitch.sim.network.experiment.log import measured_packets
from dsnswitch.sim.network.experiment.measure import Rules, complete, measure, saturation, together
from dsnswitch.sim.network.workload.hosts import hosts_of
from dsnswitch.sim.network.workload.patterns import host_numbers, is_finite
from dsnswitch.sim.network.workload.patterns import pattern as destinations
from dsnswitch.sim.network.workload.scenario import delays_of, failures, lookup_of

__all__ = ["Experiment", "Speed", "experiment", "point_rows", "simulated"]

#: Maximum share of flits with an error.
MOST_ERRORS = 0.5

#: Cycles that a warm-up is expected to take.
WARM_UP = 4000


@dataclass
class Experiment:
    """A network under one kind of traffic, at one load or several."""

    #: Configuration of the core.
    values: dict
    network: Network
    #: Offered loads; empty for an exchange or a trace.
    loads: tuple[float, ...]
    #: Attributes of each :class:`~dsnswitch.sim.network.engine.points.Point`, besides its load.
    attributes: dict
    #: What results call the way in which switches find outputs.
    routing: str
    #: ``[(cycle, switch, port index)]`` of links that fail and that return, and ``[(cycle, tables)]``, while the network runs.
    failures: list
    repairs: list
    rewrites: list
    #: The part ``traffic`` of the result.
    traffic: dict

    @property
    def core(self) -> dict[str, Any]:
        """Configuration of the core: without the sizes of the network if they are inputs."""
        if not self.values.get("max_p"):
            return self.values
        own = {key: value for key, value in self.network.parameters.items() if key not in SIZES}
        return {key: value for key, value in self.values.items() if key not in NETWORK} | own

    @property
    def hosts(self) -> int:
        """Number of hosts: switches without hosts have none."""
        return len(host_numbers(self.network, self.network.most_hosts or self.values.get("hosts", 1)))

    def packets(self, cycles: int) -> int:
        """Packets that the hosts are expected to offer in ``cycles`` cycles of every load."""
        length = mean_length(Point(lengths=self.attributes.get("lengths")), self.values["packet"])
        return round(self.hosts * sum(self.loads) * cycles / length)

    @property
    def greatest(self) -> float:
        """Greatest load that sources offer: 1 without bursts."""
        burst = self.attributes.get("burst")
        return burst.greatest if burst else 1.0

    def offer(self, load: float) -> None:
        """Raise a :class:`UsageError` if bursts do not offer a load."""
        burst = self.attributes.get("burst")
        if burst and load > self.greatest:
            raise UsageError(
                f"Bursts of {burst.on:g}:{burst.off:g} offer at most {burst.greatest:.4g} flits per host and cycle, not {load:g}"
            )

    def events(self, number: int) -> list:
        """``[(cycle, call with the engine)]`` of point ``number`` of an engine."""
        failures = [(cycle, lambda engine, link=link: engine.fail(number, *link)) for cycle, *link in self.failures]
        repairs = [(cycle, lambda engine, link=link: engine.repair(number, *link)) for cycle, *link in self.repairs]
        return (
            failures + repairs + [(cycle, lambda engine, new=new: engine.rewrite({number: new})) for cycle, new in self.rewrites]
        )


def _pairs(text, what):
    """``[(number, number)]`` of a text such as ``1:0.5,4:0.5``."""
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?:\d{1,9}(\.\d{1,9})?(,\d{1,9}(\.\d{1,9})?:\d{1,9}(\.\d{1,9})?)*", text):
        raise UsageError(f"{what}, not {shortened(text, 40)!r}")
    return [tuple(map(float, part.split(":"))) for part in text.split(",")]


def experiment(
    values: dict,
    traffic: Traffic | None = None,
    links: Links | None = None,
    log: bool = False,
    bar: Callable = unwatched,
    tell: Callable = lambda text: None,
    known: Any = None,
) -> Experiment:
    """The experiment of a user's options, of which ``values`` are those of the core.

    With ``log``, every packet is recorded. ``bar`` and ``tell`` are those of
    :func:`~dsnswitch.sim.network.workload.scenario.lookup_of`. ``known`` keeps compiled tables for other experiments.
    """
    traffic, links = traffic or Traffic(), links or Links()
    with refusing():
        every = {key: one for group in SIMULATION.values() for key, one in group.items()}
        refuse_unneeded(every, {**values, **vars(traffic), **vars(links)})
    found = fabric(values)
    limits.at_most(limits.MOST_SIMULATED, found.nodes, f"Switches of a simulated network, {found.name},")
    limits.at_most(MOST_LOADS, len(traffic.load), "Loads")
    name, finite = traffic.pattern.partition(":")[0], is_finite(traffic.pattern)
    for key in ("load", "burst", "lengths") if finite else ():
        if getattr(traffic, key):
            raise UsageError(f"Pattern {name} takes no --{key}: its packets are given")
    if found.is_large:
        values = {"lookup": "table", "kind": "direct", **values}
    hosts = found.most_hosts or values.get("hosts", 1)
    attributes = destinations(traffic.pattern, found, hosts, values["packet"], traffic.seed)
    attributes |= _sending(traffic, values["packet"])
    attributes |= hosts_of(traffic, found, hosts, values.get("virtual_networks", 1))
    attributes["delay"] = delays_of(found, links.link_delay, links.ns_per_metre, links.clock)
    failed = failures(found, links.fail)
    attributes["failed"] = tuple((one.switch, one.port) for one in failed if one.begin is None)
    attributes["errors"] = _errors(links.bit_errors, values["flit"])
    if traffic.ordered and not keeps_marked(values):
        raise UsageError(f"ordered (= {traffic.ordered:g}) needs adaptive, or routing {' or '.join(TWO_STAGE)}")
    if traffic.ordered:
        limits.at_most(limits.MOST_ORDERED, found.nodes, "Switches of a simulation with --ordered")
        flows = np.random.default_rng(traffic.seed).random((found.nodes, found.nodes))
        attributes["in_order"] = flows < traffic.ordered
    later = [(one.begin, one.switch, one.port) for one in failed if one.begin is not None]
    repairs = [(one.end, one.switch, one.port) for one in failed if one.end is not None]
    if finite and later:
        raise UsageError(
            f"Pattern {name} takes no failure at a cycle, only failures from the start: its run has no measurement, so --fail "
            f"must have no @{later[0][0]}"
        )
    known, key = {} if known is None else known, _lookup_key(found, values, links.tables, failed, links.reroute)
    if key not in known:
        known[key] = lookup_of(found, values, links.tables, failed, links.reroute, bar, tell)
    lookup = known[key]
    # A packet that takes another way may be overtaken by one that left after the failure.
    attributes |= {"seed": traffic.seed, "ordered": not later, "log": finite or log}
    attributes |= {"tables": lookup.tables, "lossy": bool(failed or links.tables)}
    if traffic.outstanding and (attributes["lossy"] or attributes["errors"] or finite):
        raise UsageError("Option --outstanding is for open patterns on links that do not fail and make no errors")
    about = {
        "pattern": traffic.pattern,
        "flits": "the trace's" if name == "trace" else traffic.lengths or str(values["packet"]),
        "burst": list(dataclasses.astuple(attributes["burst"])) if traffic.burst else None,
        "link_delay": results.link_delays(found, attributes["delay"]),
        "failed": list(links.fail),
        "failed_links": results.failed_links(found, failed),
        "reroute": links.reroute,
        "bit_errors": links.bit_errors,
        # A packet that takes another way after a failure may overtake.
        "ordered": float(traffic.ordered) if keeps_marked(values) else float(not later),
        **({"outstanding": traffic.outstanding} if traffic.outstanding else {}),
        **({"blocked": list(traffic.blocked)} if traffic.blocked else {}),
    }
    loads = () if finite else traffic.load or (0.1,)
    one = Experiment(lookup.values, found, loads, attributes, lookup.label, later, repairs, lookup.later, about)
    one.offer(max(loads, default=0))
    return one


def _sending(traffic, longest):
    """Attributes of a point: bursts and lengths of packets, of at most ``longest`` flits."""
    attributes = {}
    if traffic.burst:
        ((on, off),) = _pairs(traffic.burst, "Option --burst must be ON:OFF in cycles")[:1]
        if on < 1 or off < 1 or "," in traffic.burst:
            raise UsageError(f"Bursts and the silence between them must last at least 1 cycle on average, not {traffic.burst}")
        attributes["burst"] = Burst(on, off)
    if traffic.lengths:
        pairs = _pairs(traffic.lengths, "Option --lengths must be FLITS:SHARE with commas between them")
        for flits, _ in pairs:
            if flits != int(flits) or not 1 <= flits <= longest:
                raise UsageError(f"Packets of --lengths must have 1..{longest} flits, not {flits:g}")
        if not sum(share for _, share in pairs):
            raise UsageError("Shares of --lengths must not all be 0")
        attributes["lengths"] = {int(flits): share for flits, share in pairs}
    return attributes


def _errors(rate, bits):
    """Probability that a flit of ``bits`` bits has an error, with the probability ``rate`` per bit."""
    errors = 1 - (1 - rate) ** bits
    if errors > MOST_ERRORS:
        raise UsageError(
            f"At most {MOST_ERRORS:.0%} of the flits may have an error, not {errors:.0%}, which --bit-errors {rate:g} makes with"
            f" {bits} bits"
        )
    return errors


def _lookup_key(network, values, tables, *more):
    """A text that differs if the tables may differ. It has the contents of files, and not only their names."""
    text = read_text(tables, "Tables") if tables is not None and tables != TURNS else None
    links = [*network.links(), *network.host_places(1)] if network.spelling.startswith("graph:") else None
    return repr((network.spelling, links, sorted(values.items()), tables, text, *more))


class Speed:
    """Counts the cycles of all engines of an experiment, and shows them.

    ``show`` is called with the cycles that are done, an estimate of all of them, and a text with their speed. ``engines`` will
    run, each of them about ``cycles`` cycles.
    """

    def __init__(self, show=lambda done, end, text: None, engines=1, cycles=0):
        self.start, self.cycles, self._last = time.monotonic(), 0, 0
        self._show, self._left, self._each, self._begun = show, engines, cycles, 0

    @classmethod
    def of(cls, one: Experiment, rules: Rules, saturate: bool, threads: int, show: Callable) -> "Speed":
        """That of an :class:`Experiment` that :func:`simulated` runs."""
        at_once = together(one.network.nodes, threads)
        engines = max(1, -(-len(one.loads) // at_once))
        engines += math.ceil(math.log(100, at_once + 1)) + 1 if saturate else 0
        return cls(show, engines, WARM_UP + rules.cycles)

    def begin(self) -> None:
        """A new engine begins at cycle 0."""
        self._last, self._begun, self._left = 0, self.cycles, max(self._left - 1, 0)

    def __call__(self, cycle):
        self.cycles += cycle - self._last
        self._last = cycle
        end = self._begun + self._each * (1 + self._left)
        self._show(self.cycles, end, f"{self.cycles / self.seconds:.0f} cycles per second")

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return max(time.monotonic() - self.start, 1e-6)


def _engine(core, pairs, threads):
    """An engine with a point for each ``(experiment, load)``."""
    words = max(1, -(-core.network.nodes * len(pairs) // COPIES))
    return Engine(core, [Point(load=load, **one.attributes) for one, load in pairs], min(threads, words))


def point_rows(
    core: Core, pairs: Sequence, rules: Rules, threads: int = 1, watch: Callable = lambda cycle: None, log: list | None = None
) -> list[dict]:
    """Run pairs of an experiment and a load in one engine; returns the row of each for the part ``points`` of a result.

    All are of one core, and have loads, or are exchanges and traces, with load 0. A row does not depend on the other pairs.
    ``watch`` is called with the number of the cycle from time to time. ``log`` takes ``(load or None, packets)`` of each
    experiment with a log. Raises :class:`ValueError` if the core cannot do what an experiment asks for.
    """
    engine, finite = _engine(core, pairs, threads), not pairs[0][0].loads
    if finite:
        rows = [results.completed_row(core, *one) for one in zip(engine.points, complete(engine, watch))]
    else:
        events = [event for number, (one, _) in enumerate(pairs) for event in one.events(number)]
        # What waits for a blocked host never arrives.
        drain = all(point.blocked is None for point in engine.points)
        measured = measure(engine, rules, watch, drain, events)
        rows = [results.point_row(core, *one) for one in zip(engine.points, measured)]
    if log is not None:
        for number, row in enumerate(rows):
            log.append((row.get("load"), measured_packets(engine.delivered(number), row)))
    return rows


def simulated(
    one: Experiment,
    core: Core,
    rules: Rules,
    generator: str,
    watch: Speed,
    saturate: bool = False,
    threads: int = 1,
    log: list | None = None,
) -> dict[str, Any]:
    """Run an experiment; returns its result, which :data:`~dsnswitch.sim.network.experiment.schema.SCHEMA` describes.

    ``generator`` is the name and the version of the program. With ``saturate``, the loads of saturation are found, too.
    """
    rows, at_once = [], together(one.network.nodes, threads)
    for first in range(0, len(one.loads) or 1, at_once):
        loads = one.loads[first : first + at_once] or (0.0,)
        watch.begin()
        rows += point_rows(core, [(one, load) for load in loads], rules, threads, watch, log)

    def engine(loads):
        watch.begin()
        return _engine(core, [(one, load) for load in loads], threads)

    more = {}
    if saturate:
        more["saturation"] = results.saturation_row(saturation(engine, at_once, rules, watch=watch, greatest=one.greatest))
    about, found = core.manifest, one.network
    return {
        "format": "dsnswitch-simulation",
        "version": 1,
        "generator": generator,
        "network": {"topology": found.spelling, "title": found.title, "switches": found.nodes, "hosts": one.hosts},
        "core": {
            "top": about["top"],
            "routing": one.routing,
            "parameters": about["parameters"],
            "luts": core.luts,
            "flip_flops": core.flip_flops,
            "isa": core.isa,
            "block": core.block,
            "channel_limit": round(min(1, core.channel_limit(one.attributes["delay"])), 6),
        },
        "traffic": one.traffic,
        "rules": dataclasses.asdict(rules),
        "links": results.link_rows(core),
        "points": rows,
        **more,
        "speed": {
            "cycles": watch.cycles,
            "seconds": round(watch.seconds, 3),
            "cycles_per_second": round(watch.cycles / watch.seconds, 1),
        },
    }
