"""SimGrid's platform files: one cluster, or one zone of hosts, routers and routes of one link."""

import re
from itertools import combinations, product
from math import prod
from typing import Any

from dsnswitch.net.files.formats.content import MOST_LINKS, Content, append, once, unnamed_hosts, wrong
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import scan_xml

#: Routings of zones whose routes are the links of a graph.
_GRAPHS = ("Floyd", "Dijkstra", "DijkstraCache")

_DOCTYPE = re.compile(r"<!DOCTYPE\s+platform\s+SYSTEM\s+(?:\"[^\"<>\[]*\"|'[^'<>\[]*')\s*>")


def recognise(head: str) -> Any:
    """Whether the outermost element is ``platform``."""
    return re.search(r"<platform\b", head)


def read(name: str, text: str) -> Any:
    """The :class:`Content` of a platform.

    A cluster is a network of switches with hosts: of topology TORUS, FAT_TREE or DRAGONFLY, or one switch with all hosts. In a
    torus, each host has a switch of its own. A zone (in older files: AS) must route by Floyd or Dijkstra, so that its routes of
    one link are the links of a graph. Two opposite routes that are not symmetrical are one link. Routers are switches, and so are
    hosts with several links.
    """
    platform = _Platform(name)
    # The document type is that of every platform file, and refers to no entity. Its lines stay.
    found = _DOCTYPE.search(text)
    if found:
        text = text[: found.start()] + "\n" * found[0].count("\n") + text[found.end() :]
    scan_xml(name, text, platform.start, platform.end)
    return platform.finish()


class _Platform:
    def __init__(self, name):
        self.name = name
        self.clusters, self.zones = [], 0
        self.hosts, self.routers, self.links, self.routes = {}, {}, {}, []
        self.one_way = False

    def start(self, path, attributes, line):
        tag = path[-1]
        if path[0] != "platform":
            raise wrong(self.name, line, "the outermost element must be platform", path[0])
        if tag in ("zone", "AS"):
            self.zones += 1
            routing = attributes.get("routing", "")
            self.routing = routing, line
        elif tag == "cluster":
            self.clusters.append((attributes, line))
        elif tag in ("host", "router"):
            (self.hosts if tag == "host" else self.routers)[self._id(tag, attributes, line)] = line
        elif tag == "link":
            self.last = self._id(tag, attributes, line)
            self.links[self.last] = 1
        elif tag == "prop" and path[-2] == "link" and attributes.get("id") == "links":
            if not re.fullmatch("[1-9][0-9]{0,3}", attributes.get("value", "")):
                raise wrong(self.name, line, "links must be a number from 1", attributes.get("value", ""))
            self.links[self.last] = int(attributes["value"])
        elif tag == "route":
            self.one_way |= attributes.get("symmetrical", "").upper() in ("NO", "FALSE", "0")
            self.routes.append((attributes.get("src"), attributes.get("dst"), [], line))
        elif tag == "link_ctn" and self.routes and path[-2] == "route":
            self.routes[-1][2].append(attributes.get("id"))
        elif tag in ("zoneRoute", "ASroute", "cabinet", "peer", "include", "bypassRoute"):
            raise wrong(self.name, line, f"the element {tag} is not supported: one cluster, or one zone of links, is read")

    def end(self, path, content):
        pass

    def _id(self, tag, attributes, line):
        if not attributes.get("id"):
            raise wrong(self.name, line, f"an element {tag} must have an id")
        return attributes["id"]

    def finish(self):
        if len(self.clusters) == 1 and not self.routes and not self.hosts:
            return _cluster(self.name, *self.clusters[0])
        if self.clusters:
            line = self.clusters[-1][1]
            raise wrong(self.name, line, "a platform must have one cluster and nothing else, or one zone of links")
        if self.zones != 1 or self.routing[0] not in _GRAPHS:
            line = self.routing[1] if self.zones else 1
            raise wrong(self.name, line, f"a platform must have one zone with a routing of {', '.join(_GRAPHS)}")
        links = []
        for source, target, through, line in self.routes:
            for end in (source, target):
                if end not in self.hosts and end not in self.routers:
                    raise wrong(self.name, line, "a route must lead from and to a host or router", end)
            if len(through) != 1 or through[0] not in self.links:
                raise wrong(self.name, line, "a route must have one link, link_ctn, that is listed before")
            for _ in range(self.links[through[0]]):
                append(links, (source, target), self.name, line)
        if self.one_way:
            links = [links[place] for place in once(links)]
        degree = {}
        for end in (end for link in links for end in link):
            degree[end] = degree.get(end, 0) + 1
        hosts = [host for host in self.hosts if degree.get(host) == 1] if self.routers else []
        return Content(links, hosts, [*self.hosts, *self.routers])


