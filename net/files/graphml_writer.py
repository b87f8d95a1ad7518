"""Writer of GraphML files: one undirected multigraph whose nodes and edges have attributes."""

from xml.sax.saxutils import escape, quoteattr

__all__ = ["graphml"]

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""


def graphml(name, nodes, edges):
    """The text of a GraphML file.

    Parameters
    ----------
    nodes : iterable of (int, dict)
        Number and attributes of each node. Attributes are integers or text.
    edges : iterable of (int, int, dict)
        Two ends and attributes of each edge.
    """
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
