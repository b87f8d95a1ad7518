"""Readers of graph files: edge lists, GraphML, BookSim2's anynet."""

import re
from collections import Counter
from pathlib import Path

from ...hdl.topology import Graph
from ..errors import UsageError
from ..reading import read_text
from ..text import shortened
from .graphml import read_graphml

__all__ = ["FORMATS", "read_graph"]

#: Formats of :func:`read_graph`.
FORMATS = ("edges", "graphml", "anynet")

#: Maximum number of links of a graph, and of characters of a vertex's name.
MOST_LINKS, MOST_NAME = 1 << 18, 100


def read_graph(path, form=None, hosts=0):
    """The :class:`~dsnswitch.hdl.topology.Graph` of a file.

    Parameters
    ----------
    form : str or None
        One of :data:`FORMATS`. None chooses by the file name: ``.graphml``, ``.anynet``, else an edge list.
    hosts : int
        Vertices 0 to ``hosts - 1`` of an edge list are hosts. GraphML marks hosts by ``type="host"``, anynet by ``node``.

    Raises
    ------
    UsageError
        If the file cannot be read, a line is malformed, a link connects a switch to itself, or a host does not have exactly one
        link to a switch.
    """
    path = Path(path)
    form = form or {".graphml": "graphml", ".anynet": "anynet"}.get(path.suffix, "edges")
    if form not in FORMATS:
        raise UsageError(f"Graph format must be one of {', '.join(FORMATS)}, not {form!r}")
    if hosts and form != "edges":
        raise UsageError(f"Only an edge list takes a number of hosts, not {form}")
    text = read_text(path, "Graph")
    links, found = _READERS[form](str(path), text)
    if not links:
        raise UsageError(f"{path} has no link")
    known = dict.fromkeys(end for link in links for end in link)
    for name in known:
        if len(name) > MOST_NAME or not name.isprintable():
            shown = shortened(repr(name), 40)
            raise UsageError(
                f"{path}: a vertex must have a name of at most {MOST_NAME} printable characters, not {shown}"
            )
    if hosts:
        found = [str(host) for host in range(hosts)]
        for host in found:
            if host not in known:
                raise UsageError(f"{path}: vertex {host} of the {hosts} hosts has no link")
    try:
        return Graph(str(path), links, found)
    except ValueError as error:
        raise UsageError(str(error)) from None


#: One end of a link in anynet, and a line of anynet.
_END = re.compile(r"(router|node) ([0-9]{1,9})")
_ANYNET = re.compile(rf"{_END.pattern}( {_END.pattern}( [0-9]{{1,9}})?)+")


def _lines(text, comment="#"):
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition(comment)[0].split()
        if words:
            yield number, words


def _edges(name, text):
    """Links of an edge list: ``a b`` per line. The rest of a line is ignored, as in the output of ``dsnswitch topology``."""
    links = []
    for number, words in _lines(text):
        if len(words) < 2:
            raise UsageError(f"{name}, line {number}: a link must have two ends, not {' '.join(words)!r}")
        _append(links, (words[0], words[1]), name, number)
    return links, []


def _append(links, link, name, number):
    if len(links) == MOST_LINKS:
        raise UsageError(f"{name}, line {number}: a graph must have at most {MOST_LINKS} links; this is one more")
    links.append(link)


def _graphml(name, text):
    return read_graphml(name, text, MOST_LINKS)


def _anynet(name, text):
    """Links and hosts of anynet: lines ``router R (router S [cycles] | node N [cycles])*`` or ``node N router R``.

    Latencies are ignored. A link that is listed at both ends is one link, as in BookSim2. A link that is listed n times at one
    end is n parallel links.
    """
    links, hosts = [], {}
    for number, words in _lines(text):
        clean = " ".join(words)
        if not _ANYNET.fullmatch(clean):
            raise UsageError(f"{name}, line {number}: must be 'router R router S node N ...', not {clean[:60]!r}")
        (kind, head), *others = _END.findall(clean)
        for other, tail in others:
            if kind == other == "node":
                raise UsageError(f"{name}, line {number}: a node must be linked to a router, not to node {tail}")
            a, b = (f"{'router ' if k == 'router' else ''}{int(v)}" for k, v in ((kind, head), (other, tail)))
            _append(links, (a, b), name, number)
            for k, v in ((kind, head), (other, tail)):
                if k == "node":
                    hosts[str(int(v))] = None
    return _once(links), list(hosts)


def _once(listed):
    """Links without those that were already listed at the other end."""
    links, waiting = [], Counter()
    for a, b in listed:
        if waiting[b, a]:
            waiting[b, a] -= 1
        else:
            waiting[a, b] += 1
            links.append((a, b))
    return links


_READERS = {"edges": _edges, "graphml": _graphml, "anynet": _anynet}
