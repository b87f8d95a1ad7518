"""GraphML: one graph of nodes and edges, and the attribute ``type`` of nodes."""

import re
from collections import Counter
from itertools import chain
from typing import Any

from dsnswitch.net.files.formats.content import Content, append
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import scan_xml

_GRAPH = ("graphml", "graph")
_NODE, _EDGE = (*_GRAPH, "node"), (*_GRAPH, "edge")
_KEY, _DEFAULT = ("graphml", "key"), ("graphml", "key", "default")

#: Elements that are refused, because tables cannot represent them.
_FOREIGN = {(*_GRAPH, "hyperedge"), (*_NODE, "port"), (*_EDGE, "port")}


def recognise(head: str) -> Any:
    """Whether a file is XML."""
    return re.match(r"\A\s*<", head)


def read(name: str, text: str) -> Any:
    """The :class:`Content` of GraphML. Names are the ids of nodes; those with ``type="host"`` are hosts.

    A link carries both directions. If edges are directed, an edge and the opposite edge together are one link. Raises
    :class:`UsageError` if the text is not GraphML; has a document type declaration, more than one graph or too many edges; or if
    an end of an edge is not a listed node. The message names the line.
    """
    graph = _Graph(name)
    scan_xml(name, text, graph.start, graph.end)
    return graph.finish()


class _Graph:
    """The nodes and edges of a file, collected element by element."""

    def __init__(self, name):
        self.name = name
        self.graphs, self.directed = 0, False
        #: Edges state which end they leave, as those of :func:`write`, which lists each link once.
        self.ours = False
        #: Attribute ``type`` of each node; ids of the keys that declare this attribute; its default.
        self.types, self.keys, self.default = {}, set(), None
        #: Links; line of the first edge at each node; directed edges whose opposite edge has not been read yet.
        self.links, self.ends, self.single = [], {}, Counter()
        #: Attributes of the open elements, by depth.
        self.inside = {}

    def start(self, path, attributes, line):
        where = f"{self.name}, line {line}"
        self.inside[len(path)] = attributes
        if path[0] != "graphml":
            raise UsageError(f"{where}: the outermost element must be graphml, not {path[0]!r}")
        if path in _FOREIGN:
            raise UsageError(f"{where}: the element {path[-1]} is not supported")
        if path[-1] == "graph" and path[:2] == _GRAPH:
            self.graphs += 1
            if self.graphs > 1:
                raise UsageError(f"{where}: a file must have one graph; this is the second")
            self.directed = attributes.get("edgedefault") == "directed"
        elif path == _KEY and attributes.get("attr.name") == "leaves":
            self.ours = True
        elif path == _KEY and attributes.get("attr.name") == "type" and attributes.get("for") in ("node", "all", None):
            self.keys.add(attributes.get("id"))
        elif path == _NODE:
            node = self._attribute(where, path, attributes, "id")
            if node in self.types:
                raise UsageError(f"{where}: a node must be listed once, not {node!r} again")
            self.types[node] = None
        elif path == _EDGE:
            ends = (self._attribute(where, path, attributes, end) for end in ("source", "target"))
            self._edge(line, attributes, *ends)

    def _attribute(self, where, path, attributes, key):
        if not attributes.get(key):
            raise UsageError(f"{where}: an element {path[-1]} must have {'an' if key == 'id' else 'a'} {key}")
        return attributes[key]

    def _edge(self, line, attributes, source, target):
        for end in (source, target):
            self.ends.setdefault(end, f"{self.name}, line {line}")
        if attributes.get("directed", str(self.directed).lower()) == "true":
            if self.single[target, source]:
                self.single[target, source] -= 1
                return
            self.single[source, target] += 1
        append(self.links, (source, target), self.name, line)

    def end(self, path, content):
        if path == _DEFAULT and self.inside[2].get("id") in self.keys:
            self.default = content.strip()
        elif path == (*_NODE, "data") and self.inside[4].get("key") in self.keys:
            self.types[self.inside[3]["id"]] = content.strip()

    def finish(self):
        for node, where in self.ends.items():
            if node not in self.types:
                raise UsageError(f"{where}: an edge must end at a node of the graph, not {node!r}")
        hosts = [node for node, kind in self.types.items() if (self.default if kind is None else kind) == "host"]
        return Content(self.links, hosts, self.types, directed=False if self.single or self.ours else None)


# Writer of GraphML files: one undirected multigraph whose nodes and edges have attributes.

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""


def graphml(name, nodes, edges):
    """The text of a GraphML file of nodes ``(number, attributes)`` and edges ``(end, end, attributes)``.

    Attributes are dictionaries whose values are integers or text.
    """
    # This module loads the whole of urllib.
    from xml.sax.saxutils import escape, quoteattr

    keys, body = {}, []

    def data(kind, attributes):
        for attribute, value in attributes.items():
            typed = "long" if isinstance(value, int) else "string"
            key = keys.setdefault((kind, attribute, typed), f"d{len(keys)}")
            yield f'<data key="{key}">{escape(str(value))}</data>'

    for number, attributes in nodes:
        body.append(f'    <node id="{number}">{"".join(data("node", attributes))}</node>')
    for source, target, attributes in edges:
        body.append(f'    <edge source="{source}" target="{target}">{"".join(data("edge", attributes))}</edge>')
    head = [
        f'  <key id="{key}" for="{kind}" attr.name={quoteattr(attribute)} attr.type="{typed}"/>'
        for (kind, attribute, typed), key in keys.items()
    ]
    lines = [*head, f'  <graph id={quoteattr(name)} edgedefault="undirected">', *body, "  </graph>", "</graphml>"]
    return _HEAD + "\n".join(lines) + "\n"


def write(network, nodes, hosts, links) -> str:
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
            {"kind": kind, "leaves": len(hosts) + source} | ({} if level is None else {"level": level, "length": length}),
        )
        for source, target, kind, level, length, *_ in links
    )
    return graphml(network.name, vertices, chain(rows, others))
