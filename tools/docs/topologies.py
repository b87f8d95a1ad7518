"""The table of topologies: how each is spelt, and how it is routed."""

from dsnswitch.net.topology.registry import parse_network, topology_of
from tools.docs.markdown import table

#: An example of each topology, in the order of the page.
EXAMPLES = (
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
)


def topologies(_store):
    """A row for each topology: without a closed form, its routing is that of tables."""
    body = []
    for text in EXAMPLES:
        network = parse_network(text)
        routing = "tables" if network.is_tabled else ", ".join(network.routings)
        body.append([f"`{topology_of(text.partition(':')[0]).form}`", f"`{text}`", routing])
    return table(["spelling", "example", "routing"], body)


#: The generated part of docs/topologies.md.
PARTS = {"topologies": topologies}
