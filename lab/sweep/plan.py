"""The plan of a sweep: a TOML file as curves, each with its experiment and its loads."""

import itertools
import math
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from dsnswitch.gen.config import build
from dsnswitch.lab.sweep.kept import KeptTables
from dsnswitch.net import limits
from dsnswitch.net.files.options import SIMULATION, Links, Measurement, Refinement, Traffic
from dsnswitch.net.files.parameters import core_of
from dsnswitch.net.messages import UsageError, nearest, refusing, shortened, unwatched
from dsnswitch.net.options import text
from dsnswitch.net.reading import breaches, read_toml
from dsnswitch.sim.network.experiment.experiment import Experiment, experiment
from dsnswitch.sim.network.experiment.measure import Rules, together

__all__ = ["MOST_CURVES", "MOST_POINTS", "SCHEMA", "Curve", "Plan", "Range", "core_key", "is_stable", "read_plan"]

#: Maximum number of curves of a sweep, and of points without the refinement.
MOST_CURVES, MOST_POINTS = 1000, 20_000

#: Digits of a load.
DIGITS = 6

#: Every option of a simulation, and what only a sweep has.
_OPTIONS = {key: one for group in SIMULATION.values() for key, one in group.items()}
_OPTIONS["size"] = text("Replaces {size} in topology, such as 8x8x8 in torus:{size}.")

#: Options of traffic, links and measurement; all others are those of the core.
_WORKLOAD = Traffic.OPTIONS | Links.OPTIONS | Measurement.OPTIONS


def _axis(one):
    """JSON schema of an option with a value, or with a list of them that gives a curve for each value."""
    rule = one.rule | ({"type": ["integer", "string"]} if one.or_integer else {})
    values = {"type": "array", "items": rule}
    more = [values, {"type": "array", "items": values, "minItems": 1}] if one.many else [values | {"minItems": 1}]
    return {"description": one.description, "anyOf": [rule, *more]}


_LOAD = _OPTIONS["load"].rule

#: Every key of a series and, as a default for all series, of the file.
KEYS = {
    **{key: _axis(one) for key, one in _OPTIONS.items()},
    "load": {
        "description": "Flits per host and cycle: a number, a list, or a range FIRST:LAST, which is refined around saturation. "
        "Default 0.1.",
        "anyOf": [_LOAD, {"type": "array", "items": _LOAD, "minItems": 1, "maxItems": 100}, {"type": "string"}],
    },
    **{key: one.schema for key, one in Refinement.OPTIONS.items()},
}

#: JSON schema of a sweep's file.
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "dsnswitch sweep",
    "description": "A sweep of dsnswitch simulate. Keys of the file are defaults of all series. A list gives a curve per value.",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "title": text("Title of plots and page.").schema,
        **KEYS,
        "series": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"name": text("Begins the labels of its curves.").schema | {"minLength": 1}, **KEYS},
                "required": ["name"],
            },
        },
    },
}


@dataclass(frozen=True)
class Range(Refinement):
    """Loads that are refined around saturation.

    ``points`` loads from ``first`` to ``last`` are measured. The interval between the last load below saturation and the first
    one above it is then divided until it is at most ``2 * precision`` long. With ``over``, load 1 is measured too.
    """

    first: float
    last: float

    @property
    def grid(self):
        step = (self.last - self.first) / (self.points - 1)
        return [round(self.first + step * index, DIGITS) for index in range(self.points)]

    @property
    def expected(self):
        """An estimate of the number of points that one division at a time needs."""
        width = (self.last - self.first) / (self.points - 1)
        return self.points + self.over + max(0, math.ceil(math.log2(width / (2 * self.precision))))

    def refined(self, rows, stable, at_once=1):
        """``(loads, (low, high))``: all loads that are known to be needed, and the interval of saturation.

        It depends on nothing but the measured ``rows`` by load, so that a sweep that continues asks for the same loads. ``low``
        is the greatest load that is ``stable(row)``, ``high`` the least above it. The interval is None while loads of the last
        step are not measured, and if no load of the range is above saturation. An interval is divided by ``at_once`` loads at
        once.
        """
        loads = self.grid
        needed = [*loads, *([1.0] if self.over and self.last < 1 else [])]
        low, high = 0.0, None
        while all(load in rows for load in loads):
            first = next((load for load in loads if not stable(rows[load])), None)
            if high is None and first is None:
                return needed, None
            low, high = max([low, *(load for load in loads if first is None or load < first)]), first or high
            if high - low <= 2 * self.precision * (1 + 1e-9):
                return needed, (low, high)
            width = (high - low) / (at_once + 1)
            loads = [round(low + width * step, DIGITS) for step in range(1, at_once + 1)]
            needed += loads
        return needed, None

    def lower_bound(self, rows, stable):
        """The greatest measured load, if the range has been measured and none of its loads is above saturation; else None."""
        if not all(rows.get(load) is not None and stable(rows[load]) for load in self.grid):
            return None
        return max(load for load, row in rows.items() if row is not None and stable(row))


