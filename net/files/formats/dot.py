"""DOT, the language of Graphviz: statements of nodes and edges."""

import re
from itertools import cycle, pairwise
from typing import Any

from dsnswitch.net.files.formats.content import Content, append, once, split_hosts, tokens, wrong
from dsnswitch.net.reading import MOST_DEPTH
from dsnswitch.net.svg import COLOURS, GREY
from dsnswitch.net.topology.addresses import by_name

_TOKEN = re.compile(
    r"""[ \t\r\f\v]*+(?:(?P<line>\n)|(?P<comment>//[^\n]*|\#[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)|(?P<edge>--|->)"""
    r"""|(?P<name>[A-Za-z_\u0080-\U0010ffff][\w\u0080-\U0010ffff]*|-?(?:\.\d+|\d+(?:\.\d*)?))|(?P<text>"(?:[^"\\]|\\.)*+")"""
    r"""|(?P<mark>[{}\[\]=;,:])|(?P<other>\S))""",
    re.S,
)

#: Comments and white space before the first statement. No possessive group contains another one or a look-ahead, because Python
#: 3.11.2 then ends the outer one too early.
_SPACE = r"\A(?:\s|//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|\#[^\n]*)*+"
_FIRST = re.compile(_SPACE + r"(?:strict\s+)?(?:di)?graph\b[^{}\[\]\n]*+\s*+\{", re.I)


#: Where an edge meets its node in a drawing. As a port, such a word is no name of one.
_COMPASS = {"n", "ne", "e", "se", "s", "sw", "w", "nw", "c", "_"}


def recognise(head: str) -> Any:
    """Whether the first statement is ``graph {`` or ``digraph {``."""
    return _FIRST.match(head)


def read(name: str, text: str) -> Any:
    """The :class:`Content` of a DOT file. Nodes with ``type=host`` or ``function=host`` are hosts; other attributes are ignored.

    Ports of a node have the order of their names, as in ``"leaf1":"swp51" -- "spine1":"swp1"``. A host with several links at
    named ports is a host for each of them, with ``/`` and the port in its name.

    Arrows in both directions between two nodes are one link, and so are repeated edges of a ``strict`` graph. Subgraphs group
    statements; they are not ends of edges.
    """
    return _Reader(name, text).graph()


