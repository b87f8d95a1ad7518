"""The traffic of a point as the runtime reads it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dsnswitch.sim.network.engine.points import Point
from dsnswitch.sim.network.engine.runtime import Traffic

__all__ = ["mean_length", "traffic_of"]


def mean_length(point: Point, longest: int) -> float:
    """Mean flits of a point's packets."""
    lengths = point.lengths or {longest: 1}
    return sum(flits * share for flits, share in lengths.items()) / sum(lengths.values())


def traffic_of(
    point: Point, present: np.ndarray, longest: int, flit: int, base: int, keep: Callable[[Any, Any], int], networks: int = 1
) -> Traffic:
    """The :class:`~dsnswitch.sim.network.engine.runtime.Traffic` of a :class:`~dsnswitch.sim.network.engine.points.Point`.

    ``present`` says which places of hosts have one, ``networks`` is the number of virtual networks. ``longest`` are the flits of
    the longest packet of the core, ``flit`` the bits of a flit, ``base`` is the first copy of the point, and ``keep`` is as for
    ``config_of``. Raises :class:`ValueError` if the point asks for something that is impossible.
    """
    hosts = len(present)
    lengths = dict(point.lengths or {longest: 1.0})
    if not lengths or not all(1 <= flits <= longest and share >= 0 for flits, share in lengths.items()):
        raise ValueError(f"Packets must have 1..{longest} flits, not {sorted(lengths)}")
    shares = np.cumsum(list(lengths.values()))
    shares = shares / shares[-1]
    shares[-1] = 1.0
    traffic = Traffic(
        base=base,
        lengths=len(lengths),
        ordered=point.ordered,
        log=point.log,
        lossy=point.lossy,
        errors=point.errors,
        seed=point.seed,
        length_cdf=keep(shares, np.float64),
        length_of=keep(list(lengths), np.int32),
    )
    _set_networks(point, traffic, hosts, networks, keep)
    if point.payloads is not None and point.trace is None:
        raise ValueError("Payloads are those of a trace")
    if not 0 <= point.errors <= 0.5:
        raise ValueError(f"Probability of errors must be in 0..0.5, not {point.errors}")
    if sum(value is not None for value in (point.destinations, point.weights, point.trace)) > 1:
        raise ValueError("A point has destinations, weights, or a trace, not two of them")
    weights = point.weights
    if all(value is None for value in (point.destinations, weights, point.trace)) and not present.all():
        weights = present.astype(float)
    if point.destinations is not None:
        table = np.asarray(point.destinations)
        if table.shape != (hosts,) or table.min() < -1 or table.max() >= hosts:
            raise ValueError(f"Destinations must be {hosts} numbers of hosts in -1..{hosts - 1}")
        traffic.table = keep(table, np.int32)
    elif weights is not None:
        weights = np.atleast_2d(np.asarray(weights, float))
        rest = weights.sum(1) - (np.diag(weights) if len(weights) > 1 else weights.max(1))
        if weights.shape not in ((1, hosts), (hosts, hosts)) or (weights < 0).any() or not (rest > 0).all():
            raise ValueError(f"Weights must be {hosts} numbers from 0, or that for each source, not all for itself")
        cdf = np.cumsum(weights, 1)
        # A random number of 0 must not choose a first host whose weight is 0.
        traffic.cdf, traffic.cdf_rows = keep(np.where(cdf == 0, -1, cdf / cdf[:, -1:]), np.float64), len(weights)
    elif point.trace is not None:
        _set_trace(point, traffic, np.asarray(point.trace, np.int64).reshape(-1, 4), hosts, longest, flit, keep)
    elif hosts < 2:
        raise ValueError("Uniform traffic needs two hosts")
    if point.burst is not None:
        if point.burst.on < 1 or point.burst.off < 1:
            raise ValueError(f"Bursts and pauses must last at least 1 cycle, not {point.burst}")
        traffic.on, traffic.off = point.burst.on, point.burst.off
    return traffic


def _set_networks(point, traffic, hosts, networks, keep):
    """What hosts do with virtual networks."""
    shares = np.asarray([1] * networks if point.shares is None else point.shares, float)
    if shares.shape != (networks,) or (shares < 0).any() or not shares.sum():
        raise ValueError(f"Shares must be {networks} numbers from 0, one for each virtual network, not {point.shares}")
    cumulated = np.cumsum(shares / shares.sum())
    # A random number of 0 must not choose a first virtual network whose share is 0.
    traffic.shares = keep(np.where(cumulated == 0, -1, cumulated / cumulated[-1]), np.float64)
    if point.blocked is not None:
        if np.shape(point.blocked) != (hosts,):
            raise ValueError(f"Blocked virtual networks must be {hosts} numbers, one for each host")
        traffic.blocked = keep(point.blocked, np.uint8)
    if point.loop is None:
        return
    if point.lossy or point.errors or point.payloads is not None:
        raise ValueError("Hosts that answer requests need links that lose nothing, and payloads of their own")
    if networks > 1 and point.shares is not None:
        raise ValueError("Hosts that answer requests choose the virtual networks of packets")
    traffic.outstanding, traffic.reply_queue = point.loop.outstanding, point.loop.queue
    traffic.reply_delay = point.loop.delay


def order_of(trace: np.ndarray) -> np.ndarray:
    """The order in which the runtime has the rows of a trace: by source, then by cycle."""
    return np.lexsort((trace[:, 0], trace[:, 1]))


def _set_trace(point, traffic, trace, hosts, longest, flit, keep):
    order = order_of(trace)
    rows = trace[order]
    inside = (rows >= [0, 0, 0, 1]) & (rows < [1 << 62, hosts, hosts, longest + 1])
    if not inside.all():
        wrong = rows[~inside.all(1)][0]
        raise ValueError(f"A trace has cycle, source, destination, flits, not {', '.join(map(str, wrong))}")
    traffic.trace = keep(rows[:, [0, 2, 3]], np.uint64)
    traffic.trace_first = keep(np.searchsorted(rows[:, 1], np.arange(hosts + 1)), np.uint64)
    if point.payloads is not None:
        if [len(words) for words in point.payloads] != trace[:, 3].tolist():
            raise ValueError("Payloads must have a number for each flit of each row of the trace")
        chunks = -(-flit // 64)
        data = np.zeros((len(order), longest, chunks), np.uint64)
        for place, row in enumerate(order):
            for number, word in enumerate(point.payloads[row]):
                if not 0 <= word < 1 << flit:
                    raise ValueError(f"The data of a flit must have at most {flit} bits, not {word}")
                for chunk in range(chunks):
                    data[place, number, chunk] = word >> 64 * chunk & (1 << 64) - 1
        traffic.data = keep(data, np.uint64)
