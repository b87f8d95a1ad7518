"""The plan of a sweep: a TOML file as curves, each with its experiment and its loads."""

import itertools
import math
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.config import build
from dsnswitch.lab.sweep.kept import KeptTables
from dsnswitch.net import limits
from dsnswitch.net.files.parameters import current
from dsnswitch.net.messages import UsageError, nearest, shortened, unwatched
from dsnswitch.net.reading import breaches, read_toml
from dsnswitch.sim.network.experiment.experiment import DEFAULTS, Experiment, experiment
from dsnswitch.sim.network.experiment.measure import Rules, together

__all__ = ["MOST_CURVES", "MOST_POINTS", "SCHEMA", "Curve", "Plan", "Range", "core_key", "is_stable", "read_plan"]

#: Maximum number of curves of a sweep, and of points without the refinement.
MOST_CURVES, MOST_POINTS = 1000, 20_000

#: Digits of a load.
DIGITS = 6


def _rule(kind, description, **more):
    return {"type": kind, **more, "description": description}


_LOAD = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
_LINKS = {"type": "array", "items": {"type": "string"}}

#: Parameters of the core, which are those of the block ``switch-core``.
_CORE = {key: rule for key, rule in BLOCKS["switch-core"].PROPERTIES.items() if key != "node"}
_CORE |= {
    key: {**_CORE[key], "description": re.sub("Default .*", f"Default {value}.", _CORE[key]["description"])}
    for key, value in DEFAULTS.items()
}
_CORE["channels"] = {**_CORE["channels"], "type": ["integer", "string"]}
_CORE["block"] = {
    "enum": ["switch-core", "switch"],
    "description": "Cores alone, or whole switches with fabric ports. Default switch-core.",
}
_CORE["link"] = {"enum": ["light", "strict"], "description": "Links of whole switches. Default light."}
_CORE["size"] = _rule("string", "Replaces {size} in topology, such as 8x8x8 in torus:{size}.")

#: Parameters of the traffic and the links, by the name that ``experiment`` has for them.
_TRAFFIC = {
    "pattern": _rule("string", "As dsnswitch simulate --pattern. Default uniform."),
    "burst": _rule("string", "ON:OFF in cycles."),
    "lengths": _rule("string", "Mixed packet lengths FLITS:SHARE,..."),
    "link_delay": _rule(["integer", "string"], "Cycles of a cable, such as 3, or its length, such as 5m. Default 0."),
    "ns_per_metre": _rule("number", "Delay of a cable. Default 5.", minimum=0.1, maximum=100),
    "clock": _rule("number", "GHz, for lengths of cables. Default 1.", minimum=0.001, maximum=100),
    "bit_errors": _rule("number", "As dsnswitch simulate --bit-errors. Default 0.", minimum=0, maximum=0.1),
    "ordered": _rule("number", "As dsnswitch simulate --ordered. Default 0.", minimum=0, maximum=1),
    "tables": _rule("string", "Routes of tables: updown, shortest, or a JSON file of dsnswitch table."),
    "reroute": _rule("integer", "Cycles from a failure until all switches write new tables.", minimum=1),
    "seed": _rule("integer", "Of random traffic. Default 1.", minimum=0),
}

#: The length of a measurement.
_RULES = {
    "cycles": _rule(
        "integer", "Cycles of a measurement. Default 10000.", minimum=1000, maximum=10_000_000, multipleOf=1000
    ),
    "warm_up": _rule("integer", "Most cycles of the warm-up. Default 20 windows.", minimum=100, multipleOf=100),
    "limit": _rule("number", "Greatest mean latency below saturation. Default 400.", minimum=1, maximum=1_000_000),
}

_LISTED = _CORE | _TRAFFIC | _RULES

#: Every key of a series and, as a default for all series, of the file.
KEYS = {
    **{
        key: {
            "description": rule["description"],
            "anyOf": [
                part := {name: value for name, value in rule.items() if name not in ("description", "default")},
                {"type": "array", "items": part, "minItems": 1},
            ],
        }
        for key, rule in _LISTED.items()
    },
    "fail": {
        "description": "Failed links, as dsnswitch simulate --fail. A list of lists gives a curve for each list.",
        "anyOf": [{"type": "string"}, _LINKS, {"type": "array", "items": _LINKS, "minItems": 1}],
    },
    "load": {
        "description": "Flits per host and cycle: a number, a list, or a range FIRST:LAST, which is refined around saturation. "
        "Default 0.1.",
        "anyOf": [_LOAD, {"type": "array", "items": _LOAD, "minItems": 1, "maxItems": 100}, {"type": "string"}],
    },
    "points": _rule("integer", "Loads of a range before the refinement. Default 8.", minimum=2, maximum=100),
    "precision": _rule(
        "number", "Half of the interval at which the refinement ends. Default 0.005.", minimum=0.0005, maximum=0.5
    ),
    "over": _rule(
        "boolean", "Of a range: also measure the accepted load if sources always have a packet. Default true."
    ),
}

