"""LGL, as igraph writes it: ``#`` and a vertex, then a line for each of its neighbours, perhaps with a weight."""

import re

from dsnswitch.net.files.formats.content import Ambiguous, Content, append, whole, wrong
from dsnswitch.net.files.formats.lists import recognise_adjacency

_WEIGHT = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.I | re.A)


def recognise(head: str) -> bool:
    """Whether every line is ``# vertex`` or ``neighbour [weight]``, and cannot be a comment or a link of an edge list.

    Raises :class:`Ambiguous` if the lines can be both.
    """
    sources, rows = [], []
    for line in filter(None, map(str.strip, whole(head).splitlines())):
        words = line.removeprefix("#").split()
        if line[0] == "#" and len(words) == 1:
            sources += words
        elif line[0] == "#" or not sources or not _is_row(words) or words[0] == sources[-1]:
            return False
        else:
            rows.append((sources[-1], *words))
    if not rows:
        return False
    ends, weights = {row[1] for row in rows}, {row[2] for row in rows if len(row) > 2}
    if any(len(row) < 3 or row[1] == row[2] for row in rows) and not recognise_adjacency(head):
        return True
    if len(sources) > 1 and ends & {*sources}:
        return True
    comments = not any(_WEIGHT.fullmatch(source) or source in ends | weights for source in sources)
    if comments and all(map(_WEIGHT.fullmatch, ends)) and (ends & weights or len({row[:2] for row in rows}) < len(rows)):
        return False
    raise Ambiguous(
        "# begins comments of an edge list, or the neighbours of a vertex in LGL: state FILE,format=edges or format=lgl"
    )


def _is_row(words):
    return len(words) == 1 or (len(words) == 2 and _WEIGHT.fullmatch(words[1]))


def read(name: str, text: str) -> Content:
    """The :class:`Content` of LGL. Weights are ignored. A neighbour that is listed again is a parallel link."""
    links, sources = [], {}
    source = None
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        words = line.removeprefix("#").split()
        if line[:1] == "#" and len(words) == 1:
            source = words[0]
            sources[source] = number
        elif line[:1] == "#" or (words and (source is None or not _is_row(words))):
            raise wrong(name, number, "expected '# vertex', or a neighbour and perhaps its weight", line)
        elif words:
            append(links, (source, words[0]), name, number)
    return Content(links, nodes=sources, directed=None)
