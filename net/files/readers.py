"""Readers of graph files: edge lists, GraphML, BookSim2's anynet."""

import re
from collections import Counter
from pathlib import Path

from dsnswitch.net.files.graphml import read_graphml
from dsnswitch.net.messages import UsageError, shortened
from dsnswitch.net.reading import read_text
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.registry import Topology

# Recognises the format of a graph file by its content, and names formats that are not read, such as GML.

#: Characters of a file in which a format is recognised.
HEAD = 1 << 16

#: Comments and white space before the first statement of DOT or GML. No possessive group contains another one, because
#: Python 3.11.2 then ends the outer one too early.
_SPACE = r"\A(?:\s|//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|\#[^\n]*)*+"

#: Formats that are not read, and what their files contain. The first that matches counts.
_FOREIGN = {
    "SimGrid XML": r"<platform\b",
    "GEXF": r"\A\s*(?:<\?[^>]*>\s*)?<gexf\b",
    "JSON": r"\A\s*[{\[]",
    "DOT": _SPACE + r"(?:strict\s+)?(?:di)?graph\b[^{}\[\]\n]*+\s*+\{",
    "GML": r"(?:\A|\s)graph\s*\[",
    "Pajek": r"^[ \t]*\*(?:network|vertices|arcs|edges|arcslist|edgeslist|matrix)\b",
    "MatrixMarket": r"\A%%MatrixMarket",
    "DIMACS": r"^p[ \t]+[a-z]+[ \t]+[0-9]+",
    "ibnetdiscover": r"^(?:vendid=|(?:switch|ca|rt)guid=|(?:Switch|Ca|Rt)\s+[0-9]+\s+\")",
    "graph6 or sparse6": r"\A>>(?:graph|sparse|digraph)6<<",
    "LEMON": r"^@(?:nodes|arcs|edges)\b",
}

#: Formats that are read and whose files do not look like a list of links.
_READABLE = {"graphml": r"\A\s*<", "anynet": r"\A(?:\s|\#[^\n]*)*+(?:router|node)[ \t]+[0-9]"}

#: Names of columns. Two of them in the first line are a header, unless they are vertices of later lines as well.
_COLUMN = re.compile(
    r"source|target|src|dst|dest|destination|from|to|tail|head|start|end|u|v|(?:node|vertex|switch|id)_?[12ab]|(?:from|to)nodeid",
    re.I,
)

_NUMBER = re.compile(r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?", re.I)


def foreign_form(text):
    """``(format, line number)`` of a file whose first lines are in a format that is not read; None for any other file."""
    head = text[:HEAD]
    for form, pattern in _FOREIGN.items():
        if found := re.search(pattern, head, re.I | re.M):
            return form, head.count("\n", 0, found.end()) + 1
    return ("Trivial Graph Format", 1) if _is_trivial_graph(text) else None


def form_of(text):
    """The format of a file that is read: ``graphml``, ``anynet`` or ``edges``."""
    head = text[:HEAD]
    return next((form for form, pattern in _READABLE.items() if re.match(pattern, head)), "edges")


def has_header(rows):
    """Whether the first of several lines of words names columns. Its words occur nowhere else."""
    first, *others = rows
    if not others or any(map(_NUMBER.fullmatch, first)) or {word for row in others for word in row}.intersection(first):
        return False
    if sum(map(bool, map(_COLUMN.fullmatch, first))) >= 2:
        return True
    return all(len(row) == len(first) and all(end.isdecimal() for end in row[:2]) for row in others)


def foreign_lines(rows):
    """What lines look like that are not a list of links: text with an article, or None.

    ``rows`` are the words of each line of the file, without comments.
    """
    rows = [row for row in rows if row[0][:1] != "%"] or rows
    first, *others = rows
    words = [word for row in rows for word in row]
    if has_header(rows):
        return "a table with a header line"
    if len(rows) > 2 and all(len(row) == len(rows) for row in rows) and {*words} <= {"0", "1"}:
        return "an adjacency matrix"
    if others and 2 <= len(first) <= 4 and all(word.isdecimal() for word in words) and int(first[0][:9]) == len(others):
        return "a METIS graph"
    if any("{" in word for word in words):
        return "a networkx list with data"
    if all(len(row) == 3 and _NUMBER.fullmatch(row[2]) for row in rows):
        return "a weighted edge list"
    heads = {row[0].removesuffix(":") for row in rows}
    if len(words) > len(rows) == len(heads) > 1 and heads.issuperset(word.removesuffix(":") for word in words):
        return "an adjacency list"
    return None


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


#: Formats of :func:`read_graph`.
FORMATS = ("edges", "graphml", "anynet")

#: What an error says about the formats.
_READ = "the formats that are read are edges (lines 'a b'), graphml and anynet"

#: Maximum number of links of a graph, and of characters of a vertex's name.
MOST_LINKS, MOST_NAME = 1 << 18, 100


def read_graph(path, form=None, hosts=0):
    """The :class:`Graph` of a file.

    ``form`` is one of :data:`FORMATS`; None chooses by the content of the file. Vertices 0 to ``hosts - 1`` of an edge list are
    hosts. GraphML marks hosts by ``type="host"``, anynet by ``node``.

    Raises :class:`UsageError` if the file cannot be read or has another format, a line is malformed, a link connects a switch to
    itself, or a host does not have exactly one link to a switch.
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


_READERS = {"edges": _edges, "graphml": lambda *file: read_graphml(*file, most_links=MOST_LINKS), "anynet": _anynet}


def _parse(form, parts, text):
    if parts == [""]:
        raise ValueError(f"Topology graph must have the form {form}, not {text!r}")
    return read_graph(":".join(parts))


GRAPH = Topology(
    "graph:FILE", "Graph of a file: an edge list, GraphML or anynet. A switch of it needs lookup by table.", _parse
)
