"""Readers of graph files: edge lists, GraphML, BookSim2's anynet."""

import re
from collections import Counter
from pathlib import Path

from dsnswitch.net.errors import UsageError
from dsnswitch.net.files.foreign import foreign_form, foreign_lines, form_of, has_header
from dsnswitch.net.files.graphml import read_graphml
from dsnswitch.net.reading import read_text
from dsnswitch.net.text import shortened
from dsnswitch.net.topology.graph import Graph

__all__ = ["FORMATS", "read_graph"]

#: Formats of :func:`read_graph`.
FORMATS = ("edges", "graphml", "anynet")

#: What an error says about the formats.
_READ = "the formats that are read are edges (lines 'a b'), graphml and anynet"

#: Maximum number of links of a graph, and of characters of a vertex's name.
MOST_LINKS, MOST_NAME = 1 << 18, 100


def read_graph(path, form=None, hosts=0):
    """The :class:`Graph` of a file.

    Parameters
    ----------
    form : str or None
        One of :data:`FORMATS`. None chooses by the content of the file.
    hosts : int
        Vertices 0 to ``hosts - 1`` of an edge list are hosts. GraphML marks hosts by ``type="host"``, anynet by ``node``.

    Raises
    ------
    UsageError
        If the file cannot be read or has another format, a line is malformed, a link connects a switch to itself, or a host does
        not have exactly one link to a switch.
    """
    path = Path(path)
    if form not in (*FORMATS, None):
        raise UsageError(f"Graph format must be one of {', '.join(FORMATS)}, not {form!r}")
    text = read_text(path, "Graph")
    form = form or _recognised(path, text)
    if hosts and form != "edges":
        raise UsageError(f"Only an edge list takes a number of hosts, not {form} (= {hosts})")
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


def _recognised(path, text):
    """The format of a file that is read."""
    if found := foreign_form(text):
        form, line = found
        raise UsageError(f"{path}, line {line}: this looks like {form}; {_READ}")
    return form_of(text)


#: One end of a link in anynet, and a line of anynet.
_END = re.compile(r"(router|node) ([0-9]{1,9})")
_ANYNET = re.compile(rf"{_END.pattern}( {_END.pattern}( [0-9]{{1,9}})?)+")

#: Between the ends of a link in an edge list: white space, a comma, dashes or an arrow. ``0,0 1,0`` are two vertices.
_BETWEEN = re.compile(r"\s*(?:,|--+>?|->|<-+>)\s*|\s+(?:-\s+)?")
_PLACES = re.compile(r"[^\s,]+(?:,[^\s,]+)+\s+[^\s,]+(?:,[^\s,]+)+")

#: A vertex in an edge list has no character that is punctuation in another format.
_VERTEX = re.compile(r"""(?!["'])[^()\[\]{}<>;=|,]+(?<!:)""")

#: The first line of an edge list that ``dsnswitch topology`` writes, and the two further words of its links.
_HEADER, _KIND = "# source target kind level", re.compile(r"\w+ (?:-|[0-9]+)")


def _lines(text, comment="#"):
    """Number and text of each line that is not empty, without comments."""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition(comment)[0].strip()
        if line:
            yield number, line


def _words(line):
    return line.split() if _PLACES.fullmatch(line) else _BETWEEN.split(line)


def _edges(name, text):
    """Links of an edge list: ``a b`` per line, also ``a, b``, ``a -- b`` or ``a -> b``.

    Kind and level follow in the output of ``dsnswitch topology``. Arrows in both directions between two vertices are one link.
    """
    lines, ours = [(number, line, _words(line)) for number, line in _lines(text)], text.startswith(_HEADER)
    links, single = [], Counter()
    if lines and has_header([words for _, _, words in lines]):
        _refuse(name, lines[0][0], f"{shortened(lines[0][1], 60)!r} is not a link", lines)
    for number, line, words in lines:
        if len(words) != 2 and not (ours and len(words) == 4 and _KIND.fullmatch(" ".join(words[2:]))):
            _refuse(name, number, f"a link must have two ends, not {shortened(line, 60)!r}", lines)
        for word in words[:2]:
            if not all(map(_VERTEX.fullmatch, word.split(","))):
                _refuse(name, number, f"{shortened(word, 60)!r} is not understood as a vertex", lines)
        link = tuple(words[:2])
        if link[0] == link[1]:
            _refuse(name, number, f"a link must have two ends, not {shortened(words[0], 60)} twice", lines)
        if "->" in line and "<" not in line:
            if single[link[::-1]]:
                single[link[::-1]] -= 1
                continue
            single[link] += 1
        _append(links, link, name, number)
    return links, []


def _refuse(name, number, problem, lines):
    form = foreign_lines([words for _, _, words in lines])
    guess = f"; this looks like {form}" if form else ""
    raise UsageError(f"{name}, line {number}: {problem}{guess}; {_READ}")


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
    for number, line in _lines(text):
        clean = " ".join(line.split())
        if not _ANYNET.fullmatch(clean):
            raise UsageError(
                f"{name}, line {number}: must be 'router R router S node N ...', not {clean[:60]!r}; {_READ}"
            )
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