def _cluster(name, attributes, line):
    """The hosts and links of a cluster."""
    hosts = [f"{attributes.get('prefix', '')}{n}{attributes.get('suffix', '')}" for n in _radical(name, attributes, line)]
    form, parameters = attributes.get("topology", "FLAT").upper(), attributes.get("topo_parameters", "")
    if form not in _FORMS:
        raise wrong(name, line, f"topology of a cluster must be one of {', '.join(_FORMS)}", form)
    make, pattern, example = _FORMS[form]
    if not re.fullmatch(pattern, parameters):
        raise wrong(name, line, f"topo_parameters of {form} must have the form {example}", parameters)
    groups = [[int(word) for word in part.split(",")] for part in parameters.split(";") if part]
    if any(value < 1 for group in groups for value in group):
        raise wrong(name, line, "topo_parameters must be numbers from 1", parameters)
    try:
        links, homes = make(groups, len(hosts))
    except ValueError as error:
        raise wrong(name, line, str(error), parameters) from None
    if len(homes) != len(hosts):
        raise wrong(name, line, f"radical must name as many hosts as {form} {parameters} has, {len(homes)}", str(len(hosts)))
    return Content([*zip(hosts, homes), *links], hosts)


def _radical(name, attributes, line):
    """The numbers of hosts, such as those of ``0-3,8``."""
    radical, found = attributes.get("radical", ""), []
    if not re.fullmatch("[0-9]{1,6}(-[0-9]{1,6})?(,[0-9]{1,6}(-[0-9]{1,6})?)*", radical):
        raise wrong(name, line, "radical must have the form 0-7,9", radical)
    for part in radical.split(","):
        first, _, last = part.partition("-")
        if int(last or first) - int(first) + len(found) >= MOST_LINKS:
            raise UsageError(f"{name}, line {line}: a graph must have at most {MOST_LINKS} links; radical has more hosts")
        found += range(int(first), int(last or first) + 1)
    return found


def _check(count):
    if count > MOST_LINKS:
        raise ValueError(f"a graph must have at most {MOST_LINKS} links, so topo_parameters are too large")


def _flat(groups, count):
    return [], ["switch"] * count


def _torus(groups, _):
    """A switch for each host; the first dimension changes fastest. A dimension of two has one link between its two switches."""
    sizes = groups[0]
    _check(prod(sizes) * len(sizes))
    links = []
    for place in product(*map(range, reversed(sizes))):
        at = place[::-1]
        for axis, size in enumerate(sizes):
            if size > 2 or (size == 2 and at[axis] == 0):
                there = (*at[:axis], (at[axis] + 1) % size, *at[axis + 1 :])
                links.append((_name("switch", at), _name("switch", there)))
    return links, [_name("switch", place[::-1]) for place in product(*map(range, reversed(sizes)))]


def _fat_tree(groups, count):
    """The parallel-ports generalised fat tree (Zahavi): levels; children; parents; links between a child and a parent.

    A switch of a level is its digits: at level l, those of level 1 to l count parents, the others children.
    """
    if len(groups) != 4 or len({groups[0][0], *map(len, groups[1:])}) != 1:
        raise ValueError("FAT_TREE must have a number of levels, and as many children, parents and links")
    (levels,), children, parents, cables = groups
    _check(prod(children) * max(map(prod, (parents, cables))) * levels)
    nodes = list(product(*map(range, children)))
    links, homes = [], []
    for level in range(1, levels):
        lower = product(*map(range, parents[:level]), *map(range, children[level:]))
        for at in lower:
            for up in range(parents[level]):
                there = (*at[:level], up, *at[level + 1 :])
                ends = _name(f"level {level} switch", at), _name(f"level {level + 1} switch", there)
                links += [ends] * cables[level]
    if parents[0] != 1 or cables[0] != 1:
        raise ValueError("hosts of FAT_TREE must have one parent and one link, the first of parents and links")
    # The first digit changes fastest.
    for node in sorted(nodes, key=lambda at: at[::-1]):
        homes.append(_name("level 1 switch", (0, *node[1:])))
    return links, homes