#: JSON schema of a sweep's file.
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "dsnswitch sweep",
    "description": "A sweep of dsnswitch simulate. Keys of the file are defaults of all series. A list gives a curve per value.",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "title": _rule("string", "Title of plots and page."),
        **KEYS,
        "series": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"name": _rule("string", "Begins the labels of its curves.", minLength=1), **KEYS},
                "required": ["name"],
            },
        },
    },
}


@dataclass(frozen=True)
class Range:
    """Loads that are refined around saturation.

    ``points`` loads from ``first`` to ``last`` are measured. The interval between the last load below saturation and the first
    one above it is then divided until it is at most ``2 * precision`` long. With ``over``, load 1 is measured too.
    """

    first: float
    last: float
    points: int = 8
    precision: float = 0.005
    over: bool = True

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
        """All loads that are known to be needed, and the interval of saturation.

        It depends on nothing but the rows, so that a sweep that continues asks for the same loads.

        Parameters
        ----------
        rows : dict
            ``{load: row}`` of the measured points.
        stable : callable
            Whether a row is below saturation.
        at_once : int
            Loads by which an interval is divided at once.

        Returns
        -------
        tuple
            ``(loads, (low, high))``: the greatest load below saturation and the least above it. The interval is None while loads
            of the last step are not measured, and if no load of the range is above saturation.
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
    """Points that differ only in their load.

    Attributes
    ----------
    label, series : str
    alike : str
        The label without the seed: curves with the same one differ in nothing else.
    inputs : dict
        ``{key: value}`` of the file, without loads.
    experiment : Experiment
    rules : Rules
    loads : tuple of float or Range
        ``(0.0,)`` for an exchange or a trace.
    parameters : dict
        All parameters of the core, with defaults.
    """

    label: str
    series: str
    alike: str
    inputs: dict
    experiment: Experiment
    rules: Rules
    loads: tuple | Range
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
    """The :class:`Plan` of the TOML file at ``path``; ``bar`` shows the progress of tables that are compiled.

    Raises
    ------
    UsageError
        If the file cannot be read, has an unknown key, or asks for something that is impossible.
    """
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
    lists = {key: value if isinstance(value, list) else [value] for key, value in given.items() if key in _LISTED}
    fail = given.get("fail", [])
    fail = [fail] if isinstance(fail, str) else fail
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
    values = DEFAULTS | {key: value for key, value in inputs.items() if key in _CORE and key != "size"}
    if values.pop("block", "") == "switch":
        values |= {"block": "switch", "apb": False, "end_to_end": "none"}
    elif "link" in values:
        raise UsageError('Cores have no links of their own: link needs block = "switch"')
    if "routing" in values:
        values["routing"] = current(values["routing"])
    if "channels" in values:
        values["channels"] = str(values["channels"])
    if "size" in inputs:
        if "{size}" not in values.get("topology", ""):
            raise UsageError("Key size needs a topology with {size}, such as torus:{size}")
        values["topology"] = values["topology"].replace("{size}", inputs["size"])
    traffic = {key: value for key, value in inputs.items() if key in _TRAFFIC}
    traffic["link_delay"] = str(traffic.get("link_delay", 0))
    one = experiment(values, fail=inputs["fail"], known=known, bar=bar, **traffic)
    if not one.loads and loads is not None:
        raise UsageError(f"Pattern {inputs['pattern'].partition(':')[0]} takes no load: its packets are given")
    if loads:
        one.offer(loads.last if isinstance(loads, Range) else max(loads))
    if isinstance(loads, Range) and one.greatest < 1:
        # Sources with bursts never have a packet all the time.
        loads = replace(loads, over=False)
    rules = Rules(**{key: value for key, value in inputs.items() if key in _RULES})
    return Curve(label, name, alike, inputs, one, rules, (loads or (0.1,)) if one.loads else (0.0,))


def _loads(what, given):
    """The loads of a series: a tuple, a :class:`Range`, or None if the file has none."""
    spelt = given.get("load")
    more = {key: given[key] for key in ("points", "precision", "over") if key in given}
    if not isinstance(spelt, str):
        listed = spelt if isinstance(spelt, list) else [] if spelt is None else [spelt]
        return tuple(sorted({float(load) for load in listed})) or None
    match = re.fullmatch(r"(\d?\.?\d{1,9}):(\d?\.?\d{1,9})", spelt)
    first, last = map(float, match.groups()) if match else (0, 0)
    if not 0 < first < last <= 1:
        raise UsageError(
            f"{what}: load must be a range FIRST:LAST with 0 < FIRST < LAST <= 1, not {shortened(spelt, 40)!r}"
        )
    return Range(first, last, **more)
