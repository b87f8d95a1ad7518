"""Results of simulations as JSON, CSV and text, and limits on them."""

import csv
import io
import math
import operator
import re

import numpy as np

from dsnswitch.net.messages import UsageError, shortened
from dsnswitch.net.simulate.runtime import CAUSES

__all__ = [
    "SCHEMA",
    "Limit",
    "completed_row",
    "csv_row",
    "csv_text",
    "link_delays",
    "link_rows",
    "point_row",
    "saturation_row",
    "text",
]

#: Names of the latency statistics, with their quantiles.
QUANTILES = {"median": 0.5, "p99": 0.99, "p99.9": 0.999}
STATISTICS = ("mean", *QUANTILES, "max")

#: Histograms of :class:`~dsnswitch.net.simulate.points.Statistics` in the order of the output, and what they are.
HISTOGRAMS = {
    "head": "head, in the network",
    "tail": "tail, in the network",
    "queued_head": "head, with source queue",
    "queued_tail": "tail, with source queue",
}

#: Comparisons of a :class:`Limit`.
OPERATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}

#: Number of links that the text shows as most loaded ones.
MOST_LOADED = 4


def _number(value, digits=6):
    """A float for JSON: None for NaN, and as few digits as are sensible."""
    return None if math.isnan(value) else round(float(value), digits)


def _latency(statistics):
    return {
        name: {
            "mean": _number(statistics.mean(name)),
            **{key: _number(statistics.quantile(share, name)) for key, share in QUANTILES.items()},
            "max": statistics.greatest[name] if statistics.measured else None,
        }
        for name in HISTOGRAMS
    }


def _hops(statistics):
    """Links that packets passed: one less than switches."""
    histogram = statistics.hops[1:]
    last = int(np.flatnonzero(histogram).max(initial=-1)) + 1
    total = int(histogram.sum())
    mean = float((np.arange(len(histogram)) * histogram).sum() / total) if total else math.nan
    return {
        "mean": _number(mean),
        "max": last - 1 if last else None,
        "histogram": [int(count) for count in histogram[:last]],
    }


def _ports(core):
    """``[(switch, port, end)]`` of every link in each direction."""
    network = core.network
    return [(switch, port, end) for switch in network.switches() for port, end in network.links_of(switch)]


def link_rows(core):
    """Every link in each direction, in the order in which points state the loads."""
    spell = core.network.spell_switch
    return [{"from": spell(switch), "port": port.name, "to": spell(end[0])} for switch, port, end in _ports(core)]


def link_delays(network, delay):
    """Delays of the links for JSON: a number, or one for each link in the order of :func:`link_rows`."""
    if not isinstance(delay, dict):
        return delay
    both = delay | {network.neighbour(*end): cycles for end, cycles in delay.items()}
    return [both.get((switch, port.index), 0) for switch in network.switches() for port, _ in network.links_of(switch)]


def _links(core, statistics, cycles):
    """Loads of all links in flits per cycle."""
    flits, number = statistics.link_flits, core.network.number
    return [round(int(flits[number(switch), port.index]) / max(1, cycles), 6) for switch, port, _ in _ports(core)]


