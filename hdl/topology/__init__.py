"""Networks: the protocol that every topology satisfies, the DSN, DSN-F and the torus. Pure Python, no Amaranth."""

from .dsn import MAX_RING, Dsn, grid, ring
from .dsn_f import DsnF
from .dsn_ports import port_links, ports
from .graph import Graph
from .network import Field, Link, Network, Port
from .spelling import TOPOLOGIES, parse_network
from .supernode import MAX_NODES, Coc, K4x2, RingSupernode, Supernode, parse_supernode
from .torus import MAX_DIMENSIONS, MAX_SIDE, Torus

__all__ = [
    "MAX_DIMENSIONS",
    "MAX_NODES",
    "MAX_RING",
    "MAX_SIDE",
    "TOPOLOGIES",
    "Coc",
    "Dsn",
    "DsnF",
    "Field",
    "Graph",
    "K4x2",
    "Link",
    "Network",
    "Port",
    "RingSupernode",
    "Supernode",
    "Torus",
    "grid",
    "parse_network",
    "parse_supernode",
    "port_links",
    "ports",
    "ring",
]