@dataclass
class Curve:
    """Points that differ only in their load."""

    label: str
    series: str
    #: The label without the seed: curves with the same one differ in nothing else.
    alike: str
    #: ``{key: value}`` of the file, without loads.
    inputs: dict
    experiment: Experiment
    rules: Rules
    #: ``(0.0,)`` for an exchange or a trace.
    loads: tuple[float, ...] | Range
    #: All parameters of the core, with defaults.
    parameters: dict = field(default_factory=dict)

    def refined(self, rows):
        """As :meth:`Range.refined`. Fixed loads have no interval, and neither has a curve with a point without a row."""
        if not isinstance(self.loads, Range):
            return list(self.loads), None
        if None in rows.values():
            return list(rows), None
        return self.loads.refined(rows, lambda row: is_stable(row, self.rules), together(self.experiment.network.nodes))

    @property
    def expected(self):
        """An estimate of the number of points."""
        return self.loads.expected if isinstance(self.loads, Range) else len(self.loads)


@dataclass
class Plan:
    """Title and curves of a sweep."""

    title: str
    curves: list

    @property
    def expected(self):
        """Number of points; an estimate if a range of loads is refined (:attr:`is_exact`)."""
        return sum(curve.expected for curve in self.curves)

    @property
    def is_exact(self):
        return not any(isinstance(curve.loads, Range) for curve in self.curves)


def is_stable(row, rules):
    """Whether a point is below saturation, as :class:`~dsnswitch.sim.network.experiment.measure.Saturation` defines it."""
    return not row["saturated"] and (row["latency"]["queued_tail"]["mean"] or 0) <= rules.limit


def core_key(curve):
    """What names the core of a curve: curves with the same key share it."""
    return tuple(sorted((key, str(value)) for key, value in curve.experiment.core.items()))


def read_plan(path, bar=unwatched):
    """The :class:`Plan` of the TOML file at ``path``; ``bar`` shows the progress of tables that are compiled."""
    what = f"Sweep {path}"
    found = read_toml(path, "Sweep")
    inner = SCHEMA["properties"]["series"]["items"]["properties"]
    for known, part in [(SCHEMA["properties"], found), *((inner, one) for one in _series(found))]:
        for key in part:
            if key not in known:
                more = nearest(key, known, "dsnswitch schema sweep lists all")
                raise UsageError(f"{what} has an unknown key {shortened(key, 40)!r}{more}")
    for error in breaches(SCHEMA, found):
        error = max(error.context, key=lambda one: len(one.path), default=error) if error.context else error
        raise UsageError(f"{what}, key {shortened(error.json_path[2:] or 'top level', 40)!r}: {error.message}")
    common = {key: value for key, value in found.items() if key not in ("series", "title")}
    curves, names, known = [], set(), KeptTables()
    for part in found.get("series") or [{}]:
        name = part.get("name", "")
        if name in names:
            raise UsageError(f"{what} must have each name of a series once, not {shortened(name, 40)!r} twice")
        names.add(name)
        for curve in _curves(what, name, common | part, known, bar):
            curves.append(curve)
            limits.at_most(MOST_CURVES, len(curves), f"Curves of sweep {path}")
    plan = Plan(found.get("title", ""), curves)
    limits.at_most(MOST_POINTS, plan.expected, f"Points of sweep {path}")
    cores = {}
    for curve in curves:
        if (key := core_key(curve)) not in cores:
            with _named(what, curve.label):
                cores[key] = build({"block": "switch-core", **curve.experiment.core}).parameters
        curve.parameters = cores[key]
    return plan


