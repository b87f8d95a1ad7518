"""What a DSN is: frozen, validated parameters and the ports that follow from them. No Amaranth here."""

from .address import Address, parse_address
from .dsn import MAX_RING, Dsn, grid, ring
from .ports import Port, port_links, ports
from .supernode import MAX_NODES, Coc, K4x2, RingSupernode, Supernode, parse_supernode

__all__ = [
    "MAX_NODES",
    "MAX_RING",
    "Address",
    "Coc",
    "Dsn",
    "K4x2",
    "Port",
    "RingSupernode",
    "Supernode",
    "grid",
    "parse_address",
    "parse_supernode",
    "port_links",
    "ports",
    "ring",
]