class _Reader:
    """A recursive descent without recursion: nested subgraphs are counted."""

    def __init__(self, name, text):
        self.name, self.tokens = name, tokens(_TOKEN, text)
        self.kind = self.text = self.line = None
        self.links, self.ports, self.lines, self.hosts = [], [], [], {}
        #: Edges state their kinds, as those of :func:`write`, which lists each link once.
        self.ours = False
        self.step()

    def step(self):
        found = self.kind, self.text
        self.kind, self.text, self.line = next(self.tokens)
        return found

    def take(self, text):
        """Whether the next token is this mark or keyword, which is then skipped."""
        if self.kind in ("mark", "edge", "name") and self.text.lower() == text:
            self.step()
            return True
        return False

    def need(self, expected, *texts):
        if not any(self.take(text) for text in texts or (expected,)):
            found = self.text if self.kind != "end" else "the end of the file"
            raise wrong(self.name, self.line, f"expected {expected}", found)

    def identifier(self, expected):
        if self.kind not in ("name", "text"):
            self.need(expected, "")
        kind, text = self.step()
        return re.sub(r'\\(["\\])', r"\1", text[1:-1]) if kind == "text" else text

    def graph(self):
        strict = self.take("strict")
        directed = self.text == "digraph"
        self.need("graph or digraph", "graph", "digraph")
        if self.text != "{":
            self.identifier("a name or {")
        self.need("{")
        depth = 1
        while depth:
            if self.take("}"):
                depth -= 1
            elif self.take("subgraph") or self.text == "{":
                if self.text != "{":
                    self.identifier("a name or {")
                self.need("{")
                depth += 1
                if depth > MOST_DEPTH:
                    raise wrong(self.name, self.line, f"subgraphs must be nested at most {MOST_DEPTH} deep")
            else:
                self.statement(directed)
            self.take(";")
        if self.kind != "end":
            raise wrong(self.name, self.line, "expected the end of the file after one graph", self.text)
        first = {}
        for place, link in enumerate(self.links):
            first.setdefault(link, place)
        places = list(first.values()) if strict else [*range(len(self.links))]
        if strict or directed:
            places = [places[at] for at in once([self.links[place] for place in places])]
        return self.content(self.cables(places), False if directed or self.ours else None)

    def cables(self, places):
        """Those of ``places`` without links between ports that were already listed. No port has two links."""
        seen, kept = {}, []
        for place in places:
            one, other = zip(self.links[place], self.ports[place])
            if one[1] and other[1] and seen.get(one, ("",))[0] == other and seen.get(other, ("",))[0] == one:
                continue
            for end, there in ((one, other), (other, one)):
                if end[1] and seen.setdefault(end, (there, place)) != (there, place):
                    line = self.lines[seen[end][1]]
                    raise wrong(self.name, self.lines[place], f"port {end[1]} of {end[0]} has a link already, in line {line}")
            kept.append(place)
        return kept

    def content(self, places, directed):
        links, ports = ([found[place] for place in places] for found in (self.links, self.ports))
        numbers = None
        if any(map(any, ports)):
            # Named ports come first, ``swp2`` before ``swp10``, the others in the order of the file.
            at = {}
            for place, link in enumerate(links):
                for side, end in enumerate(link):
                    port = ports[place][side]
                    at.setdefault(end, []).append((port is None, by_name(port or ""), place, side))
            numbers = [[0, 0] for _ in links]
            for ends in at.values():
                for number, (*_, place, side) in enumerate(sorted(ends), 1):
                    numbers[place][side] = number
        marked = [node for node, kind in self.hosts.items() if kind == "host"]
        links, hosts = split_hosts(links, marked, lambda place, side, _: ports[place][side])
        nodes = [*(node for node in self.hosts if node not in {*marked}), *hosts]
        return Content(links, hosts, nodes, directed, numbers=numbers)

    def end(self):
        """A node, and its port or None. A compass point is only for drawings."""
        node, words = self.identifier("a node"), []
        while len(words) < 2 and self.take(":"):
            words.append(self.identifier("a port"))
        return node, next((word for word in words[:1] if word not in _COMPASS), None)

    def statement(self, directed):
        line, quoted = self.line, self.kind == "text"
        if self.kind not in ("name", "text"):
            self.need("a node, an edge or }", "")
        ends = [self.end()]
        if not quoted and ends[0][0].lower() in ("graph", "node", "edge"):
            if self.attributes().get("type") == "host":
                raise wrong(self.name, line, "type=host must be an attribute of a single node")
            return
        if self.take("="):
            self.identifier("a value")
            return
        while self.kind == "edge":
            if self.text != ("->" if directed else "--"):
                raise wrong(self.name, self.line, f"expected {'->' if directed else '--'} between nodes", self.text)
            self.step()
            ends.append(self.end())
        found = self.attributes()
        if len(ends) == 1:
            node = ends[0][0]
            self.hosts[node] = found.get("type", found.get("function", self.hosts.get(node)))
        self.ours |= len(ends) > 1 and "kind" in found
        for one, other in pairwise(ends):
            append(self.links, (one[0], other[0]), self.name, line)
            self.ports.append((one[1], other[1]))
            self.lines.append(line)

    def attributes(self):
        found = {}
        while self.take("["):
            while not self.take("]"):
                key = self.identifier("an attribute or ]")
                self.need("=")
                found[key] = self.identifier("a value")
                self.take(",") or self.take(";")
        return found


def _quoted(name):
    """A name as a string of the DOT language."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def write(network, nodes, hosts, links) -> str:
    """An undirected graph. Labels are addresses and names of hosts; links have the colour of their kind."""
    kinds = dict.fromkeys(port.kind for port in network.ports if port.kind != "local")
    colours = {"local": GREY} | dict(zip(kinds, cycle(COLOURS)))
    rows = [f"graph {network.name} {{", "  node [shape=circle, fontsize=9, margin=0];"]
    rows += [f"  {number} [label={_quoted(name)}, shape=box, type=host];" for number, (name, _) in enumerate(hosts)]
    rows += [f"  {number} [label={_quoted(network.spell_switch(at))}];" for number, at in enumerate(nodes, len(hosts))]
    rows += [f'  {number} -- {len(hosts) + home} [color="{GREY}", kind=host];' for number, (_, home) in enumerate(hosts)]
    for source, target, kind, level, *_ in links:
        at_level = "" if level is None else f", level={level}"
        ends = f"{len(hosts) + source} -- {len(hosts) + target}"
        rows.append(f'  {ends} [color="{colours[kind]}", kind={kind}{at_level}];')
    return "\n".join(rows) + "\n}\n"
