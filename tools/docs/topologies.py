"""The generated part of docs/topologies.md: an example of each topology, and its sizes."""

import numpy as np

from dsnswitch.net.analysis.paths import shortest_lengths
from dsnswitch.net.topology.registry import TOPOLOGIES, parse_network, topology_of
from tools.docs.markdown import table

#: An example of each topology that users name by parameters.
EXAMPLES = [
    "grid:8x8:k4x2",
    "ring:16:ring-4",
    "dsn-3d:4x4x4:k4x2",
    "dsn-f:160",
    "dsn-x:n=256",
    "dln:n=256",
    "torus:8x8x4",
    "mesh:8x8",
    "hypercube:8",
    "folded-hypercube:n=8",
    "hyperx:8x8",
    "flattened-butterfly:k=8,n=3",
    "dragonfly:a=8,h=4",
    "slimfly:q=13",
    "mlfm:h=8",
    "oft:k=8",
    "fattree:k=8",
    "tree:k=4,n=3",
    "butterfly:k=4,n=3",
    "de-bruijn:d=3,n=5",
    "kautz:n=5,m=4",
    "star:n=5",
    "random-ring:n=256,degree=6",
    "nbr:n=256,degree=6,alpha=0.5",
    "gau:n=256,degree=6,alpha=1.0",
    "jellyfish:n=256,degree=6",
    "kleinberg:n=16",
    "skywalk:columns=8,rows=4",
    "permuted:cabinet=16:torus:16x16",
]


def _routing(network):
    return "tables" if network.is_tabled else ", ".join(network.routings)


def _span(values):
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def examples(_store):
    """Rows of spelling, example, switches, hosts, links of a switch, diameter of the switches with hosts, and routing."""
    rows = []
    for spelling in EXAMPLES:
        network = parse_network(spelling)
        form = topology_of(spelling.partition(":")[0]).form
        starts = [row for row, switch in enumerate(network.representatives()) if network.hosts_of(switch)]
        ends = [network.number(switch) for switch in network.terminals()]
        degrees = [len(network.links_of(switch)) for switch in network.switches()]
        rows.append(
            [
                f"`{form}`",
                f"`{spelling}`",
                f"{network.nodes:,}",
                f"{sum(map(network.hosts_of, network.switches())):,}",
                _span(degrees),
                str(int(shortest_lengths(network)[np.ix_(starts, ends)].max())),
                _routing(network),
            ]
        )
    return table(["spelling", "example", "switches", "hosts", "links of a switch", "diameter", "routing"], rows)


def unlisted():
    """Names of topologies without an example, besides graphs of files."""
    return TOPOLOGIES.keys() - {spelling.partition(":")[0] for spelling in EXAMPLES} - {"graph"}


PARTS = {"topologies": examples}
