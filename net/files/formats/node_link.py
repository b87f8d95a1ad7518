"""Node-link JSON, as networkx and D3 write it: an object with lists of nodes and of links."""

import re
from typing import Any

from dsnswitch.net.files.formats.content import Content, append
from dsnswitch.net.messages import UsageError, shortened
from dsnswitch.net.reading import parse_json

_FIRST = re.compile(r'\s*\{\s*"(?:directed|multigraph|nodes|links|edges)"\s*:')


def recognise(head: str) -> Any:
    """Whether a file is a JSON object that begins with a key of node-link data."""
    return _FIRST.match(head)


def read(name, text):
    """The :class:`Content` of node-link data. Names are ids; nodes with ``"type": "host"`` are hosts; other keys are ignored.

    An id is a text, an integer, or a list of them, which becomes ``0,1``. Without ids, links end at the positions of nodes.
    Links of a directed graph that are opposite to each other are one link.
    """
    found = parse_json(name, "Graph", text)
    found = found if isinstance(found, dict) else {}
    nodes, listed = found.get("nodes"), found.get("links", found.get("edges"))
    if not all(isinstance(part, list) and all(isinstance(one, dict) for one in part) for part in (nodes, listed)):
        raise UsageError(f"{name}: this JSON must have nodes and links, or edges, which are lists of objects")
    named, known = any("id" in node for node in nodes), {}
    for place, node in enumerate(nodes):
        spelt = _spelt(name, f"id of nodes[{place}]", node.get("id") if named else place)
        if spelt in known:
            raise UsageError(f"{name}: ids of nodes must differ, not be {shortened(spelt, 40)!r} twice")
        known[spelt] = node
    links = []
    for place, link in enumerate(listed):
        ends = tuple(_spelt(name, f"{end} of links[{place}]", link.get(end)) for end in ("source", "target"))
        for end in ends:
            if end not in known:
                raise UsageError(f"{name}: links[{place}] must end at a node of the graph, not {shortened(end, 40)!r}")
        append(links, ends, name, 1)
    directed = None if not found.get("directed") and not found.get("multigraph") else found.get("directed") is True
    return Content(links, [at for at, node in known.items() if node.get("type") == "host"], known, directed)


def _spelt(name, what, value):
    """An id as a name."""
    parts = value if isinstance(value, list) and value else [value]
    if any(isinstance(part, bool) or not isinstance(part, int | str) for part in parts):
        shown = shortened(repr(value), 40)
        raise UsageError(f"{name}: {what} must be a text, an integer or a list of them, not {shown}")
    return ",".join(map(str, parts))