def _dragonfly(groups, _):
    """Groups; chassis of a group; routers of a chassis, each number with that of parallel links; nodes of a router.

    Router j of group i has the links to group j (SimGrid links one router of each group to each other group).
    """
    (size, blue), (chassis, black), (blades, green), (nodes,) = groups
    per_group = chassis * blades
    if size > per_group:
        raise ValueError("DRAGONFLY must have at most as many groups as routers in a group")
    _check(size * per_group * max(nodes, (blades - 1) * green + (chassis - 1) * black) + size * size * blue)
    links = []

    def router(group, one):
        return f"router {group},{one // blades},{one % blades}"

    for group in range(size):
        for rack in range(chassis):
            for a, b in combinations(range(blades), 2):
                links += [(router(group, rack * blades + a), router(group, rack * blades + b))] * green
        for a, b in combinations(range(chassis), 2):
            for blade in range(blades):
                links += [(router(group, a * blades + blade), router(group, b * blades + blade))] * black
    for a, b in combinations(range(size), 2):
        links += [(router(a, b), router(b, a))] * blue
    return links, [router(group, one) for group in range(size) for one in range(per_group) for _ in range(nodes)]


def _name(kind, digits):
    return f"{kind} {','.join(map(str, digits))}"


_N = "[0-9]{1,6}"

#: Topologies of clusters: function, pattern of the parameters, example.
_FORMS = {
    "FLAT": (_flat, "", "'', without parameters"),
    "TORUS": (_torus, f"{_N}(,{_N})*", "3,2,2"),
    "FAT_TREE": (_fat_tree, f"{_N}(;{_N}(,{_N})*){{3}}", "2;4,4;1,2;1,2"),
    "DRAGONFLY": (_dragonfly, f"{_N},{_N};{_N},{_N};{_N},{_N};{_N}", "3,4;4,3;5,1;2"),
}

#: Speed of a host, bandwidth and latency of a link, which a user edits.
_SPEED, _BANDWIDTH, _LATENCY = "1Gf", 12.5e9, "100ns"


def write(network, nodes, hosts, links):
    """A zone with a router for each switch, a host for each host, and a route for each pair of ends with links.

    Without named hosts, every switch that has hosts has as many as the topology states, or one. SimGrid has one route between
    two ends, so parallel links are one link with their bandwidth together; their number is the property ``links``. Speed,
    bandwidth and latency are the same everywhere.
    """
    from xml.sax.saxutils import quoteattr

    spelt = [f"switch {network.spell_switch(at)}" for at in nodes]
    count, cables = {}, []
    for source, target, *_ in links:
        ends = min(source, target), max(source, target)
        count[ends] = count.get(ends, 0) + 1
    found = hosts or [(host, network.number(switch)) for host, switch in unnamed_hosts(network)]
    rows = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">']
    rows += ['<platform version="4.1">', f'  <zone id={quoteattr(network.name)} routing="Floyd">']
    rows += [f"    <host id={quoteattr(host)} speed={quoteattr(_SPEED)}/>" for host, _ in found]
    rows += [f"    <router id={quoteattr(name)}/>" for name in spelt]
    cables = [(host, spelt[home], 1) for host, home in found]
    cables += [(spelt[source], spelt[target], number) for (source, target), number in count.items()]
    for place, (_, _, number) in enumerate(cables):
        head = f'<link id="link {place}" bandwidth="{_BANDWIDTH * number:.0f}Bps" latency="{_LATENCY}"'
        rows.append(f"    {head}/>" if number == 1 else f'    {head}><prop id="links" value="{number}"/></link>')
    for place, (source, target, _) in enumerate(cables):
        ends = f"src={quoteattr(source)} dst={quoteattr(target)}"
        rows.append(f'    <route {ends}><link_ctn id="link {place}"/></route>')
    return "\n".join([*rows, "  </zone>", "</platform>"]) + "\n"
