"""Statistics from the counters of the runtime."""

from typing import Any

import numpy as np

from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.points import NetworkStatistics, Statistics
from dsnswitch.sim.network.engine.runtime import CAUSES

__all__ = ["network_statistics", "statistics_of"]

#: Numbers of :class:`Statistics` that the runtime counts under the same names.
COUNTED = (
    *("offered_packets", "offered_flits", "injected_packets", "injected_flits", "delivered_packets", "delivered_flits"),
    *("measured", "missing", "marked", "lost_flits", "longest_wait"),
)


def network_statistics(cycles: int, hosts: int, counts: Any) -> NetworkStatistics:
    """The :class:`NetworkStatistics` of a virtual network from its counters, as ``sim_networks`` of the runtime has them."""
    names = (*COUNTED[:2], *COUNTED[4:7])
    return NetworkStatistics(cycles=cycles, hosts=hosts, **{name: getattr(counts, name) for name in names}, **_latencies(counts))


def _latencies(counts):
    """Histograms, sums and greatest latencies."""
    names = ("head", "tail", "queued_head", "queued_tail")
    histograms = np.ctypeslib.as_array(counts.histogram).copy()
    return dict(zip(names, histograms)) | {"sums": dict(zip(names, counts.sums)), "greatest": dict(zip(names, counts.greatest))}


def statistics_of(
    core: Core, cycles: int, counts: Any, links: np.ndarray, sources: np.ndarray, destinations: np.ndarray, fill: np.ndarray
) -> Statistics:
    """The :class:`Statistics` of a point after some cycles, from its counters as ``sim_counts`` of the runtime has them."""
    ports = (*core.links, *core.host_ports)
    # Ports in the manifest's order.
    order = [ports.index(port) for port in core.manifest["core_ports"]]
    mean = fill / max(1, counts.fill_samples) / core.network.nodes
    for row, port in zip(mean, ports):
        row[core.channels(port) :] = np.nan
    return Statistics(
        cycles=cycles,
        hosts=int(core.present.sum()),
        **{name: getattr(counts, name) for name in COUNTED},
        lost=dict(zip(CAUSES, counts.lost)),
        **_latencies(counts),
        hops=np.ctypeslib.as_array(counts.hops).copy(),
        link_flits=links[:, core.link_of],
        source_flits=sources,
        destination_flits=destinations,
        fill=mean[order],
    )