def _series(found):
    series = found.get("series")
    return [one for one in series if isinstance(one, dict)] if isinstance(series, list) else []


@contextmanager
def _named(what, label):
    """Context in which errors begin with the file and the curve."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{what}, {shortened(label, 60)}: {error}") from None


def _curves(what, name, given, known, bar):
    """The curves of one series; ``known`` are the tables of all."""
    lists = {key: value if isinstance(value, list) else [value] for key, value in given.items() if key in _OPTIONS}
    lists.pop("load", None)
    fail = lists.get("fail", [])
    lists["fail"] = fail if fail and isinstance(fail[0], list) else [fail]
    limits.at_most(MOST_CURVES, math.prod(map(len, lists.values())), f"Curves of {what[0].lower()}{what[1:]}")
    varied = [key for key, values in lists.items() if len(values) > 1]
    loads = _loads(what, given)
    for chosen in itertools.product(*lists.values()):
        inputs = dict(zip(lists, chosen))
        marks = {key: _spelt(key, inputs[key]) for key in varied}
        if name:
            marks = {"name": name, **marks}
        elif "topology" not in varied:
            marks = {"topology": _spelt("topology", inputs.get("topology", "grid")), **marks}
        label = ", ".join(marks.values())
        marks.pop("seed", None)
        with _named(what, label):
            yield _curve(label, name, ", ".join(marks.values()), inputs, loads, known, bar)


def _spelt(key, value):
    if key == "fail":
        return f"failed {' '.join(value)}" if value else "none failed"
    return str(value) if key in ("topology", "size", "pattern") else f"{key.replace('_', ' ')} {value}"


def _curve(label, name, alike, inputs, loads, known, bar):
    values = {key: str(value) if _OPTIONS[key].or_integer else value for key, value in inputs.items()}
    size = values.pop("size", None)
    if size is not None:
        if "{size}" not in values.get("topology", ""):
            raise UsageError("Key size needs a topology with {size}, such as torus:{size}")
        values["topology"] = values["topology"].replace("{size}", size)
    core = core_of({key: value for key, value in values.items() if key not in _WORKLOAD})
    with refusing((TypeError, ValueError)):
        traffic, links = Traffic.of(values), Links.of(values)
        rules = Rules(**vars(Measurement.of(values)))
    one = experiment(core, traffic, links, known=known, bar=bar)
    if not one.loads and loads is not None:
        raise UsageError(f"Pattern {traffic.pattern.partition(':')[0]} takes no load: its packets are given")
    if loads:
        one.offer(loads.last if isinstance(loads, Range) else max(loads))
    if isinstance(loads, Range) and one.greatest < 1:
        # Sources with bursts never have a packet all the time.
        loads = replace(loads, over=False)
    return Curve(label, name, alike, inputs, one, rules, (loads or (0.1,)) if one.loads else (0.0,))


def _loads(what, given):
    """The loads of a series: a tuple, a :class:`Range`, or None if the file has none."""
    spelt = given.get("load")
    more = {key: given[key] for key in Refinement.OPTIONS if key in given}
    if not isinstance(spelt, str):
        listed = spelt if isinstance(spelt, list) else [] if spelt is None else [spelt]
        return tuple(sorted({float(load) for load in listed})) or None
    match = re.fullmatch(r"(\d?\.?\d{1,9}):(\d?\.?\d{1,9})", spelt)
    first, last = map(float, match.groups()) if match else (0, 0)
    if not 0 < first < last <= 1:
        raise UsageError(f"{what}: load must be a range FIRST:LAST with 0 < FIRST < LAST <= 1, not {shortened(spelt, 40)!r}")
    return Range(first, last, **more)
