"""Any graph of switches as a network, such as one that a user's file describes."""

from collections import Counter
from functools import cached_property

from dsnswitch.net.limits import MOST_KEYS
from dsnswitch.net.topology.network import BY_TABLES, KEYS, MOST_RULED, Field, Network, Port, by_name


class Graph(Network):
    """A network given by a list of links, pairs of names, some of which are ``hosts`` and not switches.

    A switch is ``(n,)``, its index in the sorted list of names. Ports of a switch are numbered in the order in which its links
    are listed. The port of a host leads to no neighbour. A link that is listed again is a parallel link, with its own port at
    both ends. ``title`` is for readers, such as the name of the file.

    Raises :class:`ValueError` if both ends of a link are the same, a host does not have exactly one link, to a switch, or there
    is no switch.
    """

    def __init__(self, title, links, hosts=()):
        self._title = title
        hosts = dict.fromkeys(hosts)
        ends = _ends(title, links, hosts)
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

    @property
    def routings(self):
        return {} if self._hosts or len(self.names) > MOST_RULED else {"base": BY_TABLES}

    @property
    def hosts(self):
        return self._hosts

    def hosts_of(self, switch):
        return self._at_switch[switch] if self._hosts else 1

    def destinations(self):
        """The hosts, or the switches if there are no hosts.

        The key of a destination is its name if all names are numbers. Otherwise it is the position in the sorted list of names,
        in which ``leaf2`` precedes ``leaf10``.
        """
        names = list(self._hosts or self.names)
        if all(name.isdecimal() for name in names):
            keys = {name: int(name) for name in names}
            if len(set(keys.values())) < len(keys):
                raise ValueError(f"{self.title}: two destinations have the same number")
        else:
            keys = {name: place for place, name in enumerate(sorted(names, key=by_name))}
        if max(keys.values()) >= MOST_KEYS:
            raise ValueError(f"{self.title}: a destination must be below {MOST_KEYS}, not {max(keys.values())}")
        return keys

    def key_width(self, kind=KEYS[0]):
        return max(max(self.destinations().values()).bit_length(), 1)

    @cached_property
    def _at_switch(self):
        return Counter(switch for switch, _ in self._hosts.values())

    def label(self, switch):
        return self.names[switch[0]]

    @property
    def name(self):
        return f"graph_{len(self.names)}_{self._most}"

    @property
    def title(self):
        return self._title

    @property
    def spelling(self):
        return f"graph:{self._title}"

    @cached_property
    def fields(self):
        return (Field("switch", len(self.names)),)

    @cached_property
    def ports(self):
        return tuple(Port(index, f"port {index}", "link") for index in range(self._most))

    def ports_of(self, switch):
        """The ports that have a link, to a switch or to a host; they are the first ones."""
        return self.ports[: len(self._ends[self.names[switch[0]]])]

    def neighbour(self, switch, port):
        ends = self._ends[self.names[switch[0]]]
        if port >= len(ends) or ends[port][0] in self._hosts:
            return None
        name, there = ends[port]
        return (self._number[name],), there

    @property
    def link_count(self):
        return (sum(map(len, self._ends.values())) - len(self._hosts)) // 2

    def parse_switch(self, text):
        if text not in self._number:
            raise ValueError(f"{self._title} has no switch {text}")
        return (self._number[text],)

    def spell_switch(self, switch):
        return self.names[switch[0]]


def _ends(title, links, hosts):
    """``{name: [(name at the other end, port there)]}`` by port."""
    ends = {}
    for a, b in links:
        if a == b:
            raise ValueError(f"{title}: a link must have two ends, not {a} twice")
        first, second = ends.setdefault(a, []), ends.setdefault(b, [])
        first.append((b, len(second)))
        second.append((a, len(first) - 1))
    return ends
