"""Results of simulations as JSON and CSV."""

import math
from typing import Any

import numpy as np

from dsnswitch.net import printing

__all__ = [
    "HISTOGRAMS",
    "STATISTICS",
    "completed_row",
    "csv_row",
    "csv_text",
    "failed_links",
    "link_delays",
    "link_rows",
    "point_row",
    "saturation_row",
]

#: Names of the latency statistics, with their quantiles.
QUANTILES = {"median": 0.5, "p99": 0.99, "p99.9": 0.999}
STATISTICS = ("mean", *QUANTILES, "max")

#: Histograms of :class:`~dsnswitch.sim.network.engine.points.Statistics` in the order of the output, and what they are.
HISTOGRAMS = {
    "head": "head, in the network",
    "tail": "tail, in the network",
    "queued_head": "head, with source queue",
    "queued_tail": "tail, with source queue",
}


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
    return {"mean": _number(mean), "max": last - 1 if last else None, "histogram": [int(count) for count in histogram[:last]]}


def _ports(core):
    """``[(switch, port, end)]`` of every link in each direction."""
    network = core.network
    return [(switch, port, end) for switch in network.switches() for port, end in network.links_of(switch)]


def link_rows(core) -> list[dict]:
    """Every link in each direction, in the order in which points state the loads."""
    spell = core.network.spell_switch
    return [{"from": spell(switch), "port": port.name, "to": spell(end[0])} for switch, port, end in _ports(core)]


def link_delays(network, delay) -> Any:
    """Delays of the links for JSON: a number, or one for each link in the order of :func:`link_rows`."""
    if not isinstance(delay, dict):
        return delay
    both = delay | {network.neighbour(*end): cycles for end, cycles in delay.items()}
    return [both.get((switch, port.index), 0) for switch in network.switches() for port, _ in network.links_of(switch)]


def failed_links(network, failed) -> list[dict]:
    """The links that fail, for JSON, with the cycles in which they fail and return; ``failed`` is what ``failures`` returns."""
    return [
        {
            "from": network.spell_switch(one.switch),
            "port": network.ports[one.port].name,
            "to": network.spell_switch(network.neighbour(one.switch, one.port)[0]),
            "cycle": one.begin,
            **({} if one.end is None else {"returns": one.end}),
        }
        for one in failed
    ]


def _links(core, statistics, cycles):
    """Loads of all links in flits per cycle."""
    flits, number = statistics.link_flits, core.network.number
    return [round(int(flits[number(switch), port.index]) / max(1, cycles), 6) for switch, port, _ in _ports(core)]


def _fairness(statistics, sending):
    """How evenly the sources get their packets through, by delivered flits: relative to the mean of the sending hosts."""
    flits = statistics.source_flits[sending].astype(float)
    waits = {"silent": int((flits == 0).sum()), "longest_wait": statistics.longest_wait}
    if not flits.sum():
        return {"least": None, "slowest_2_percent": None, "greatest": None, "jain": None, **waits}
    shares = np.sort(flits / flits.mean())
    return {
        "least": _number(shares[0]),
        "slowest_2_percent": _number(shares[: max(1, len(shares) // 50)].mean()),
        "greatest": _number(shares[-1]),
        "jain": _number(flits.sum() ** 2 / (len(flits) * (flits**2).sum())),
        **waits,
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
    source = {"source_cycles": core.source_cycles} if core.source_cycles else {}
    mean = (hops["mean"] + 1) * each + hops["mean"] * delay + core.source_cycles + flits - 1
    return {
        "switches": _number(hops["mean"] + 1),
        "switch_cycles": each,
        "links": hops["mean"],
        "link_cycles": delay,
        **source,
        "serialisation": _number(flits - 1),
        "latency": _number(mean),
        "contention": _number(statistics.mean("tail") - mean),
    }


def _virtual_networks(statistics, senders):
    """Loads and latencies of each virtual network, if there are several."""
    if not statistics.virtual_networks:
        return {}
    cycles = max(1, statistics.cycles * senders)
    return {
        "virtual_networks": [
            {
                "offered": _number(one.offered_flits / cycles),
                "accepted": _number(one.delivered_flits / cycles),
                "packets": one.measured,
                "latency": _latency(one),
            }
            for one in statistics.virtual_networks
        ]
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
        **_virtual_networks(statistics, int(sending.sum())),
    }


def point_row(core, point, found) -> dict[str, Any]:
    """A :class:`~dsnswitch.sim.network.experiment.measure.Measured` as a dictionary for JSON."""
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


def completed_row(core, point, found) -> dict[str, Any]:
    """A :class:`~dsnswitch.sim.network.experiment.measure.Completed` as a dictionary for JSON."""
    return {
        "completion": found.cycles,
        "seed": point.seed,
        "senders": int(found.senders.sum()),
        **_common(core, point, found.statistics, found.senders, found.cycles),
    }


def saturation_row(found) -> dict[str, Any]:
    """A :class:`~dsnswitch.sim.network.experiment.measure.Saturation` as a dictionary for JSON."""
    keys = ("load", "accepted", "latency", "stable")
    return {
        "over": _number(found.over),
        "stable": _number(found.stable),
        "precision": found.precision,
        "slowest_2_percent": _number(found.slowest),
        "tried": [
            {key: value if isinstance(value, bool) else _number(value) for key, value in zip(keys, row)} for row in found.tried
        ],
    }


def csv_row(point: dict[str, Any]) -> dict[str, Any]:
    """A point of a result as a line of a table, ``{column: value}``."""
    row = {key: point[key] for key in _CSV if key in point}
    row |= {"lost": sum(point["lost"].values()), "hops": point["hops"]["mean"]}
    for name in HISTOGRAMS:
        row |= {f"{name}_{key}": point["latency"][name][key] for key in STATISTICS}
    row |= {"zero_load": (point["zero_load"] or {}).get("latency"), "least_source": point["fairness"]["least"]}
    row["greatest_link"] = max(point["links"], default=None)
    return {key: int(value) if isinstance(value, bool) else value for key, value in row.items()}


def csv_text(result: dict[str, Any]) -> str:
    """The points of a result as CSV, one line each, with the loads of saturation if there are any; an absent value is empty."""
    found = result.get("saturation")
    both = {f"saturation_{key}": found[key] for key in ("stable", "over")} if found else {}
    rows = [csv_row(point) | both for point in result["points"]]
    return printing.csv_text([rows[0] if rows else _CSV, *(row.values() for row in rows)])


_CSV = (
    *("load", "completion", "seed", "offered", "accepted", "saturated", "warm_up", "cycles", "confidence"),
    *("packets", "missing", "marked"),
)
