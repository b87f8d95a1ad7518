"""Whole topologies as files for other programs: every node, and every link with its kind and level.

Nodes carry their flat number ``(y * X + x) * m + id``; where a format has labels, the label is the address ``x,y,id``
(grid) or ``x,id`` (ring). A shortcut is listed from the node it leaves to the node it enters, in the order and number
of :func:`dsnswitch.sim.golden.topology.links`, parallel links included.
"""

import json

import networkx as nx

from ..hdl.topology import Address
from ..sim.golden.topology import links, nodes
from . import limits
from .errors import UsageError
from .topology_svg import draw

__all__ = ["FORMATS", "export"]

#: Formats of :func:`export`.
FORMATS = ("edges", "json", "graphml", "anynet", "dot", "svg")

#: Graphviz colours, by kind of link.
DOT_COLOURS = {"local": "#64748b", "x": "#b3202c", "y": "#137a54"}


def export(dsn, format):
    """The network ``dsn`` as text.

    Parameters
    ----------
    dsn : Dsn
        The ring or grid DSN.
    format : str
        ``edges``: one link a line. ``json``: the object of ``docs/topology.schema.json``. ``graphml``: an undirected
        multigraph. ``anynet``: the network file of BookSim2. ``dot``: Graphviz. ``svg``: a picture.

    Returns
    -------
    str
        The text of the file, which ends with a newline. It is the same on every run.

    Raises
    ------
    UsageError
        If the format is unknown, or the network is too large for it.
    """
    if format not in FORMATS:
        raise UsageError(f"Topology format must be one of {', '.join(FORMATS)}, not {format!r}")
    limits.at_most(limits.MOST_NODES, dsn.nodes, f"Nodes of a topology to write, {dsn.name},")
    return _WRITERS[format](dsn)


def _addresses(dsn):
    """Number and :class:`Address` of every node, by number."""
    found = ((address.number(dsn), address) for address in (Address(node[:-1], node[-1]) for node in nodes(dsn)))
    return sorted(found, key=lambda pair: pair[0])


def _numbered(dsn):
    """Every link as ``(source, target, kind, level, length)`` with flat numbers; None twice for a local link."""
    for link in links(dsn):
        source, target = (Address(node[:-1], node[-1]).number(dsn) for node in (link.source, link.target))
        length = None if link.level is None else dsn.length(dsn.dimensions.index(link.kind), link.level)
        yield source, target, link.kind, link.level, length


def _edges(dsn):
    lines = ["# source target kind level"]
    for source, target, kind, level, _ in _numbered(dsn):
        lines.append(f"{source} {target} {kind} {'-' if level is None else level}")
    return "\n".join(lines) + "\n"


def _json(dsn):
    head = {
        "format": "dsnswitch-topology",
        "version": 1,
        "topology": dsn.topology,
        "sizes": list(dsn.sizes),
        "supernode": dsn.supernode.name,
        "m": dsn.m,
        "levels": list(dsn.levels),
    }
    every_node = [{"number": number, "address": [*at.coordinates, at.id]} for number, at in _addresses(dsn)]
    every_link = [dict(zip(("source", "target", "kind", "level", "length"), link)) for link in _numbered(dsn)]
    # json.dumps can only indent everything or nothing; one node or link a line is what people read and diff.
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, rows in (("nodes", every_node), ("links", every_link)):
        body = ",\n".join(f"    {json.dumps(row)}" for row in rows)
        lines.append(f'  "{key}": [\n{body}\n  ]' if rows else f'  "{key}": []')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _graphml(dsn):
    """GraphML has no null: a local link has neither ``level`` nor ``length``."""
    net = nx.MultiGraph(name=dsn.name)
    for number, at in _addresses(dsn):
        net.add_node(number, address=str(at), **dict(zip(dsn.dimensions, at.coordinates)), id=at.id)
    for source, target, kind, level, length in _numbered(dsn):
        shortcut = {} if level is None else {"level": level, "length": length}
        # An undirected edge may be written either way round: say which end the shortcut leaves.
        net.add_edge(source, target, kind=kind, leaves=source, **shortcut)
    return "\n".join(nx.generate_graphml(net)) + "\n"


def _anynet(dsn):
    """BookSim2's ``network_file``: one router for each switch, with one node (terminal) of the same number.

    A link is listed at one end only, the one it leaves: BookSim2 adds the other direction by itself, and all channels
    take its default latency of one cycle. BookSim2 keeps one link between two routers, so it would merge parallel
    links, which only networks as small as two supernodes of one node or three of two have. The format has no comments.
    """
    lines = [[f"router {number} node {number}"] for number in range(dsn.nodes)]
    for source, target, *_ in _numbered(dsn):
        lines[source].append(f"router {target}")
    return "\n".join(map(" ".join, lines)) + "\n"


def _dot(dsn):
    lines = [f"graph {dsn.name} {{", "  node [shape=circle, fontsize=9, margin=0];"]
    lines += [f'  {number} [label="{at}"];' for number, at in _addresses(dsn)]
    for source, target, kind, level, _ in _numbered(dsn):
        at_level = "" if level is None else f", level={level}"
        lines.append(f'  {source} -- {target} [color="{DOT_COLOURS[kind]}", kind={kind}{at_level}];')
    return "\n".join(lines) + "\n}\n"


_WRITERS = dict(zip(FORMATS, (_edges, _json, _graphml, _anynet, _dot, draw)))
