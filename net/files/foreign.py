"""Recognises the format of a graph file by its content, and names formats that are not read, such as GML.

A file of an unknown format must not become a wrong graph. So the readers ask this module before they read a file as a list of
links, and when they meet a line that they do not understand.
"""

import re

__all__ = ["foreign_form", "foreign_lines", "form_of", "has_header"]

#: Characters of a file in which a format is recognised.
HEAD = 1 << 16

#: Comments and white space before the first statement of DOT or GML.
_SPACE = r"\A(?:\s|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/|\#[^\n]*)*+"

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
_READ = {"graphml": r"\A\s*<", "anynet": r"\A(?:\s|\#[^\n]*)*+(?:router|node)[ \t]+[0-9]"}

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
    return next((form for form, pattern in _READ.items() if re.match(pattern, head)), "edges")


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

    Parameters
    ----------
    rows : list of list of str
        Words of each line of the file, without comments.
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