def _fairness(statistics, sending):
    """How evenly the sources get their packets through, by delivered flits: relative to the mean of the sending hosts."""
    flits = statistics.source_flits[sending].astype(float)
    if not flits.sum():
        return {"least": None, "slowest_2_percent": None, "greatest": None, "jain": None}
    shares = np.sort(flits / flits.mean())
    return {
        "least": _number(shares[0]),
        "slowest_2_percent": _number(shares[: max(1, len(shares) // 50)].mean()),
        "greatest": _number(shares[-1]),
        "jain": _number(flits.sum() ** 2 / (len(flits) * (flits**2).sum())),
    }


def _buffers(core, statistics):
    """Mean flits in the input buffers, by port and channel."""
    return {
        port["name"]: [_number(value) for value in row[: port["channels"]]]
        for port, row in zip(core.manifest["core_ports"], statistics.fill)
    }


def _zero_load(core, point, statistics, hops):
    """The mean latency (tail, in the network) of the measured packets without contention, and what it is made of."""
    if not statistics.measured:
        return None
    lengths = point.lengths or {core.manifest["parameters"]["packet"]: 1}
    flits = sum(count * share for count, share in lengths.items()) / sum(lengths.values())
    if point.trace is not None:
        flits = float(np.asarray(point.trace).reshape(-1, 4)[:, 3].mean())
    if isinstance(point.delay, dict):
        return None
    each, delay = core.latency, point.delay + core.port_cycles
    mean = (hops["mean"] + 1) * each + hops["mean"] * delay + flits - 1
    return {
        "switches": _number(hops["mean"] + 1),
        "switch_cycles": each,
        "links": hops["mean"],
        "link_cycles": delay,
        "serialisation": _number(flits - 1),
        "latency": _number(mean),
        "contention": _number(statistics.mean("tail") - mean),
    }


def _common(core, point, statistics, sending, cycles):
    hops = _hops(statistics)
    return {
        "packets": statistics.measured,
        "missing": statistics.missing,
        "marked": statistics.marked,
        "lost": statistics.lost,
        "latency": _latency(statistics),
        "hops": hops,
        "zero_load": _zero_load(core, point, statistics, hops),
        "fairness": _fairness(statistics, sending),
        "buffers": _buffers(core, statistics),
        "links": _links(core, statistics, cycles),
    }


def point_row(core, point, found):
    """A :class:`~dsnswitch.net.simulate.measure.Measured` as a dictionary for JSON."""
    return {
        "load": point.load,
        "seed": point.seed,
        "senders": int(found.senders.sum()),
        "offered": _number(found.offered),
        "accepted": _number(found.accepted),
        "saturated": bool(found.saturated),
        "warm_up": found.warm_up,
        "cycles": found.statistics.cycles,
        "confidence": _number(found.confidence),
        **_common(core, point, found.statistics, found.senders, found.statistics.cycles),
    }


def completed_row(core, point, found):
    """A :class:`~dsnswitch.net.simulate.measure.Completed` as a dictionary for JSON."""
    return {
        "completion": found.cycles,
        "seed": point.seed,
        "senders": int(found.senders.sum()),
        **_common(core, point, found.statistics, found.senders, found.cycles),
    }


def saturation_row(found):
    """A :class:`~dsnswitch.net.simulate.measure.Saturation` as a dictionary for JSON."""
    keys = ("load", "accepted", "latency", "stable")
    return {
        "over": _number(found.over),
        "stable": _number(found.stable),
        "precision": found.precision,
        "slowest_2_percent": _number(found.slowest),
        "tried": [
            {key: value if isinstance(value, bool) else _number(value) for key, value in zip(keys, row)}
            for row in found.tried
        ],
    }


def csv_row(point):
    """A point of a result as a line of a table, ``{column: value}``."""
    row = {key: point[key] for key in _CSV if key in point}
    row |= {"lost": sum(point["lost"].values()), "hops": point["hops"]["mean"]}
    for name in HISTOGRAMS:
        row |= {f"{name}_{key}": point["latency"][name][key] for key in STATISTICS}
    row |= {"zero_load": (point["zero_load"] or {}).get("latency"), "least_source": point["fairness"]["least"]}
    row["greatest_link"] = max(point["links"], default=None)
    return {key: int(value) if isinstance(value, bool) else value for key, value in row.items()}


def csv_text(result):
    """The points of a result as CSV, one line each; an absent value is empty."""
    rows = [csv_row(point) for point in result["points"]]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else list(_CSV), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


_CSV = (
    *("load", "completion", "seed", "offered", "accepted", "saturated", "warm_up", "cycles", "confidence"),
    *("packets", "missing", "marked"),
)


def _shown(value, digits=2):
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def _span(delay):
    if not isinstance(delay, list):
        return delay
    return f"{min(delay, default=0)} to {max(delay, default=0)}"


def _table(heads, rows):
    widths = [max(map(len, column)) for column in zip(heads, *rows)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)).rstrip() for line in (heads, *rows)]


def text(result):
    """A result as text for people."""
    core, traffic = result["core"], result["traffic"]
    kind = core.get("block", "core").removeprefix("switch-")
    lines = [
        f"network     {result['network']['title']}: {result['network']['switches']} switches, {result['network']['hosts']} hosts",
        f"{kind:<12}{core['top']}, routing {core['routing']}; {core['luts']} LUTs, {core['flip_flops']} flip-flops",
        f"traffic     {traffic['pattern']}, packets of {traffic['flits']} flits, links of {_span(traffic['link_delay'])} further"
        " cycles",
    ]
    if traffic["failed"] or traffic["bit_errors"]:
        failed = f"failed {', '.join(traffic['failed']) or 'none'}; errors {traffic['bit_errors']:g} per bit"
        lines.append(f"links       {failed}")
    limit = core.get("channel_limit", 1)
    if limit < 1:
        depth = core["parameters"]["depth"]
        lines.append(
            f"credits     a channel of a link carries at most {limit:.3f} flits per cycle: buffers of {depth} flits, and"
            f" at least {depth / limit:.0f} cycles until a credit is back"
        )
    points = result["points"]
    if len(points) == 1:
        lines += _one(points[0], result["links"])
    elif points:
        heads = ["load", "offered", "accepted", "mean", "+-", "median", "p99", "p99.9", "max", "hops", "contention"]
        rows = []
        for point in points:
            latency = point["latency"]["queued_tail"]
            measures = [_shown(latency[key]) for key in ("mean",)] + [_shown(point["confidence"])]
            measures += [_shown(latency[key], 0) for key in ("median", "p99", "p99.9", "max")]
            rest = [_shown(point["hops"]["mean"], 3), _shown((point["zero_load"] or {}).get("contention"))]
            if point["saturated"]:
                measures, rest[1] = ["saturated", *"-----"], "-"
            rows.append(
                [f"{point['load']:g}", *(f"{point[key]:.4f}" for key in ("offered", "accepted")), *measures, *rest]
            )
        lines += ["", "latency in cycles: tail, with source queue", *_table(heads, rows)]
    if result.get("saturation"):
        found = result["saturation"]
        lines += [
            "",
            f"saturation  over    {found['over']:.4f} flits per host and cycle accepted, if sources always have a packet;",
            f"                    the slowest 2 % of the sources get {_shown(found['slowest_2_percent'])} of the mean",
            f"            stable  {found['stable']:.3f} +-{found['precision']:g}: the greatest offered load of which"
            f" {100 * result['rules']['accepted']:g} % is accepted",
            f"                    with a mean latency of at most {result['rules']['limit']:g} cycles",
        ]
    speed = result["speed"]
    lines += ["", f"{speed['cycles']} cycles, {speed['cycles_per_second']:.0f} per second, {core['isa']}"]
    return "\n".join(lines) + "\n"


def _one(point, links):
    """Lines of one point; ``links`` are those of the result."""
    lines = []
    if "completion" in point:
        lines.append(
            f"completion  {point['completion']} cycles for {point['packets']} packets of {point['senders']} hosts"
        )
    else:
        state = "saturated, so the latencies grow with the time of the run" if point["saturated"] else "stable"
        if not point["packets"]:
            state += "; sources hold packets for longer than the measurement, so it has none"
        lines += [
            f"load        offered {point['offered']:.4f}, accepted {point['accepted']:.4f} flits per host and cycle: {state}",
            f"measured    {point['packets']} packets in {point['cycles']} cycles after {point['warm_up']} of warm-up,"
            f" {point['missing']} missing",
        ]
    if point["marked"] or any(point["lost"].values()):
        causes = ", ".join(f"{number} {cause}" for cause, number in point["lost"].items() if number) or "none"
        lines.append(f"not intact  {point['marked']} packets marked bad; lost: {causes}")
    rows = [
        [what, *(_shown(point["latency"][name][key], 2 if key == "mean" else 0) for key in STATISTICS)]
        for name, what in HISTOGRAMS.items()
    ]
    lines += ["", *_table(["latency in cycles", *STATISTICS], rows)]
    if point.get("confidence") is not None:
        lines.append(f"95 % confidence of the mean, with source queue: +-{point['confidence']:.2f} (batch means)")
    zero, hops = point["zero_load"], point["hops"]
    lines += ["", f"hops        mean {_shown(hops['mean'], 4)}, maximum {_shown(hops['max'])}"]
    if zero:
        lines.append(
            f"zero load   {zero['switches']:.4f} switches x {zero['switch_cycles']} + {zero['links']:.4f} links x"
            f" {zero['link_cycles']} + {zero['serialisation']:g} = {zero['latency']:.4f} cycles; contention adds"
            f" {zero['contention']:.4f}"
        )
    loaded = sorted(zip(point["links"], links), key=lambda pair: -pair[0])[:MOST_LOADED]
    busiest = [f"{row['from']} {row['port']} {load:.3f}" for load, row in loaded]
    lines.append(f"links       {'; '.join(busiest) or '-'} flits per cycle")
    fair = point["fairness"]
    lines.append(
        f"fairness    sources get {_shown(fair['least'])} to {_shown(fair['greatest'])} of the mean, the slowest 2 %"
        f" {_shown(fair['slowest_2_percent'])}; Jain's index {_shown(fair['jain'], 4)}"
    )
    return lines


class Limit:
    """A limit on every point, such as ``p99<60``: a name, one of ``<  <=  >  >=``, and a number.

    Names are those of the latency statistics (mean, median, p99, p99.9, max), with the name of a histogram and a dot in front of
    them or, without one, of the tail with the source queue; ``accepted``, ``offered`` and ``completion``. A saturated point
    keeps no limit on latencies.

    Raises
    ------
    UsageError
        If the text is not a limit.
    """

    def __init__(self, text):
        match = re.fullmatch(r"\s*([a-z0-9_.]+?)\s*(<=|>=|<|>)\s*([0-9]{1,12}(?:\.[0-9]{1,12})?)\s*", text)
        names = {key: ("queued_tail", key) for key in STATISTICS}
        names |= {f"{name}.{key}": (name, key) for name in HISTOGRAMS for key in STATISTICS}
        names |= dict.fromkeys(("accepted", "offered", "completion"))
        if not match or match[1] not in names:
            raise UsageError(
                f"A limit must be a name of {', '.join((*STATISTICS, 'accepted', 'offered', 'completion'))}, then <, <=, > or >=,"
                f" then a number, such as p99<60, not {shortened(text, 40)!r}"
            )
        self.text, self._name, self._place = text, match[1], names[match[1]]
        self._holds, self._number = OPERATIONS[match[2]], float(match[3])

    def broken(self, points):
        """``[(point, value)]`` of the rows that break the limit; the value is None if there is none."""
        found = []
        for point in points:
            value = point["latency"][self._place[0]][self._place[1]] if self._place else point.get(self._name)
            if self._place and point.get("saturated"):
                value = None
            if value is None or not self._holds(value, self._number):
                found.append((point, value))
        return found


def _object(**properties):
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": [key for key in properties if key not in _OPTIONAL],
    }


