"""Any graph of switches as a network, such as one that a user's file describes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from dsnswitch.net.limits import MOST_KEYS
from dsnswitch.net.topology.addresses import KEYS, Field, by_name
from dsnswitch.net.topology.network import BY_TABLES, Network, Port


class Graph(Network):
    """A network given by a list of links, pairs of names, some of which are ``hosts`` and not switches.

    A switch is ``(n,)``, its index in the sorted list of names. Ports of a switch are numbered in the order in which its links
    are listed. The port of a host leads to no neighbour. A link that is listed again is a parallel link, with its own port at
    both ends. ``title`` is for readers, such as the name of the file. ``attached`` is for a graph without ``hosts``: those
    without ports among the links, ``{name of a switch: names}``. With it, or ``numbered``, keys are the numbers of switches.

    ``numbers`` and ``cycles`` are for each link the numbers of its ports at both ends, by which ports are then sorted, and its
    latency; ``ids`` are those of an InfiniBand fabric (:class:`Content`).

    Raises :class:`ValueError` if both ends of a link are the same, a host does not have exactly one link, to a switch, or there
    is no switch.
    """

    def __init__(self, title, links, hosts=(), attached=None, numbered=False, numbers=None, cycles=None, ids=None):
        self._title, self._links, self._attached = title, links, attached
        self._numbered = bool(numbered or attached)
        self._numbers, self._cycles, self.ids = numbers, cycles, ids or {}
        hosts = dict.fromkeys(hosts)
        self._at, ends = _ends(title, links, attached or (), numbers)
        self._hosts = {}
        for host in hosts:
            found = ends.pop(host, [])
            if len(found) != 1 or found[0][0] in hosts:
                listed = ", ".join(name for name, _ in found) or "none"
                raise ValueError(f"{title}: host {host} must have one link, to a switch, not {listed}")
            self._hosts[host] = found[0]
        if not ends:
            raise ValueError(f"{title} has no switch")
        #: Names of the switches, in the order of their numbers: ``leaf2`` precedes ``leaf10``.
        self.names = tuple(sorted(ends, key=by_name))
        self._ends = ends
        number = {name: place for place, name in enumerate(self.names)}
        self._hosts = {host: ((number[name],), port) for host, (name, port) in self._hosts.items()}
        self._number = number
        self._most = max(map(len, ends.values()))

    from_file = has_rules = True

    @cached_property
    def _content(self):
        parts = (self._links, self._hosts, self._attached, self._numbered, self._numbers, self._cycles, self.ids)
        return repr((self._title, *parts))

    def __eq__(self, other: object) -> bool:
        """Two readings of one file are equal, as are two networks of a topology, so that they share tables."""
        return isinstance(other, Graph) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def routings(self) -> dict[str, str]:
        """That of :attr:`fabric`: a graph with ports to hosts has none of its own."""
        return {} if self._hosts else {"base": BY_TABLES}

    @property
    def most_hosts(self) -> int | None:
        return max(map(len, self._attached.values())) if self._attached else None

    @property
    def is_uneven(self) -> bool:
        return bool(self._attached)

    @property
    def hosted(self) -> int:
        return sum(map(bool, map(self.hosts_of, self.switches())))

    def with_hosts(self, hosts: int | None) -> Any:
        if hosts is not None and self.most_hosts not in (None, hosts):
            raise ValueError(f"Hosts of {self.spelling} are those of its file, {self.most_hosts} at most, not {hosts}")
        return self

    @cached_property
    def fabric(self) -> Any:
        """The graph without ports to hosts. Each switch has the hosts of the file, numbered in the order of their keys."""
        if not self._hosts:
            is_numbered = self._numbered or all((key,) == switch for _, key, switch, *_ in self.ends())
            return self if is_numbered else Graph(self._title, self._links, numbered=True, cycles=self._cycles)
        kept = [place for place, link in enumerate(self._links) if not self._hosts.keys() & {*link}]
        links = [self._links[place] for place in kept]
        numbers, cycles = (values and [values[place] for place in kept] for values in (self._numbers, self._cycles))
        at = {name: [] for name in self.names}
        for host in sorted(self._hosts, key=by_name):
            at[self.names[self._hosts[host][0][0]]].append(host)
        return Graph(self._title, links, attached=at, numbers=numbers, cycles=cycles)

    @property
    def hosts(self) -> dict[str, tuple[tuple[int, ...], int]]:
        return self._hosts

    def hosts_of(self, switch: tuple[int, ...]) -> int:
        if self._attached:
            return len(self._attached[self.names[switch[0]]])
        return self._at_switch[switch] if self._hosts else 1

    def ends(self) -> Iterable[tuple]:
        """The hosts, or the switches if there are no hosts. In :attr:`fabric`, the switches with hosts, and their numbers.

        The key of a destination is its name if all names are numbers. Otherwise it is the position in the sorted list of names,
        in which ``leaf2`` precedes ``leaf10``.
        """
        if self._numbered:
            return super().ends()
        names = list(self._hosts or self.names)
        keys = {name: int(name) for name in names} if all(map(str.isdecimal, names)) else None
        if keys is None:
            names.sort(key=by_name)
            keys = {name: place for place, name in enumerate(names)}
        if len(set(keys.values())) < len(keys):
            raise ValueError(f"{self.title}: two destinations have the same number")
        if max(keys.values()) >= MOST_KEYS:
            raise ValueError(f"{self.title}: a destination must be below {MOST_KEYS}, not {max(keys.values())}")
        return [(name, key, *(self._hosts.get(name) or ((self._number[name],), None)), 1) for name, key in keys.items()]

    def key_width(self, kind: str = KEYS[0]) -> int:
        if self._numbered:
            return self.fields[0].width
        return max(max(key for _, key, *_ in self.ends()).bit_length(), 1)

    def host_places(self, hosts: int) -> list[tuple[tuple[int, ...], int]]:
        if not self._attached:
            return super().host_places(hosts)
        found = {host: ((self._number[at],), n) for at, names in self._attached.items() for n, host in enumerate(names)}
        return [found[host] for host in sorted(found, key=by_name)]

    @cached_property
    def _at_switch(self):
        return Counter(switch for switch, _ in self._hosts.values())

    @property
    def name(self) -> str:
        return f"graph_{len(self.names)}_{self._most}"

    @property
    def title(self) -> str:
        return self._title

    @property
    def spelling(self) -> str:
        return f"graph:{self._title}"

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return (Field("switch", len(self.names)),)

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        return tuple(Port(index, f"port {index}", "link") for index in range(self._most))

    def ports_of(self, switch: tuple[int, ...]) -> Sequence[Port]:
        """The ports that have a link, to a switch or to a host; they are the first ones."""
        return self.ports[: len(self._ends[self.names[switch[0]]])]

    def links_of(self, switch: tuple[int, ...]) -> list[tuple[Port, tuple[Any, int]]]:
        ends = enumerate(self._ends[self.names[switch[0]]])
        return [(self.ports[at], ((self._number[n],), there)) for at, (n, there) in ends if n not in self._hosts]

    def neighbour(self, switch: tuple[int, ...], port: int) -> tuple[Any, int] | None:
        ends = self._ends[self.names[switch[0]]]
        if port >= len(ends) or ends[port][0] in self._hosts:
            return None
        return (self._number[ends[port][0]],), ends[port][1]

    def port_numbers(self, switch: tuple[int, ...]) -> Sequence[int] | None:
        """The numbers that the file gives to the ports of a switch, by index; None if it gives none."""
        return self._numbers and [self._numbers[place][side] for place, side in self._at[self.names[switch[0]]]]

    def cycles(self, switch: tuple[int, ...], port: int) -> Any:
        return self._cycles and self._cycles[self._at[self.names[switch[0]]][port][0]]

    @property
    def link_count(self) -> int:
        return (sum(map(len, self._ends.values())) - len(self._hosts)) // 2

    def parse_switch(self, text: str) -> tuple[int, ...]:
        if text not in self._number:
            raise ValueError(f"{self._title} has no switch {text}")
        return (self._number[text],)

    def spell_switch(self, switch: tuple[int, ...]) -> str:
        return self.names[switch[0]]


def _ends(title, links, names, numbers=None):
    """``{name: [(place of the link, which end)]}`` and ``{name: [(name at the other end, port there)]}``, by port.

    ``names`` have an entry even without a link.
    """
    at = {name: [] for name in names}
    for place, (a, b) in enumerate(links):
        if a == b:
            raise ValueError(f"{title}: a link must have two ends, not {a} twice")
        at.setdefault(a, []).append((place, 0))
        at.setdefault(b, []).append((place, 1))
    if numbers:
        for listed in at.values():
            listed.sort(key=lambda one: numbers[one[0]][one[1]])
    ports = [[0, 0] for _ in links]
    for listed in at.values():
        for port, (place, side) in enumerate(listed):
            ports[place][side] = port
    ends = {name: [(links[p][1 - side], ports[p][1 - side]) for p, side in listed] for name, listed in at.items()}
    return at, ends
