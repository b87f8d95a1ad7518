"""Exports of whole topologies as files for other programs: every node, and every link with its kind and level.

Nodes are identified by their flat number (:meth:`Network.number`). If a format has labels, the label is the address, such as
``x,y,id`` of a grid DSN. Links have the order of :meth:`Network.links`, and parallel links are included. A shortcut of a DSN is
listed from the node that it leaves to the node that it enters.
"""

import json
from itertools import cycle

from ...hdl.topology import Dsn, DsnF, Graph
from .. import limits
from ..errors import UsageError
from .dsn_f_picture import draw_dsn_f
from .dsn_picture import draw

__all__ = ["FORMATS", "export"]

#: Formats of :func:`export`.
FORMATS = ("edges", "json", "graphml", "anynet", "dot", "svg")

#: Graphviz colours of local links, and of other kinds of links, used in turn.
LOCAL_COLOUR = "#64748b"
COLOURS = ("#b3202c", "#137a54", "#1d4ed8", "#a16207", "#7e22ce", "#0f766e")


def export(network, format):
    """A network as text.

    Parameters
    ----------
    network : Network
        The network.
    format : str
        ``edges``: one link per line. ``json``: the object of ``docs/topology.schema.json``. ``graphml``: an undirected
        multigraph. ``anynet``: the network file of BookSim2. ``dot``: Graphviz. ``svg``: a picture (DSNs only).

    Returns
    -------
    str
        The text of the file, which ends with a newline. It is the same on every run.

    Raises
    ------
    UsageError
        If the format is unknown, the network is too large or has hosts, or there is no picture of it.
    """
    if format not in FORMATS:
        raise UsageError(f"Topology format must be one of {', '.join(FORMATS)}, not {format!r}")
    limits.at_most(limits.MOST_NODES, network.nodes, f"Nodes of a topology to write, {network.name},")
    if isinstance(network, Graph) and network.hosts:
        raise UsageError(f"A graph to write must have no hosts, {network.spelling} has {len(network.hosts)}")
    return _WRITERS[format](network)


def _numbered(network):
    """Every link as ``(source, target, kind, level, length)`` with flat numbers.

    Level and length are None for a link without a level.
    """
    for link in network.links():
        level = network.level(link.source, link.port)
        kind = network.ports[link.port].kind
        length = None if level is None else network.length(network.dimensions.index(kind), level)
        yield network.number(link.source), network.number(link.target), kind, level, length


def _edges(network):
    lines = ["# source target kind level"]
    for source, target, kind, level, _ in _numbered(network):
        lines.append(f"{source} {target} {kind} {'-' if level is None else level}")
    return "\n".join(lines) + "\n"


def _json(network):
    head = {"format": "dsnswitch-topology", "version": 1}
    if isinstance(network, Dsn):
        head |= {
            "topology": network.topology,
            "sizes": list(network.sizes),
            "supernode": network.supernode.name,
            "m": network.m,
            "levels": list(network.levels),
        }
    else:
        head |= {"topology": network.spelling, "sizes": [field.size for field in network.fields]}
    every_node = [{"number": number, "address": list(at)} for number, at in enumerate(network.switches())]
    every_link = [dict(zip(("source", "target", "kind", "level", "length"), link)) for link in _numbered(network)]
    # json.dumps can only indent everything or nothing. One node or link per line is readable, and makes short diffs.
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, rows in (("nodes", every_node), ("links", every_link)):
        body = ",\n".join(f"    {json.dumps(row)}" for row in rows)
        lines.append(f'  "{key}": [\n{body}\n  ]' if rows else f'  "{key}": []')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _graphml(network):
    """GraphML text. GraphML has no null, so a link without a level has neither ``level`` nor ``length``."""
    import networkx as nx  # It takes a quarter of the time of a command, and other formats do not need it.

    net = nx.MultiGraph(name=network.name)
    names = [field.name for field in network.fields]
    for number, at in enumerate(network.switches()):
        net.add_node(number, address=network.spell_switch(at), **dict(zip(names, at)))
    for source, target, kind, level, length in _numbered(network):
        shortcut = {} if level is None else {"level": level, "length": length}
        # The ends of an undirected edge have no order, so an attribute states which end the shortcut leaves.
        net.add_edge(source, target, kind=kind, leaves=source, **shortcut)
    return "\n".join(nx.generate_graphml(net)) + "\n"


def _anynet(network):
    """BookSim2's ``network_file``: one router for each switch, with one node (terminal) of the same number.

    A link is listed at one end only, its source: BookSim2 adds the other direction itself, and all channels have its default
    latency of one cycle. Parallel links exist in graphs, and in very small DSNs (two supernodes of one node, or three of two
    nodes). They are all listed at the same end, because BookSim2 takes a link that is listed at both ends as one link. BookSim2
    keeps one link between two routers, so it merges parallel links. The format has no comments.
    """
    lines = [[f"router {number} node {number}"] for number in range(network.nodes)]
    listed = {}
    for source, target, *_ in _numbered(network):
        end = listed.setdefault(frozenset((source, target)), source)
        lines[end].append(f"router {target if end == source else source}")
    return "\n".join(map(" ".join, lines)) + "\n"


def _quoted(name):
    """A name as a string of the DOT language."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _dot(network):
    kinds = dict.fromkeys(port.kind for port in network.ports if port.kind != "local")
    colours = {"local": LOCAL_COLOUR} | dict(zip(kinds, cycle(COLOURS)))
    lines = [f"graph {network.name} {{", "  node [shape=circle, fontsize=9, margin=0];"]
    lines += [
        f"  {number} [label={_quoted(network.spell_switch(at))}];" for number, at in enumerate(network.switches())
    ]
    for source, target, kind, level, _ in _numbered(network):
        at_level = "" if level is None else f", level={level}"
        lines.append(f'  {source} -- {target} [color="{colours[kind]}", kind={kind}{at_level}];')
    return "\n".join(lines) + "\n}\n"


def _svg(network):
    if isinstance(network, DsnF):
        return draw_dsn_f(network)
    if not isinstance(network, Dsn):
        raise UsageError(f"SVG pictures show a DSN, not {network.spelling}; try dot")
    return draw(network)


_WRITERS = dict(zip(FORMATS, (_edges, _json, _graphml, _anynet, _dot, _svg)))
