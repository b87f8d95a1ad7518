"""Reads the graph of a file in any of the formats of :mod:`~dsnswitch.net.files.formats.registry`."""

import os
import re
from collections import Counter
from os import PathLike
from pathlib import Path

from dsnswitch.net.files.formats.content import HEAD, Ambiguous, listed_both_ways, once
from dsnswitch.net.files.formats.registry import FORMATS
from dsnswitch.net.messages import UsageError, nearest, note, refusing, shortened
from dsnswitch.net.reading import read_text
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.registry import Topology

#: Formats that are not read, and what their files contain. The first that matches counts.
_FOREIGN = {
    "GEXF": r"\A\s*(?:<\?[^>]*>\s*)?<gexf\b",
    "JSON of another program": r"\A\s*[{\[]",
    "Pajek": r"^[ \t]*\*(?:network|vertices|arcs|edges|arcslist|edgeslist|matrix)\b",
    "MatrixMarket": r"\A%%MatrixMarket",
    "DIMACS": r"^p[ \t]+[a-z]+[ \t]+[0-9]+",
    "graph6 or sparse6": r"\A>>(?:graph|sparse|digraph)6<<",
    "LEMON": r"^@(?:nodes|arcs|edges)\b",
}

#: What an error says about the formats.
_READ = "dsnswitch topologies graph lists the formats that are read"

#: Formats whose first vertices may be hosts, if their number is given.
_COUNTED = ("edges", "adjacency", "lgl", "csv")

#: How a format and the number of hosts may follow the name of a file.
_STATED = re.compile(r"(.+?)((?:,(?:hosts=[0-9]{1,6}|format=[A-Za-z0-9-]{1,20})){1,4})", re.S)

#: Maximum number of characters of a vertex's name.
MOST_NAME = 100


def recognised(path, text) -> str:
    """The name of the format of a file, by its content."""
    head = text[:HEAD]
    foreign = [(form, re.search(pattern, head, re.I | re.M)) for form, pattern in _FOREIGN.items()]
    try:
        form = next(form for form, found in FORMATS.items() if found.recognise(head))
    except Ambiguous as error:
        raise Ambiguous(f"{path}: {error}") from None
    if form in ("graphml", *_COUNTED, "gml"):
        for name, found in foreign:
            if found:
                line = head.count("\n", 0, found.end()) + 1
                raise UsageError(f"{path}, line {line}: this looks like {name}; {_READ}")
        if form in _COUNTED and _is_trivial_graph(text):
            raise UsageError(f"{path}, line 1: this looks like Trivial Graph Format; {_READ}")
    return form


def _is_trivial_graph(text):
    """Whether a text is in the Trivial Graph Format: lines of a vertex and its label, a line ``#``, and lines of links."""
    mark = re.search(r"^#[ \t]*$", text, re.M)
    if not mark:
        return False
    rows = [line.split() for line in text[: mark.start()].splitlines() if line.strip()]
    links = text[mark.end() :]
    known, labels = {row[0] for row in rows}, {row[1] for row in rows if len(row) > 1}
    ends = {end for line in links.splitlines() for end in line.split()[:2]}
    return bool(labels and ends) and ends <= known and len(known) == len(rows) and not labels & known


def read_graph(spelling: str | PathLike) -> Graph:
    """The :class:`Graph` of a file, in the format that its content has.

    The format and the number of hosts may follow the path, as in ``FILE,format=edges,hosts=40``. Vertices 0 to 39 of an edge list
    or an adjacency list are then hosts; other formats mark hosts themselves.
    """
    path, chosen, hosts = _stated(str(spelling))
    text = read_text(path, "Graph")
    form = chosen or recognised(path, text)
    if hosts and form not in _COUNTED:
        raise UsageError(f"Only {', '.join(_COUNTED)} take a number of hosts, not {form} (= {hosts})")
    try:
        found = FORMATS[form].read(str(path), text)
    except Ambiguous:
        raise
    except UsageError as error:
        # A file without any mark of its own may be of any format.
        raise UsageError(f"{error}; {_READ}") if (chosen, form) == (None, "edges") else error from None
    if found.directed is None and listed_both_ways(found.links):
        found.directed = True
        found.notes.append("each link is listed once in each direction: both are one link")
    if found.directed:
        places = once(found.links)
        for key in ("links", "numbers", "cycles"):
            values = getattr(found, key)
            setattr(found, key, values and [values[place] for place in places])
    if hosts:
        if found.hosts and len(found.hosts) != hosts:
            raise UsageError(f"{path} has {len(found.hosts)} hosts in lines of kind host, not {hosts}")
        found.hosts = found.hosts or [str(host) for host in range(hosts)]
    elif form in _COUNTED and not found.hosts and (likely := _likely_hosts(found.links)):
        found.notes.append(
            f"vertices 0 to {likely - 1} count as switches, with one link each; if they are hosts, say FILE,hosts={likely}"
        )
    _check(path, found)
    with refusing():
        title = f"{path}{f',format={chosen}' if chosen else ''}{f',hosts={hosts}' if hosts else ''}"
        graph = Graph(title, found.links, found.hosts, numbers=found.numbers, cycles=found.cycles, ids=found.ids)
    for text in found.notes:
        note(f"{path}: {text}")
    return graph


def _stated(spelling):
    """``(path, format or None, number of hosts or 0)`` of a path that may state both."""
    found = _STATED.fullmatch(spelling)
    if not found or os.path.exists(spelling):
        return Path(spelling), None, 0
    path, values = found[1], {}
    for word in found[2][1:].split(","):
        key, _, value = word.partition("=")
        if values.setdefault(key, value) != value:
            raise UsageError(f"{key} of {path} must be stated once, not as {values[key]} and as {value}")
    form = values.get("format")
    if form is not None and form not in FORMATS:
        more = nearest(form, FORMATS, "dsnswitch topologies graph lists all")
        raise UsageError(f"There is no format {shortened(form, 40)!r} of graphs{more}")
    return Path(path), form, int(values.get("hosts", 0))


def _likely_hosts(links):
    """How many vertices there are with one link, if their names are 0, 1 and so on, and they are at least two; else 0."""
    degree = Counter(end for link in links for end in link)
    ends = {name for name, count in degree.items() if count == 1}
    is_likely = 1 < len(ends) < len(degree) and ends == {str(number) for number in range(len(ends))}
    return len(ends) if is_likely else 0


def _check(path, found):
    """Refuse a :class:`Content` without links, with a name that cannot be printed, or with a switch or host without a link."""
    if not found.links:
        raise UsageError(f"{path} has no link")
    linked = {end for link in found.links for end in link}
    for name in dict.fromkeys([*found.nodes, *found.hosts, *(end for link in found.links for end in link)]):
        if len(name) > MOST_NAME or not name.isprintable():
            shown = shortened(repr(name), 40)
            raise UsageError(f"{path}: a vertex must have a name of at most {MOST_NAME} printable characters, not {shown}")
    alone = [name for name in dict.fromkeys([*found.nodes, *found.hosts]) if name not in linked]
    if alone:
        kind = "host" if alone[0] in found.hosts else "switch"
        others = f", nor have {len(alone) - 1} others" if len(alone) > 1 else ""
        raise UsageError(f"{path}: {kind} {shortened(alone[0], 40)} has no link{others}")


def _parse(form, parts, text):
    if parts == [""]:
        raise ValueError(f"Topology graph must have the form {form}, not {text!r}")
    return read_graph(":".join(parts))


GRAPH = Topology("graph:FILE[,format=F][,hosts=H]", f"Graph of a file with or without hosts: {', '.join(FORMATS)}.", _parse)
