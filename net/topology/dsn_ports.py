"""Output ports of a DSN switch and their links. Port numbers are the same at every node of a DSN.

Local ports come first, in the order of the supernode shape, then ``x_forward``, ``x_backward``, ``y_forward`` and
``y_backward``. A dimension of one supernode has no shortcuts and no ports. Shortcuts of different levels are at different
ids, so most nodes have no link on some ports; routing never uses these.
"""

from dataclasses import dataclass

from dsnswitch.net.topology.network import Port

__all__ = ["PortLink", "backward_level", "forward_level", "port_links", "ports"]


@dataclass(frozen=True)
class PortLink:
    """The link on a port at all nodes with one id.

    ``level`` is 1..p, ``offset`` the signed distance in supernodes along the ring (modulo its size), ``to_id`` the id of
    the node at the other end. A local link has level None and offset 0.
    """

    port: Port
    level: int | None
    offset: int
    to_id: int


def ports(dsn):
    """All output ports of a switch of ``dsn``, by index."""
    rows = [(f"local_{name}", "local", None) for name in dsn.supernode.port_names]
    for dimension, levels in zip(dsn.dimensions, dsn.levels):
        if levels:
            rows += [(f"{dimension}_{way}", dimension, way) for way in ("forward", "backward")]
    return tuple(Port(index, *row) for index, row in enumerate(rows))


def forward_level(levels, node):
    """Level of the shortcut that leaves node id ``node``, or None (level k leaves id k - 1)."""
    return node + 1 if node < levels else None


def backward_level(levels, m, node):
    """Level of the shortcut that enters node id ``node``, or None (level k enters id k mod m)."""
    level = node if node else m
    return level if level <= levels else None


def port_links(dsn, node):
    """The links of a node with id ``node``, as a tuple of :class:`PortLink` in port order; absent links are left out."""
    links = []
    for port in ports(dsn):
        if port.kind == "local":
            links.append(PortLink(port, None, 0, dsn.supernode.neighbour(node, port.index)))
            continue
        dimension = dsn.dimensions.index(port.kind)
        levels = dsn.levels[dimension]
        if port.direction == "forward":
            level = forward_level(levels, node)
            if level is not None:
                links.append(PortLink(port, level, dsn.length(dimension, level), level % dsn.m))
        else:
            level = backward_level(levels, dsn.m, node)
            if level is not None:
                links.append(PortLink(port, level, -dsn.length(dimension, level), level - 1))
    return tuple(links)