_OPTIONAL = (
    "block",
    "channel_limit",
    "load",
    "completion",
    "offered",
    "accepted",
    "saturated",
    "warm_up",
    "cycles",
    "confidence",
    "saturation",
)
_NUMBER, _MAYBE, _COUNT, _TEXT = (
    {"type": "number"},
    {"type": ["number", "null"]},
    {"type": "integer", "minimum": 0},
    {"type": "string"},
)


def _list(item):
    return {"type": "array", "items": item}


def _maybe(schema, about):
    return {"anyOf": [schema, {"type": "null"}], "description": about}


#: JSON schema of a result.
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "dsnswitch simulation",
    "description": "Result of dsnswitch simulate. Latencies are cycles, loads flits per sending host and cycle.",
    **_object(
        format={"const": "dsnswitch-simulation"},
        version={"const": 1},
        generator=_TEXT,
        network=_object(topology=_TEXT, title=_TEXT, switches=_COUNT, hosts=_COUNT),
        core=_object(
            top=_TEXT,
            routing=_TEXT,
            parameters={"type": "object"},
            luts=_COUNT,
            flip_flops=_COUNT,
            isa=_TEXT,
            block=_TEXT,
            channel_limit={
                **_NUMBER,
                "description": "Flits per cycle that a channel of the longest link carries at most: buffers and credits.",
            },
        ),
        traffic=_object(
            pattern=_TEXT,
            flits=_TEXT,
            burst=_maybe(_list(_NUMBER), "Mean cycles of bursts and of the silence between them."),
            link_delay={
                "anyOf": [_COUNT, _list(_COUNT)],
                "description": "Cycles that a link takes besides those of the switches: a number, or one for each of links.",
            },
            failed=_list(_TEXT),
            reroute={"type": ["integer", "null"], "description": "Cycles from a failure until new tables are written."},
            bit_errors={**_NUMBER, "description": "Probability per bit of an error that a link cannot correct."},
        ),
        rules=_object(
            tolerance=_NUMBER,
            accepted=_NUMBER,
            limit=_NUMBER,
            packets=_COUNT,
            warm_up={"type": ["integer", "null"]},
            cycles=_COUNT,
        ),
        links={
            **_list(_object(**{"from": _TEXT}, port=_TEXT, to=_TEXT)),
            "description": "Every link in each direction.",
        },
        points=_list(
            _object(
                load=_NUMBER,
                completion=_COUNT,
                seed=_COUNT,
                senders=_COUNT,
                offered=_NUMBER,
                accepted=_NUMBER,
                saturated={"type": "boolean"},
                warm_up=_COUNT,
                cycles=_COUNT,
                confidence={
                    **_MAYBE,
                    "description": "Half of the 95 % confidence interval of the mean of queued_tail.",
                },
                packets=_COUNT,
                missing=_COUNT,
                marked={**_COUNT, "description": "Packets that arrived with the mark bad."},
                lost={
                    **_object(**dict.fromkeys(CAUSES, _COUNT)),
                    "description": "Lost packets: an error hit the head; no live port; too many hops; back to where they came "
                    "from; not delivered by detours.",
                },
                latency=_object(
                    **{
                        name: {**_object(**dict.fromkeys(STATISTICS, _MAYBE)), "description": about}
                        for name, about in HISTOGRAMS.items()
                    }
                ),
                hops={
                    **_object(mean=_MAYBE, max={"type": ["integer", "null"]}, histogram=_list(_COUNT)),
                    "description": "Links that packets pass; the histogram begins with 0.",
                },
                zero_load=_maybe(
                    _object(
                        switches=_NUMBER,
                        switch_cycles=_COUNT,
                        links=_NUMBER,
                        link_cycles=_COUNT,
                        serialisation=_NUMBER,
                        latency=_NUMBER,
                        contention=_NUMBER,
                    ),
                    "Mean latency of these packets without contention: switches x switch_cycles + links x link_cycles + "
                    "serialisation. The contention is what the mean of tail has above it.",
                ),
                fairness={
                    **_object(least=_MAYBE, slowest_2_percent=_MAYBE, greatest=_MAYBE, jain=_MAYBE),
                    "description": "Delivered flits by source, relative to the mean of the sending hosts.",
                },
                buffers={
                    "type": "object",
                    "additionalProperties": _list(_MAYBE),
                    "description": "Mean flits in the input buffers by port and channel.",
                },
                links={**_list(_NUMBER), "description": "Loads of the links, in the order of the result's links."},
            )
        ),
        saturation=_object(
            over=_NUMBER,
            stable=_NUMBER,
            precision=_NUMBER,
            slowest_2_percent=_MAYBE,
            tried=_list(_object(load=_NUMBER, accepted=_NUMBER, latency=_MAYBE, stable={"type": "boolean"})),
        ),
        speed=_object(cycles=_COUNT, seconds=_NUMBER, cycles_per_second=_NUMBER),
    ),
}
