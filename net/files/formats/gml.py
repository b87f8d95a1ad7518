"""GML, as the Topology Zoo and networkx write it: nested lists of keys with numbers and texts."""

import html
import re
from typing import Any

from dsnswitch.net.files.formats.content import Content, append, tokens, wrong
from dsnswitch.net.reading import MOST_DEPTH

_TOKEN = re.compile(
    r"""[ \t\r\f\v]*+(?:(?P<line>\n)|(?P<comment>\#[^\n]*)|(?P<text>"[^"]*")|"""
    r"""(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?=[\s\]])|[-+]?(?:INF|NAN)(?=[\s\]]))|(?P<key>[A-Za-z_]\w*)|(?P<open>\[)|(?P<close>\])|(?P<other>[^\s]))"""
)
_FIRST = re.compile(r"(?:\A|\s)graph\s*\[")


def recognise(head: str) -> Any:
    """Whether there is a list ``graph [``."""
    return _FIRST.search(head)


def read(name: str, text: str) -> Any:
    """The :class:`Content` of a GML file. Names are the ids of nodes; those with ``type "host"`` are hosts.

    Edges of a directed graph that are opposite to each other are one link. Other keys and their values are ignored.
    """
    graph = _only(name, _value(name, tokens(_TOKEN, text)))
    nodes, hosts, links, listed = {}, [], [], []
    for key, value, line in graph:
        if key in ("node", "edge") and not isinstance(value, list):
            raise wrong(name, line, f"{key} must be followed by a list [ ... ]")
        fields = {inner: (found, at) for inner, found, at in reversed(value)} if isinstance(value, list) else {}
        if key == "node":
            node = _id(name, line, fields, "id")
            if node in nodes:
                raise wrong(name, line, f"a node must be listed once, not {node} again")
            nodes[node] = line
            if fields.get("type", ("",))[0] == "host":
                hosts.append(node)
        elif key == "edge":
            append(links, tuple(_id(name, line, fields, end) for end in ("source", "target")), name, line)
            listed.append(line)
    for link, line in zip(links, listed):
        for end in link:
            if end not in nodes:
                raise wrong(name, line, f"an edge must end at a node of the graph, not {end}")
    marks = {key for key, value, _ in graph if value == "1"}
    return Content(links, hosts, nodes, directed="directed" in marks or (False if marks & {"multigraph"} else None))


def write(network, nodes, hosts, links) -> str:
    """An undirected multigraph. Labels are addresses and names of hosts, in ASCII with character references."""
    rows = ["graph [", "  directed 0", "  multigraph 1"]
    kind = ' type "switch"' if hosts else ""
    for number, (host, _) in enumerate(hosts):
        rows.append(f'  node [ id {number} label "{_quoted(host)}" type "host" ]')
    for number, at in enumerate(nodes, len(hosts)):
        rows.append(f'  node [ id {number} label "{_quoted(network.spell_switch(at))}"{kind} ]')
    rows += [f"  edge [ source {number} target {len(hosts) + home} ]" for number, (_, home) in enumerate(hosts)]
    for source, target, kind, level, *_ in links:
        at_level = "" if level is None else f" level {level}"
        rows.append(f'  edge [ source {len(hosts) + source} target {len(hosts) + target} kind "{kind}"{at_level} ]')
    return "\n".join([*rows, "]"]) + "\n"


def _quoted(name):
    return html.escape(name).encode("ascii", "xmlcharrefreplace").decode()


def _value(name, tokens):
    """The list of ``(key, value, line)`` of a whole file; a value is such a list, or text."""
    stack, key = [[]], None
    for kind, text, line in tokens:
        if key is None and kind == "key":
            key = text
        elif key is None and kind == "close" and len(stack) > 1:
            stack.pop()
        elif key is None and kind == "end" and len(stack) == 1:
            return stack[0]
        elif key is not None and kind == "open":
            if len(stack) == MOST_DEPTH:
                raise wrong(name, line, f"lists must be nested at most {MOST_DEPTH} deep")
            stack[-1].append((key, inner := [], line))
            stack.append(inner)
            key = None
        elif key is not None and kind in ("text", "number"):
            stack[-1].append((key, html.unescape(text[1:-1]) if kind == "text" else text, line))
            key = None
        else:
            expected = f"a value of {key}, a number, a text or a list" if key else "a key" if len(stack) == 1 else "a key or ]"
            raise wrong(name, line, f"expected {expected}", text if kind != "end" else "the end of the file")
    raise AssertionError("the last token is the end")


def _only(name, found):
    graphs = [(value, line) for key, value, line in found if key == "graph"]
    if len(graphs) != 1 or not isinstance(graphs[0][0], list):
        line = graphs[1][1] if len(graphs) > 1 else 1
        raise wrong(name, line, f"a file must have one graph [ ... ], not {len(graphs)}")
    return graphs[0][0]


def _id(name, line, fields, key):
    """The name of a node: an integer, or text without white space at its ends."""
    value, line = fields.get(key, (None, line))
    if not isinstance(value, str) or not value.strip():
        raise wrong(name, line, f"expected {key}, a number or a text", value if isinstance(value, str) else None)
    return value.strip()
