"""A simulation as a user asks for it: checked before its core is made, then run, with the result as a dictionary.

The commands ``simulate`` and ``sweep`` share this module.
"""

import dataclasses
import math
import re
import time
from dataclasses import dataclass

from dsnswitch.net import limits
from dsnswitch.net.files.parameters import PROPERTIES, PROPERTY, network
from dsnswitch.net.messages import UsageError, shortened
from dsnswitch.net.simulate import results
from dsnswitch.net.simulate.engine import Engine
from dsnswitch.net.simulate.generate import COPIES
from dsnswitch.net.simulate.measure import complete, measure, saturation, together
from dsnswitch.net.simulate.patterns import is_finite
from dsnswitch.net.simulate.patterns import pattern as destinations
from dsnswitch.net.simulate.points import Burst, Point
from dsnswitch.net.topology.network import Network

__all__ = ["CORE", "DEFAULTS", "KEYS", "MOST_LOADS", "Experiment", "Speed", "experiment", "point_rows", "simulated"]

#: Defaults of the core that differ from those of the block ``switch-core``: timing does not depend on the width of a flit.
DEFAULTS = {"flit": 64, "packet": 4}

#: Maximum number of loads of one experiment, and of cycles of a link.
MOST_LOADS, MOST_DELAY = 100, 1000

#: Parameters of the core besides those of its network and routing.
CORE = ("hosts", "flit", "packet", "depth", "channels", "switching")

#: All parameters of the core.
KEYS = (*PROPERTIES, "routing", "classes", *CORE)


@dataclass
class Experiment:
    """A network under one kind of traffic, at one load or several.

    Attributes
    ----------
    values : dict
        Configuration of the core.
    network : Network
    loads : tuple of float
        Offered loads. Empty for an exchange or a trace.
    attributes : dict
        Attributes of each :class:`~dsnswitch.net.simulate.points.Point`, besides its load.
    events : list of (cycle, switch, port index)
        Links that fail while the network runs.
    traffic : dict
        The part ``traffic`` of the result.
    """

    values: dict
    network: Network
    loads: tuple
    attributes: dict
    events: list
    traffic: dict


def _pairs(text, what):
    """``[(number, number)]`` of a text such as ``1:0.5,4:0.5``."""
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?:\d{1,9}(\.\d{1,9})?(,\d{1,9}(\.\d{1,9})?:\d{1,9}(\.\d{1,9})?)*", text):
        raise UsageError(f"{what}, not {shortened(text, 40)!r}")
    return [tuple(map(float, part.split(":"))) for part in text.split(",")]


