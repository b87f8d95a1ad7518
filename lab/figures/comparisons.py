"""Means and ratios of figures."""

import statistics

from dsnswitch.lab.figures.measured_set import nodes

__all__ = ["mean", "of_nodes", "ratio", "ratios"]


def mean(entries):
    """Mean delay and area of several figures."""
    return {key: statistics.mean(entry[key] for entry in entries) for key in ("delay", "area")}


def of_nodes(store):
    """Number of sampled nodes, and mean figures of their specialised DSN logic and of the torus logic at the same nodes."""
    found = nodes()
    means = [mean([store.of(block) for block in found[kind]]) for kind in ("nodes", "places")]
    return len(found["nodes"]), *means


def ratio(ours, theirs, key="delay"):
    """Quotient of one figure of two blocks, as text with two decimals."""
    return f"{ours[key] / theirs[key]:.2f}"


def ratios(ours, theirs):
    """Quotients of delay and area of two blocks, as text."""
    return f"{ratio(ours, theirs)} times the delay and {ratio(ours, theirs, 'area')} times the area"
