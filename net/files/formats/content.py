"""What a file of a graph says, and the parts that several readers share."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dsnswitch.net.messages import UsageError, shortened

#: Maximum number of links of a graph.
MOST_LINKS = 1 << 18

#: Characters of a file in which a format is recognised.
HEAD = 1 << 16


@dataclass
class Content:
    """Links of a file in its order, pairs of names, and what else it says."""

    links: list
    #: Names that are hosts and not switches.
    hosts: list[str] = field(default_factory=list)
    #: Names of the switches and hosts that the file lists, if it does. Each must have a link.
    nodes: Iterable[str] = ()
    #: Whether a link and one that is listed later in the other direction are one link. None: only if each link is listed once in
    #: each direction, as programs do whose graphs are all directed.
    directed: bool | None = False
    #: Lines for the user: what the file has and the network has not.
    notes: list[str] = field(default_factory=list)
    #: For each link the numbers of its ports at both ends, if the file states them. Ports of a switch are then sorted by them.
    numbers: list | None = None
    #: For each link its latency, if the file states it.
    cycles: list | None = None
    #: ``{name: Identity}``, if the file is of an InfiniBand fabric.
    ids: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Identity:
    """A switch or a host in an InfiniBand fabric: GUID of the node, GUID and LID of the port, description, LMC.

    The port has ``2**lmc`` LIDs, the first of which is ``lid``; 0 means that the file states none.
    """

    guid: int
    port_guid: int
    lid: int
    text: str
    lmc: int = 0

    @property
    def lids(self) -> Any:
        """All LIDs of the port."""
        return range(self.lid, self.lid + (1 << self.lmc)) if self.lid else range(0)


class Ambiguous(UsageError):
    """A file can be two different graphs. The message says how to state which."""


def unnamed_hosts(network) -> list[tuple]:
    """``[(name, switch)]`` of the hosts of a network that names none: as many at each switch as the topology states, or one."""
    places = network.host_places(network.most_hosts or 1)
    return [(f"host {number}", switch) for number, (switch, _) in enumerate(places)]


def wrong(name, line, expected, found=None) -> UsageError:
    """The error that a line of a file is not as expected; ``found`` is the text of the line or of a part of it."""
    text = "" if found is None else f", not {shortened(repr(found), 60)}"
    return UsageError(f"{name}, line {line}: {expected}{text}")


def lines(text: str, comment: str = "#") -> Any:
    """Number and text of each line that is not empty, without comments."""
    for number, line in enumerate(text.splitlines(), 1):
        if line := line.partition(comment)[0].strip():
            yield number, line


def whole(head: str) -> str:
    """The first characters of a file without a line that they cut."""
    return head if len(head) < HEAD else head[: head.rfind("\n") + 1]


def append(links, link, name, number) -> None:
    """Add a link, unless there are too many."""
    if len(links) == MOST_LINKS:
        raise UsageError(f"{name}, line {number}: a graph must have at most {MOST_LINKS} links; this is one more")
    links.append(link)


def once(listed):
    """Places of the links without those that were already listed at the other end."""
    places, waiting = [], Counter()
    for place, (a, b) in enumerate(listed):
        if waiting[b, a]:
            waiting[b, a] -= 1
        else:
            waiting[a, b] += 1
            places.append(place)
    return places


def split_hosts(links, hosts, port):
    """Links and hosts, in which a host with several links is a host for each of them, with ``/`` and its port in its name.

    ``port(place, side, number)`` is the name of the port of a host at one side of a link, its ``number``-th; None if it has no
    name. The host then stays.
    """
    at, made, found = {host: [] for host in hosts}, [], list(map(list, links))
    for place, link in enumerate(links):
        for side, end in enumerate(link):
            if end in at:
                at[end].append((place, side))
    for host, ends in at.items():
        names = [port(*end, number) for number, end in enumerate(ends, 1)]
        if len(ends) < 2 or None in names:
            made.append(host)
            continue
        for (place, side), name in zip(ends, names):
            found[place][side] = f"{host}/{name}"
            made.append(found[place][side])
    return list(map(tuple, found)), made


def listed_both_ways(links) -> bool:
    """Whether each link is listed exactly once in each direction, as programs with directed graphs do."""
    count = Counter(links)
    return all(number == 1 and count[link[::-1]] == 1 for link, number in count.items())


def tokens(pattern, text) -> Any:
    """``(kind, text, line)`` of each token that ``pattern`` matches; then kinds ``end`` without end.

    Kinds are the names of the groups of the pattern. Those of ``line``, the end of a line, and ``comment`` are left out.
    """
    line, place = 1, 0
    while match := pattern.match(text, place):
        place, kind = match.end(), match.lastgroup
        if kind not in ("line", "comment"):
            yield kind, match[kind], line
        line += match[kind].count("\n")
    while True:
        yield "end", "", line
