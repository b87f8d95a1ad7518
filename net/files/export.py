"""Exports of whole topologies as files for other programs: every node, and every link with its kind and level.

Nodes are identified by their flat number (:meth:`Network.number`). If a format has labels, the label is the address, such as
``x,y,id`` of a grid DSN. Links have the order of :meth:`Network.links`, and parallel links are included. A shortcut of a DSN is
listed from the node that it leaves to the node that it enters.

Hosts of a graph have the numbers 0 to H - 1, in the order of their keys in tables. JSON and anynet number hosts and switches
separately. In an edge list, whose first vertices are the hosts, and in GraphML and Graphviz, the switches follow from H.
"""

import json
from itertools import chain, cycle

from dsnswitch.net import limits
from dsnswitch.net.files.graphml import graphml
from dsnswitch.net.files.pictures import COLOURS
from dsnswitch.net.messages import UsageError, unwatched
from dsnswitch.net.svg import GREY
from dsnswitch.net.topology.network import by_name, named

#: Formats of :func:`export`.
FORMATS = ("edges", "json", "graphml", "anynet", "dot", "svg")


def export(network, format, bar=unwatched):
    """A :class:`Network` as text, which ends with a newline and is the same on every run.

    Formats are ``edges``: one link per line. ``json``: the object of ``docs/topology.schema.json``. ``graphml``: an undirected
    multigraph. ``anynet``: the network file of BookSim2. ``dot``: Graphviz. ``svg``: a picture, for topologies that have one.
    Raises :class:`UsageError` if the format is unknown, the network is too large, or there is no picture of it.
    """
    if format not in FORMATS:
        raise UsageError(f"Topology format must be one of {', '.join(FORMATS)}, not {format!r}")
    limits.at_most(limits.MOST_NODES, network.nodes, f"Nodes of a topology to write, {network.name},")
    nodes = bar(network.switches(), "nodes", network.nodes)
    links = bar(network.links(), "links", network.link_count)
    return _WRITERS[format](network, nodes, _hosts(network), _numbered(network, links))


def _hosts(network):
    """``[(name, number of its switch)]`` of every host, in the order of the keys in tables."""
    found = network.hosts
    return [(host, network.number(found[host][0])) for host in sorted(found, key=by_name)]


def _numbered(network, links):
    """Every link as ``(source, target, kind, level, length)`` with flat numbers.

    Level and length are None for a link without a level.
    """
    for link in links:
        start = link.source, link.port
        kind = network.ports[link.port].kind
        yield (
            network.number(link.source),
            network.number(link.target),
            kind,
            network.level(*start),
            network.span(*start),
        )


def _edges(network, nodes, hosts, links):
    lines = ["# source target kind level"]
    if hosts:
        lines.append(f"# Vertices 0 to {len(hosts) - 1} are hosts: read this file with --hosts {len(hosts)}.")
    lines += [f"{number} {len(hosts) + home} host -" for number, (_, home) in enumerate(hosts)]
    for source, target, kind, level, _ in links:
        lines.append(f"{len(hosts) + source} {len(hosts) + target} {kind} {'-' if level is None else level}")
    return "\n".join(lines) + "\n"


def object_text(head, lists):
    """A JSON object with the entries of ``head`` and the ``lists``, one entry or element per line."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, rows in lists.items():
        body = ",\n".join(f"    {json.dumps(row)}" for row in rows)
        lines.append(f'  "{key}": [\n{body}\n  ]' if body else f'  "{key}": []')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(network, nodes, hosts, links):
    head = {"format": "dsnswitch-topology", "version": 1, **network.shape}
    named_hosts = [{"number": number, "name": name, "node": home} for number, (name, home) in enumerate(hosts)]
    lists = {
        "nodes": ({"number": number, "address": list(at)} for number, at in enumerate(nodes)),
        **({"hosts": named_hosts} if hosts else {}),
        "links": (dict(zip(("source", "target", "kind", "level", "length"), link)) for link in links),
    }
    return object_text(head, lists)


def _graphml(network, nodes, hosts, links):
    """GraphML text. GraphML has no null, so a link without a level has neither ``level`` nor ``length``."""
    names = [field.name for field in network.fields]
    kind = {"type": "switch"} if hosts else {}
    vertices = [(number, {"type": "host", "address": name}) for number, (name, _) in enumerate(hosts)]
    for number, at in enumerate(nodes, len(hosts)):
        vertices.append((number, kind | {"address": network.spell_switch(at)} | dict(zip(names, at))))
    rows = [(number, len(hosts) + home, {"kind": "host"}) for number, (_, home) in enumerate(hosts)]
    # The ends of an undirected edge have no order, so an attribute states which end the shortcut leaves.
    others = (
        (
            len(hosts) + source,
            len(hosts) + target,
            {"kind": kind, "leaves": len(hosts) + source}
            | ({} if level is None else {"level": level, "length": length}),
        )
        for source, target, kind, level, length in links
    )
    return graphml(network.name, vertices, chain(rows, others))


def _anynet(network, nodes, hosts, links):
    """BookSim2's ``network_file``: one router for each switch, with its hosts as nodes (terminals).

    Without named hosts, every switch that has hosts is a router with one node. A link is listed at one end only, its source:
    BookSim2 adds the other direction itself, and all channels have its default latency of one cycle. Parallel links are all
    listed at the same end, because BookSim2 takes a link that is listed at both ends as one link. BookSim2 keeps one link
    between two routers, so it merges parallel links. The format has no comments.
    """
    lines = [[f"router {number}"] for number in range(network.nodes)]
    homes = [home for _, home in hosts] if hosts else map(network.number, network.terminals())
    for number, home in enumerate(homes):
        lines[home].append(f"node {number}")
    listed = {}
    for source, target, *_ in links:
        end = listed.setdefault(frozenset((source, target)), source)
        lines[end].append(f"router {target if end == source else source}")
    return "".join(" ".join(line) + "\n" for line in lines if len(line) > 1)


def _quoted(name):
    """A name as a string of the DOT language."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _dot(network, nodes, hosts, links):
    kinds = dict.fromkeys(port.kind for port in network.ports if port.kind != "local")
    colours = {"local": GREY} | dict(zip(kinds, cycle(COLOURS)))
    lines = [f"graph {network.name} {{", "  node [shape=circle, fontsize=9, margin=0];"]
    lines += [f"  {number} [label={_quoted(name)}, shape=box];" for number, (name, _) in enumerate(hosts)]
    lines += [f"  {number} [label={_quoted(network.spell_switch(at))}];" for number, at in enumerate(nodes, len(hosts))]
    lines += [
        f'  {number} -- {len(hosts) + home} [color="{GREY}", kind=host];' for number, (_, home) in enumerate(hosts)
    ]
    for source, target, kind, level, _ in links:
        at_level = "" if level is None else f", level={level}"
        ends = f"{len(hosts) + source} -- {len(hosts) + target}"
        lines.append(f'  {ends} [color="{colours[kind]}", kind={kind}{at_level}];')
    return "\n".join(lines) + "\n}\n"


def _svg(network, nodes, hosts, links):
    return named(network.picture)(network)


_WRITERS = dict(zip(FORMATS, (_edges, _json, _graphml, _anynet, _dot, _svg)))
