"""Runs experiments as sweeps, checks the identity at zero load, and records their curves."""

from functools import lru_cache
from pathlib import Path

from dsnswitch.gen.config import build
from dsnswitch.gen.writing import make_folder, write_text
from dsnswitch.lab.sweep.plan import read_plan
from dsnswitch.lab.sweep.run import Sweep
from dsnswitch.lab.sweep.store import Store
from dsnswitch.lab.sweep.table import index, write_index
from dsnswitch.net.analysis.paths import loads
from dsnswitch.net.messages import unwatched
from dsnswitch.net.reading import read_text
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.registry import parse_network
from tools.network import zero_load
from tools.network.cost import cost
from tools.network.inputs import expanded

__all__ = ["entry", "measured", "static"]

#: Maximum number of pairs of a representative and a destination whose routes are followed for the static bound.
MOST_PAIRS = 1 << 20


#: Experiments that state the cost of each core.
COSTED = ("storage-packets",)


def measured(name, path, folder, executor, known=None, bar=unwatched):
    """Run the experiment of the file ``path`` in ``folder`` and return its entries; stored points are not run again.

    ``known`` are the recorded entries by their labels, from which costs are taken. ``bar(points, label, count)`` puts a progress
    bar around an iterable.

    Raises
    ------
    UsageError
        If the file is wrong, or the latency at zero load is not that of its hops.
    """
    text = expanded(read_text(path, "Experiment"), folder)
    make_folder(Path(folder, name, "results"))
    write_text(Path(folder, f"{name}.toml"), text)
    plan = read_plan(Path(folder, f"{name}.toml"))
    sweep = Sweep(plan, Store(Path(folder, name)))
    try:
        for _ in bar(sweep.points(executor), name, plan.expected):
            pass
    finally:
        write_index(Path(folder, name), sweep)
    abouts = index(sweep)["curves"]
    found = [entry(name, curve, about, state.rows) for curve, about, state in zip(plan.curves, abouts, sweep.states)]
    if name in COSTED:
        for one, curve in zip(bar(found, f"{name}, cost", len(found)), plan.curves):
            one["cost"] = cost(curve.experiment.core, (known or {}).get(one["label"], {}).get("cost"))
    return found


def entry(name, curve, about, rows):
    """What is recorded of a curve.

    ``storage`` is the number of flits in all buffers of a switch, and ``channels`` that of these buffers. ``average_path`` and
    ``bound`` (greatest load by the busiest link under uniform traffic, flits per host and cycle) follow from the routes.
    ``zero_load`` is that of a trace, with the measured latency of a hop. An exchange has one point, without an offered load; its
    accepted load is the effective throughput (T 4.4): all flits by hosts that send and cycles until the last arrives. ``error``
    is the first error that ended a simulation. ``cost`` is that of the core in some experiments
    (:func:`tools.network.cost.cost`), else None.
    """
    one, saturation = curve.experiment, about["saturation"] or {}
    errors = [found["error"] for found in about["errors"]]
    rows = {load: row for load, row in rows.items() if row is not None}
    channels = sum(map(len, next((row["buffers"].values() for row in rows.values()), ())))
    depth, is_trace = curve.parameters["depth"], one.traffic["pattern"].startswith("trace:")
    path, bound = static(one)
    hosts = one.hosts
    return {
        "experiment": name,
        "series": curve.series,
        "label": curve.label,
        "network": one.network.title,
        "topology": one.network.spelling.rpartition("/")[2],
        "routing": one.routing,
        "pattern": one.traffic["pattern"].partition(":")[0],
        "switches": one.network.nodes,
        "hosts": hosts,
        "packet": one.values["packet"],
        "depth": depth,
        "channels": channels,
        "storage": _storage(one.core),
        "link_delay": one.attributes["delay"],
        "failed": len(one.attributes["failed"]) + len(one.failures),
        "seed": one.attributes["seed"],
        "average_path": path,
        "bound": None if bound is None else round(bound * one.network.nodes / hosts, 4),
        **{key: saturation.get(key) for key in ("stable", "precision", "over")},
        "zero_load": _zero_load(curve, rows) if is_trace and not errors else None,
        "error": errors[0] if errors else None,
        "cost": None,
        "points": [] if is_trace else [_point(row if one.loads else _completed(one, row)) for _, row in sorted(rows.items())],
    }


def _storage(core):
    """Flits of all buffers of a switch."""
    block = build({"block": "switch-core", **core})
    shape = getattr(block, "core", block).shape
    return sum(map(shape.storage, shape.ports))


def _zero_load(curve, rows):
    (row,) = rows.values()
    hop = zero_load.check(curve.label, row)
    return {"hop": hop, "hops": row["hops"]["mean"], "mean": row["latency"]["queued_tail"]["mean"], "packets": row["packets"]}


def _completed(one, row):
    """The row of an exchange as that of a load."""
    flits = int(one.attributes["trace"][:, 3].sum())
    return {"load": None, "accepted": round(flits / (row["completion"] * row["senders"]), 6), "saturated": False, **row}


def _point(row):
    latency = row["latency"]["queued_tail"]
    lost = row.get("lost") or {}
    return {
        "load": row["load"],
        "accepted": row["accepted"],
        "saturated": row["saturated"],
        "mean": latency["mean"],
        "p99": latency["p99"],
        "hops": row["hops"]["mean"],
        "contention": (row["zero_load"] or {}).get("contention"),
        "packets": row["packets"],
        "lost": sum(lost.values()) if isinstance(lost, dict) else int(lost),
    }


def static(one):
    """Average path and bound of the throughput, in flits per switch and cycle, of an :class:`Experiment` under uniform traffic.

    None if more than one kind of route is possible, as with detours around failed links.
    """
    tables, lookup = one.attributes["tables"], one.values.get("lookup", "algorithm")
    if lookup == "table" and not one.rewrites:
        walked = tables.walked
        # Pairs of hosts at the same switch take no link, and are left out as in net.analysis.paths.
        pairs = walked.hops[1:].sum()
        path = float((range(len(walked.hops)) * walked.hops).sum() / pairs)
        ends = sum(1 for _ in one.network.terminals())
        return round(path, 4), (ends - 1) / float(walked.load.max())
    if lookup != "algorithm" or one.attributes["failed"] or one.failures:
        return None, None
    return _of_relation(one.network.spelling, one.values.get("routing") or "base")


@lru_cache
def _of_relation(spelling, routing):
    network = parse_network(spelling)
    if len(network.representatives()) * network.nodes > MOST_PAIRS:
        return None, None
    found = loads(relation_of(network, routing))
    return round(found.average_path, 4), found.bound