def _delay(text, per_metre, clock):
    """Cycles of a link: a number of cycles, or metres such as ``5m``."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?) ?(m?)", text)
    if not match or (not match[2] and "." in match[1]):
        raise UsageError(f"Option --link-delay must be cycles, such as 3, or metres, such as 5m, not {text[:40]!r}")
    cycles = math.ceil(float(match[1]) * per_metre * clock - 1e-9) if match[2] else int(match[1])
    limits.at_most(MOST_DELAY, cycles, "Cycles of a link")
    return cycles


def _failures(found, words):
    """``[(switch, port, cycle)]`` of the failed links."""
    from dsnswitch.net.tables.walk import parse_link

    failed = []
    for word in words:
        link, at, cycle = word.partition("@")
        if at and not re.fullmatch("[0-9]{1,9}", cycle):
            raise UsageError(f"A link fails at a cycle such as 0,0,0:x_forward@5000, not {shortened(word, 40)!r}")
        try:
            switch, port = parse_link(found, link)
        except ValueError as error:
            raise UsageError(str(error)) from None
        ports = [port]
        if isinstance(port, tuple):
            ports = [one.index for one, end in found.links_of(switch) if end[0] == port]
        failed += [(switch, index, int(cycle) if at else None) for index in ports]
    return failed


def experiment(
    values,
    pattern="uniform",
    loads=(),
    burst=None,
    lengths=None,
    link_delay="0",
    ns_per_metre=5.0,
    clock=1.0,
    failures=(),
    seed=1,
):
    """The :class:`Experiment` of a user's options, which are those of the command ``simulate``.

    Parameters
    ----------
    values : dict
        Configuration of the core, with ``packet``.
    pattern, burst, lengths, link_delay : str
        Burst and lengths may be None.
    loads : sequence of float
        Default 0.1.
    ns_per_metre, clock : float
        Nanoseconds and GHz, for a link delay in metres.
    failures : sequence of str
        Such as ``0,0,0:x_forward@5000``.
    seed : int

    Raises
    ------
    UsageError
        If a value is wrong, or they contradict each other.
    """
    found = network(values)
    limits.at_most(limits.MOST_SIMULATED, found.nodes, f"Switches of a simulated network, {found.name},")
    limits.at_most(MOST_LOADS, len(loads), "Loads")
    finite = is_finite(pattern)
    for name, given in (("load", loads), ("burst", burst), ("lengths", lengths)) if finite else ():
        if given:
            raise UsageError(f"Pattern {pattern.partition(':')[0]} takes no --{name}: its packets are given")
    attributes = destinations(pattern, found, values.get("hosts", 1), values["packet"], seed)
    if burst:
        ((on, off),) = _pairs(burst, "Option --burst must be ON:OFF in cycles")[:1]
        if on < 1 or off < 1 or "," in burst:
            raise UsageError(f"Bursts and the silence between them must last at least 1 cycle on average, not {burst}")
        attributes["burst"] = Burst(on, off)
    if lengths:
        pairs = _pairs(lengths, "Option --lengths must be FLITS:SHARE with commas between them")
        for flits, _ in pairs:
            if flits != int(flits) or not 1 <= flits <= values["packet"]:
                raise UsageError(f"Packets of --lengths must have 1..{values['packet']} flits, not {flits:g}")
        if not sum(share for _, share in pairs):
            raise UsageError("Shares of --lengths must not all be 0")
        attributes["lengths"] = {int(flits): share for flits, share in pairs}
    attributes["delay"] = _delay(link_delay, ns_per_metre, clock)
    failed = _failures(found, failures)
    if failed and values.get("routing") != "detour":
        raise UsageError("Links fail only in a core with detours: --fail needs --routing detour")
    attributes["failed"] = tuple((switch, port) for switch, port, cycle in failed if cycle is None)
    events = [(cycle, switch, port) for switch, port, cycle in failed if cycle is not None]
    # A packet that takes a detour may be overtaken by one that left after the failure.
    attributes |= {"seed": seed, "ordered": not events, "log": finite}
    traffic = {
        "pattern": pattern,
        "flits": lengths or str(values["packet"]) if not pattern.startswith("trace:") else "the trace's",
        "burst": list(dataclasses.astuple(attributes["burst"])) if burst else None,
        "link_delay": attributes["delay"],
        "failed": list(failures),
    }
    return Experiment(values, found, () if finite else tuple(loads) or (0.1,), attributes, events, traffic)


class Speed:
    """Counts cycles over all engines of an experiment. ``show`` is called with a text about each step.

    Attributes
    ----------
    cycles : int
        Sum over all engines.
    """

    def __init__(self, show=lambda text: None):
        self.start, self.cycles, self._last = time.monotonic(), 0, 0
        self._label, self._show = "", show

    def begin(self, loads):
        """A new engine with points at these loads begins at cycle 0."""
        self._label, self._last = f"load {', '.join(f'{load:g}' for load in loads)}", 0

    def __call__(self, cycle):
        self.cycles += cycle - self._last
        self._last = cycle
        self._show(f"{self._label}, cycle {cycle}, {self.cycles / self.seconds:.0f} cycles per second")

    @property
    def seconds(self):
        """Time since the beginning."""
        return max(time.monotonic() - self.start, 1e-6)


def _engine(core, pairs, threads):
    """An engine with a point for each ``(experiment, load)``."""
    words = max(1, -(-core.network.nodes * len(pairs) // COPIES))
    return Engine(core, [Point(load=load, **one.attributes) for one, load in pairs], min(threads, words))


def point_rows(core, pairs, rules, threads=1, watch=lambda cycle: None):
    """Run experiments of one core at one load each, in one engine; returns the row of each for the part ``points`` of a result.

    A row does not depend on the other pairs.

    Parameters
    ----------
    core : Core
    pairs : sequence of (Experiment, float)
        All with loads, or all exchanges and traces, with load 0.
    rules : Rules
    threads : int
    watch : callable
        Called with the number of the cycle from time to time.

    Raises
    ------
    SimulationError
        As :meth:`~dsnswitch.net.simulate.engine.Engine.run`.
    ValueError
        If the core cannot do what an experiment asks for.
    """
    engine = _engine(core, pairs, threads)
    if not pairs[0][0].loads:
        return [results.completed_row(core, *one) for one in zip(engine.points, complete(engine, watch))]
    events = [
        (cycle, lambda engine, number=number, link=link: engine.fail(number, *link))
        for number, (one, _) in enumerate(pairs)
        for cycle, *link in one.events
    ]
    measured = measure(engine, rules, watch, events=events)
    return [results.point_row(core, *one) for one in zip(engine.points, measured)]


def simulated(one, core, rules, generator, watch, saturate=False, threads=1):
    """Run an experiment; returns its result, which :data:`~dsnswitch.net.simulate.results.SCHEMA` describes.

    Parameters
    ----------
    one : Experiment
    core : Core
    rules : Rules
    generator : str
        Name and version of the program.
    watch : Speed
    saturate : bool
        Also find the loads at which the network saturates.
    threads : int

    Raises
    ------
    SimulationError, ValueError
        As :func:`point_rows`.
    """
    rows, at_once = [], together(one.network.nodes, threads)
    for first in range(0, len(one.loads) or 1, at_once):
        loads = one.loads[first : first + at_once] or (0.0,)
        watch.begin(loads)
        rows += point_rows(core, [(one, load) for load in loads], rules, threads, watch)

    def engine(loads):
        watch.begin(loads)
        return _engine(core, [(one, load) for load in loads], threads)

    more = {}
    if saturate:
        more["saturation"] = results.saturation_row(saturation(engine, at_once, rules, watch=watch))
    about, found = core.manifest, one.network
    return {
        "format": "dsnswitch-simulation",
        "version": 1,
        "generator": generator,
        "network": {"topology": found.spelling, "title": found.title, "switches": found.nodes, "hosts": core.hosts},
        "core": {
            "top": about["top"],
            "routing": one.values.get("routing") or PROPERTY["default"],
            "parameters": about["parameters"],
            "luts": core.luts,
            "flip_flops": core.flip_flops,
            "isa": core.isa,
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
