"""Lists of words: edge lists, as those of Graph Golf, and adjacency lists."""

import re
from collections import Counter

from dsnswitch.net.files.formats.content import Ambiguous, Content, append, lines, once, whole, wrong
from dsnswitch.net.messages import UsageError, shortened

#: Names of columns. Two of them in the first line are a header, unless they are vertices of later lines as well.
_COLUMN = re.compile(
    r"source|target|src|dst|dest|destination|from|to|tail|head|start|end|u|v|(?:node|vertex|switch|id)_?[12ab]|(?:from|to)nodeid",
    re.I,
)

_NUMBER = re.compile(r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?", re.I)


def has_header(rows) -> bool:
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
    return None


#: Between the ends of a link in an edge list: white space, a comma, dashes or an arrow. ``0,0 1,0`` are two vertices.
_BETWEEN = re.compile(r"\s*(?:,|--+>?|->|<-+>)\s*|\s+(?:-\s+)?")
_PLACES = re.compile(r"[^\s,]+(?:,[^\s,]+)+\s+[^\s,]+(?:,[^\s,]+)+")

#: A vertex in an edge list has a letter or digit, and no character that is punctuation in another format.
_VERTEX = re.compile(r"""(?!["'])(?=.*\w)[^()\[\]{}<>;=|,]+(?<!:)""")

#: The first line of an edge list that ``dsnswitch topology`` writes, and the two further words of its links.
_HEADER, _KIND = "# source target kind level", re.compile(r"\w+ (?:-|[0-9]+)")


#: What follows the two vertices of a link whose first end is a host.
_HOST = ["host"], ["host", "-"]

_SIZE = re.compile("[0-9]{1,9}")

#: Numbers of vertices and links as a comment: the next line is a link.
_STATED_SIZES = re.compile(r"#\s*[0-9]+[\s,]+[0-9]+\s*$", re.M)


def _words(line):
    return line.split() if _PLACES.fullmatch(line) else _BETWEEN.split(line)


def read(name: str, text: str) -> Content:
    """The :class:`Content` of an edge list: ``a b`` per line, also ``a, b``, ``a -- b`` or ``a -> b``.

    ``a b host`` is the link of a host a. Kind and level follow in the output of ``dsnswitch topology``. Arrows in both directions
    between two vertices are one link.
    """
    rows, ours = [(number, line, _words(line)) for number, line in lines(text)], text.startswith(_HEADER)
    links, hosts, single = [], {}, Counter()
    if rows and has_header([words for _, _, words in rows]):
        _refuse(name, rows[0][0], f"{shortened(rows[0][1], 60)!r} is not a link", rows)
    notes = []
    if rows and not _STATED_SIZES.match(text) and _states_sizes(name, rows):
        notes = [f"the first line, {shortened(rows.pop(0)[1], 40)!r}, is read as the numbers of vertices and links"]
    for number, line, words in rows:
        if not _is_link(words) and not (ours and len(words) == 4 and _KIND.fullmatch(" ".join(words[2:]))):
            _refuse(name, number, f"a link must have two ends, not {shortened(line, 60)!r}", rows)
        for word in words[:2]:
            if not all(map(_VERTEX.fullmatch, word.split(","))):
                _refuse(name, number, f"{shortened(word, 60)!r} is not understood as a vertex", rows)
        link = tuple(words[:2])
        if link[0] == link[1]:
            _refuse(name, number, f"a link must have two ends, not {shortened(words[0], 60)} twice", rows)
        if "->" in line and "<" not in line:
            if single[link[::-1]]:
                single[link[::-1]] -= 1
                continue
            single[link] += 1
        append(links, link, name, number)
        if words[2:] in _HOST:
            hosts[words[0]] = None
    return Content(links, list(hosts), directed=False if single or ours else None, notes=notes)


def _is_link(words):
    """Whether the words of a row are two ends, perhaps with the kind of a link of a host."""
    return len(words) == 2 or words[2:] in _HOST


def _states_sizes(name, rows):
    """Whether the first of several rows is the numbers of vertices and links, and not a link."""
    if not all(_is_link(words) for _, _, words in rows) or not all(map(_SIZE.fullmatch, rows[0][2])):
        return False
    (number, line, sizes), listed = rows[0], [tuple(words[:2]) for _, _, words in rows[1:]]
    (vertices, links), known = map(int, sizes), {end for link in listed for end in link}
    if links not in (len(listed), len(once(listed))) or not (
        vertices == len(known) or (vertices > len(known) and (known.isdisjoint(sizes) or _are_some(known, vertices)))
    ):
        return False
    if _is_metis(vertices, listed):
        _refuse(name, number, f"{line!r} is not a link", rows)
    # As a link, the row of a tree would make another tree. That of a graph with cycles would leave a gap, or a vertex at its end.
    common = len(known.intersection(sizes))
    if vertices != links and (common == 2 or (common == 1 and links == vertices - 1)):
        expected = "a link, or the numbers of vertices and links? Begin it with # if it is the numbers, else move it down"
        raise Ambiguous(f"{name}, line {number}: is {line!r} {expected}")
    if vertices > len(known):
        raise wrong(name, number, f"fewer vertices have a link ({len(known)}) than the first line states", line)
    return True


def _are_some(known, count):
    """Whether vertices are some of ``count``, which are numbered from 0 or 1."""
    if not all(map(_SIZE.fullmatch, known)):
        return False
    numbers = [int(end) for end in known]
    return max(numbers, default=0) <= count - (min(numbers, default=0) == 0)


def _is_metis(count, listed):
    """Whether the lines of ``listed`` are those of METIS: the n-th has the neighbours of vertex n."""
    after = {str(number): others for number, others in enumerate(listed, 1)}
    return count == len(listed) and all(
        other in after and other != number and number in after[other] for number, others in after.items() for other in others
    )


def _refuse(name, number, problem, rows):
    form = foreign_lines([words for _, _, words in rows])
    guess = f"; this looks like {form}" if form else ""
    raise UsageError(f"{name}, line {number}: {problem}{guess}")


def write(network, nodes, hosts, links) -> str:
    """Two vertices, kind and level per line; the hosts come first."""
    rows = [_HEADER]
    rows += [f"{number} {len(hosts) + home} host -" for number, (_, home) in enumerate(hosts)]
    for source, target, kind, level, *_ in links:
        rows.append(f"{len(hosts) + source} {len(hosts) + target} {kind} {'-' if level is None else level}")
    return "\n".join(rows) + "\n"


# Adjacency lists: a vertex and its neighbours per line.


def recognise_adjacency(head) -> bool:
    """Whether each line begins with another vertex, all vertices begin a line, and not all lines are links."""
    rows = [line.replace(":", ": ", 1).split() for _, line in lines(whole(head))]
    heads = {row[0].removesuffix(":") for row in rows}
    words = [word for row in rows for word in row[1:]]
    if len(rows) < 2 or len(heads) < len(rows) or not words or not heads.issuperset(words):
        return False
    is_matrix = all(len(row) == len(rows) for row in rows) and {*words} <= {"0", "1"}
    return not is_matrix and (all(row[0][-1] == ":" for row in rows) or any(len(row) != 2 for row in rows))


def read_adjacency(name, text) -> Content:
    """The :class:`Content` of an adjacency list: a vertex, perhaps with a colon, then its neighbours, separated by spaces.

    A link that is listed at both ends is one link; a link that is listed n times at one end is n parallel links.
    """
    links, heads = [], {}
    for number, line in lines(text):
        head, *others = line.replace(":", " ", 1).split() if re.match(r"[^\s:]+:", line) else line.split()
        if heads.setdefault(head, number) != number:
            raise wrong(name, number, f"a vertex must begin one line, not {head} again after line {heads[head]}")
        for word in (head, *others):
            if not _VERTEX.fullmatch(word):
                raise wrong(name, number, "expected a vertex and its neighbours", word)
        for other in others:
            append(links, (head, other), name, number)
    return Content(links, nodes=heads, directed=True)


def write_adjacency(network, nodes, hosts, links) -> str:
    """A line for each vertex with the neighbours that its links lead to, each link at one end; the hosts come first."""
    count = len(hosts)
    after = [[str(count + home)] for _, home in hosts] + [[] for _ in range(network.nodes)]
    first = set()
    for source, target, *_ in links:
        # Links that stand once at each end are one link, so parallel links stand at the same end.
        one, other = (target, source) if (target, source) in first else (source, target)
        first.add((one, other))
        after[count + one].append(str(count + other))
    about = [f"# Vertices 0 to {count - 1} are hosts: read this file as graph:FILE,hosts={count}."] if hosts else []
    rows = [*about, *(" ".join([str(number), *others]) for number, others in enumerate(after))]
    return "\n".join(rows) + "\n"
