"""The packets of a simulation as CSV: when each was offered, entered the network and arrived, and between which hosts."""

from typing import Any

import numpy as np

from dsnswitch.sim.network.workload.patterns import host_numbers

__all__ = ["MOST_LOGGED", "log_text", "measured_packets"]

#: Maximum number of packets that a log is expected to have.
MOST_LOGGED = 1 << 22

#: First line of a log. All cycles are those since the start of the simulation.
COLUMNS = "load,offered,entered,arrived,source,destination,flits,hops"


def measured_packets(records, row) -> Any:
    """Of the :data:`~dsnswitch.sim.network.engine.points.Delivered` of a point, those that were offered while it was measured.

    ``row`` is that of the point in a result. All packets of an exchange or a trace are measured.
    """
    if "warm_up" not in row:
        return records
    # The packets of the first cycle were offered before the measurement began, at the end of the cycle before.
    since = records["offered"].astype(np.int64) - row["warm_up"]
    return records[(since > 0) & (since <= row["cycles"])]


def log_text(core, points) -> str:
    """The log of ``[(load or None, packets)]`` as text, in the order of arrivals.

    Hosts have the numbers of a trace. *Entered* is the cycle in which the head is at the input of the first core, *arrived*
    that in which the tail is at the output of the last.
    """
    network, each = core.network, len(core.host_ports)
    number = np.arange(core.hosts)
    if network.is_uneven:
        every = host_numbers(network, each)
        number[every] = np.arange(len(every))
    lines = [COLUMNS]
    for load, records in points:
        columns = [records[name].tolist() for name in ("offered", "injected", "tail")]
        columns += [number[records[name]].tolist() for name in ("source", "destination")]
        columns += [records["flits"].tolist(), (records["hops"] - 1).tolist()]
        first = "" if load is None else f"{load:g}"
        lines += [f"{first},{','.join(map(str, row))}" for row in zip(*columns)]
    return "\n".join(lines) + "\n"
